"""Ctrl-C in `harness start|restore`: the exit code and the sentence say where production stands."""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.cli.production import said_interrupted
from harness.cli.speak import Failure
from harness.hosts.base import Held, Production
from tests.committee.cli.yard import PATIENCE_S, make, servers, typed

HELD = Held("production", 7, 1, Path("log"))


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (Production(None, True, HELD, "http://127.0.0.1:1"), "production of 'small' is up"),
        (Production(None, False, None, None), "production of 'small' was not asked to run, and it is left down"),
    ],
    ids=["up", "left down"],
)
def test_a_start_that_was_interrupted_says_where_production_stands(seen: Production, said: str) -> None:
    assert said_interrupted("small", seen) == f"stopped by a person; {said}"


def test_production_that_should_run_and_does_not_is_no_mere_stop(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Failure) as ended:
        said_interrupted("small", Production(None, True, None, None))
    assert (ended.value.exit_code, ended.value.stands) == (1, True)
    assert capsys.readouterr().err == (
        "stopped by a person before production of 'small' was up: it does NOT run; give the command again\n"
    )


def test_a_start_that_is_not_ready_yet_is_no_mere_stop(tmp_path: Path) -> None:
    ws = make(tmp_path / "ws")
    target = ws / "targets" / "small.toml"
    target.write_text(target.read_text(encoding="utf-8").replace('mode = "good"', 'mode = "silent"'), encoding="utf-8")

    before, record = signal.getsignal(signal.SIGINT), ws / ".committee" / "targets" / "small" / "production.json"

    def begun() -> bool:
        return record.exists() and json.loads(record.read_text(encoding="utf-8"))["held"] is not None

    def person() -> None:
        deadline = time.monotonic() + PATIENCE_S
        while (not begun() or signal.getsignal(signal.SIGINT) is before) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    try:
        for word in ("start", "restore"):
            with ThreadPoolExecutor(1) as other:
                other.submit(person)
                said = typed(ws, "harness", word, "small")
            assert said.code == 1 and "before production of 'small' was up: it runs, pid " in said.err, said
            assert said.err.endswith("its guardian goes on; look with 'harness status small'\n")
    finally:
        typed(ws, "harness", "stop", "small")
    assert servers(ws) == []
