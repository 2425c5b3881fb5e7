"""What is on record repaints no terminal and forges no line, whichever command prints it."""

from pathlib import Path
from typing import Any

import pytest

from committee.accept.accept import accept
from ledger.entries import Acceptance, Brief
from tests.committee.accept.sample import FOUR, Q8, make_bench
from tests.committee.cli.yard import typed

FORGED = "verdict m-9 four-slots FASTER VALID"
EVIL = f"\x1b[2J\x1b]0;owned\x07no gain\n{FORGED}\tx\r\u202e"


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A reason of an acceptance, the engine's words about a launch, a subject and a brief's title, all hostile."""
    bench = make_bench(tmp_path)
    with bench.ledger:
        bench.measure("m-000001")
        said = accept(bench.workspace, bench.ledger, "0001", "four-slots", EVIL, "Ada")
        assert isinstance(said, Acceptance)
        words: dict[str, Any] = {
            "validity": "INVALID",
            "speed": None,
            "interval": None,
            "reasons": (f"died: log line 7: {EVIL}",),
        }
        bench.measure("m-000002", Q8, **words)
        page = bench.ledger.put_blob(f"# Brief: {EVIL}\n\n- one\n".encode(), "text/markdown")
        bench.ledger.append(
            Brief(
                run="review-000001",
                proposal="0001-slots",
                tree=said.tree,
                took_part=(),
                excluded=(),
                hypotheses=(),
                arms=(FOUR.fingerprint,),
                markdown=page,
                html=page,
            )
        )
    return bench.workspace.folder


@pytest.mark.system  # a commit and four commands; the rules themselves are tested in tests/harness/cli/test_terminal.py
def test_no_command_lets_them_through(ws: Path) -> None:
    for words in (("log",), ("rank", "0001"), ("as-of", "2199-01-01"), ("brief", "0001", "--html")):
        said = typed(ws, "committee", *words)
        assert said.out and not any(char in said.out + said.err for char in "\x1b\x07\r\u202e"), words
        lines = [line.strip() for line in said.out.splitlines()]
        assert words[0] == "brief" or not any(line.startswith(FORGED) for line in lines), words
        assert words[0] not in ("rank", "log") or r"\x1b[2J" in said.out, "shown as it would be typed"
