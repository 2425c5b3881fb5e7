"""Bad input at the command line: one sentence on standard error with what, where and what to do; never a traceback."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.committee.cli.yard import CRITERIA, HEADER, PROPOSAL, TARGET, Said, arm_toml, typed

BINARY = bytes(range(128, 256))
HUGE = b"# " + b"x" * 1_100_000
FOLDER = f"proposals/{PROPOSAL}"
USED_BY = {
    "committee.toml": ("review", "0001"),
    f"{FOLDER}/proposal.toml": ("check", "0001"),
    f"{FOLDER}/criteria.toml": ("check", "0001"),
    f"{FOLDER}/arms/fast.toml": ("check", "0001"),
    "targets/small.toml": ("check", "0001"),
    "targets/small.accepted.toml": ("measure", "0001", "--dry-run"),
}


@dataclass(frozen=True)
class Case:
    """One thing spoilt, the command that meets it, its exit code and words of its sentence."""

    spoil: Callable[[Path], object]
    words: tuple[str, ...]
    code: int
    said: tuple[str, ...]
    program: str = "committee"


def put(name: str, content: bytes | str) -> Callable[[Path], object]:
    """Write a file of the workspace."""
    given = content if isinstance(content, bytes) else content.encode()
    return lambda ws: (ws / name).write_bytes(given)


def link(name: str, to: str) -> Callable[[Path], object]:
    """Put a symbolic link in a file's place."""

    def spoil(ws: Path) -> None:
        (ws / name).unlink(missing_ok=True)
        (ws / name).symlink_to(to)

    return spoil


def nothing(_ws: Path) -> None:
    """Leave the workspace as it is."""


def case(
    words: str, code: int, *said: str, program: str = "committee", spoil: Callable[[Path], object] = nothing
) -> Case:
    """A case whose command holds no blanks in its words."""
    return Case(spoil, tuple(words.split()), code, said, program)


FILES = {
    f"{name}: {how}": Case(put(name, content), words, 2, (Path(name).name, *said))
    for name, words in USED_BY.items()
    for how, content, said in (
        ("half", "[[half", ("is not valid TOML", "finish or correct it")),
        ("binary", BINARY, ("is not UTF-8 text", "save it as UTF-8")),
        ("huge", HUGE, ("is larger than", "is it really a TOML file?")),
        ("empty", "", ("missing key" if name != "committee.toml" else "there is no [[reviewer]]",)),
    )
}
UNKNOWN = {
    f"{name}: unknown key": Case(
        put(name, f"nonsense = 1\n{text}"), USED_BY[name], 2, (name, "nonsense", "unknown key")
    )
    for name, text in (
        ("committee.toml", '[[reviewer]]\nname = "a"\nkind = "embedded"\n'),
        (f"{FOLDER}/proposal.toml", HEADER),
        (f"{FOLDER}/criteria.toml", CRITERIA),
        (f"{FOLDER}/arms/fast.toml", arm_toml("fast")),
        ("targets/small.toml", TARGET),
    )
}
MISSING = {
    "no header": case(
        "check 0001", 2, "proposal.toml", "does not exist", spoil=lambda ws: (ws / FOLDER / "proposal.toml").unlink()
    ),
    "no criteria": case(
        "check 0001", 2, "criteria.toml", "does not exist", spoil=lambda ws: (ws / FOLDER / "criteria.toml").unlink()
    ),
    "no workspace": case("check 0001 --workspace /nonexistent", 2, "committee.toml", "committee init DIR"),
    "no workspace for the bench": case(
        "targets --workspace /nonexistent", 2, "targets/", "--workspace", program="harness"
    ),
    "no such proposal": case("check 0099", 2, "no proposal '0099'", PROPOSAL),
    "no such target": case(
        "check 0001",
        2,
        "no target 'other'",
        "there is:",
        "small",
        spoil=put(f"{FOLDER}/proposal.toml", HEADER.replace('"small"', '"other"')),
    ),
    "no such target for the bench": case("attest other", 2, "no target 'other'", "small", program="harness"),
    "no such arm": case("measure 0001 --arm other", 2, "no arm other", "fast"),
    "no arm yet": case(
        "measure 0001",
        2,
        "has no arm yet; add arms/*.toml, or review it first",
        spoil=lambda ws: (ws / FOLDER / "arms" / "fast.toml").unlink(),
    ),
    "no such arm to accept": Case(
        nothing, ("accept", "0001", "other", "--reason", "because"), 1, ("no measured arm 'other'",)
    ),
    "no such review run": case("resume review-20200101-000000-0000", 2, "no review run", "committee log"),
    "no such measuring run": case(
        "measure 0001 --run measure-20200101-000000-00000000", 2, "no measuring run", "--run"
    ),
    "a run and other blocks": case(
        "measure 0001 --run measure-20200101-000000-00000000 --blocks 4", 2, "own arms and blocks", "--blocks", "--run"
    ),
    "a run and other arms": case(
        "measure 0001 --run measure-20200101-000000-00000000 --arm fast", 2, "own arms and blocks", "--arm", "--run"
    ),
    "a budget of nothing": case(
        "measure 0001",
        2,
        "away for about 0.2 minutes and 0.0 are used, but budget.server_minutes",
        f"{PROPOSAL!r} is 0",
        "raise it in proposal.toml",
        spoil=put(f"{FOLDER}/proposal.toml", HEADER.replace("server_minutes = 10", "server_minutes = 0")),
    ),
    "a budget of nothing, dry": case(
        "measure 0001 --dry-run",
        2,
        "0.0 are used, but budget.server_minutes",
        spoil=put(f"{FOLDER}/proposal.toml", HEADER.replace("server_minutes = 10", "server_minutes = 0")),
    ),
    "no such entry": case("show 999", 2, "no entry", "give a sequence number"),
    "no such id": case("show abcdef0123", 2, "no entry", "abcdef0123"),
    "no such kind": case("log --kind nonsense", 2, "no entries of kind 'nonsense'", "verdict"),
    "no brief yet": case("brief 0001", 1, "has no brief yet", "committee review"),
    "no verdicts yet": case("rank 0001", 1, "has no verdicts yet", "committee measure"),
    "another target": case("measure 0001 --target local-llamacpp", 2, "'small'", "'local-llamacpp'"),
    "no arm file": case(
        "measure small --arm nope.toml --criteria nope.toml", 2, "nope.toml", "does not exist", program="harness"
    ),
    "nothing to measure": case("measure", 2, "--criteria FILE", "--arm FILE", "--order FILE", program="harness"),
    "no order": case("measure --order nope.json", 2, "nope.json", "cannot be read", program="harness"),
}
TRICKS = {
    "parent as proposal": case("check ../..", 2, "'../..' is no proposal's folder"),
    "root as proposal": case("check /etc/passwd", 2, "'/etc/passwd' is no proposal's folder"),
    "another workspace's proposal": case(
        f"check /elsewhere/proposals/{PROPOSAL}", 2, "is no proposal's folder in", PROPOSAL
    ),
    "parent as target": case("attest ../small", 2, "no target '../small'", program="harness"),
    "root as target": case("attest /etc/passwd", 2, "no target '/etc/passwd'", program="harness"),
    "target in the header": case(
        "check 0001",
        2,
        "proposal.toml",
        "'target'",
        spoil=put(f"{FOLDER}/proposal.toml", HEADER.replace('"small"', '"../small"')),
    ),
    "id in the header": case(
        "check 0001",
        2,
        "proposal.toml",
        "'id'",
        spoil=put(f"{FOLDER}/proposal.toml", HEADER.replace(PROPOSAL, "../0001")),
    ),
    "another id": case(
        "check 0001",
        2,
        "make them the same",
        spoil=put(f"{FOLDER}/proposal.toml", HEADER.replace(PROPOSAL, "0002-other")),
    ),
    "linked header": case(
        "check 0001", 2, "proposal.toml", "symbolic link", spoil=link(f"{FOLDER}/proposal.toml", "/etc/passwd")
    ),
    "linked arm": case(
        "check 0001", 2, "fast.toml", "symbolic link", spoil=link(f"{FOLDER}/arms/fast.toml", "/etc/passwd")
    ),
    "linked evidence": case("check 0001", 2, "shadow", "symbolic link", spoil=link(f"{FOLDER}/shadow", "/etc/shadow")),
    "linked folder": case("check 0002", 2, "0002-link", spoil=link("proposals/0002-link", "/etc")),
    "parent as slug": case("new ../evil", 2, "slug '../evil' cannot be used"),
    "run id": case("measure 0001 --run ../../../evil", 2, "../../../evil", "leave --run away"),
    "huge evidence": case(
        "check 0001", 2, "dump.bin", "is larger than", spoil=put(f"{FOLDER}/dump.bin", b"x" * 2_200_000)
    ),
}
MEANING = {
    "nobody to ask": case("review 0001", 2, "there is no [[reviewer]]", spoil=put("committee.toml", "schema = 1\n")),
    "quorum too high": case(
        "review 0001",
        2,
        "quorum is 3",
        "only 1 reviewers",
        spoil=put("committee.toml", '[review]\nquorum = 3\n[[reviewer]]\nname = "a"\nkind = "embedded"\n'),
    ),
    "NaN": case(
        "check 0001",
        2,
        "criteria.toml",
        "'level'",
        spoil=put(f"{FOLDER}/criteria.toml", CRITERIA.replace("0.05", "nan")),
    ),
    "unknown metric": case(
        "check 0001",
        2,
        "criteria.toml",
        "'primary.metric'",
        spoil=put(f"{FOLDER}/criteria.toml", CRITERIA.replace("total_tok_s", "joy")),
    ),
    "load never reached": case(
        "check 0001",
        2,
        "criteria.toml",
        "never reaches",
        spoil=put(f"{FOLDER}/criteria.toml", CRITERIA.replace("load = 2", "load = 64")),
    ),
    "flag not allowed": case(
        "measure 0001",
        2,
        "'host'",
        "is not listed for target 'small'",
        spoil=put(f"{FOLDER}/arms/fast.toml", arm_toml("fast", "host", "0.0.0.0")),
    ),
    "value not allowed": case(
        "measure 0001",
        2,
        "'token-s'",
        "must be between 0 and 1",
        spoil=put(f"{FOLDER}/arms/fast.toml", arm_toml("fast", "token-s", 5)),
    ),
    "flag not allowed, dry": case(
        "measure 0001 --dry-run",
        2,
        "is not listed",
        spoil=put(f"{FOLDER}/arms/fast.toml", arm_toml("fast", "host", "0.0.0.0")),
    ),
    "too many blocks": case("measure 0001 --blocks 100000", 2, "--blocks", "'blocks'"),
    "accept unmeasured": Case(
        lambda ws: typed(ws, "committee", "review", "0001"),
        ("accept", "0001", "fast", "--reason", "because"),
        1,
        ("no measured arm 'fast'", "committee measure 0001-quicker"),
    ),
    "accept for no reason": Case(
        nothing, ("accept", "0001", "fast", "--reason", " "), 2, ("needs a reason", "--reason TEXT")
    ),
    "not an order": case("measure --order committee.toml", 2, "committee.toml", program="harness"),
    "report nowhere": case("report --output /nonexistent/report.html", 2, "/nonexistent/report.html", "check the path"),
    "progress nowhere": case(
        "measure small --arm arm.toml --criteria criteria.toml --progress /nonexistent/p",
        2,
        "/nonexistent/p",
        program="harness",
    ),
    "demo on something": case("demo --folder .", 2, "is not empty"),
    "workspace in a file": case("init /dev/null/ws", 2, "/dev/null"),
}
LEDGER = {
    "no database": case("log", 1, "records.db", spoil=put("records.db", "this is no database " * 100)),
    "binary": case("log", 1, "records.db", spoil=put("records.db", BINARY * 40)),
    "a folder": case("log", 2, "records.db", "is a folder", spoil=lambda ws: (ws / "records.db").mkdir()),
    "no database to run on": case("run 0001", 1, "records.db", spoil=put("records.db", BINARY * 40)),
    "no database to measure on": case("measure 0001", 1, "records.db", spoil=put("records.db", BINARY * 40)),
    "no database to accept on": Case(
        put("records.db", BINARY * 40), ("accept", "0001", "fast", "--reason", "x"), 1, ("records.db",)
    ),
}
CASES = {**FILES, **UNKNOWN, **MISSING, **TRICKS, **MEANING, **LEDGER}


def one_sentence(said: Said) -> None:
    """Nothing on standard output, one line on standard error, no traceback."""
    assert "Traceback" not in said.err
    assert len(said.err.strip().splitlines()) == 1, said.err
    assert said.out == ""


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_one_clear_sentence(ws: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ws)
    spoilt = CASES[name]
    (ws / "arm.toml").write_text(arm_toml("fast"))
    (ws / "criteria.toml").write_text(CRITERIA)
    spoilt.spoil(ws)
    said = typed(ws, spoilt.program, *spoilt.words)
    assert said.code == spoilt.code, said
    one_sentence(said)
    for words in spoilt.said:
        assert words in said.err
