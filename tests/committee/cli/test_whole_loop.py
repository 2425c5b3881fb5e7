"""The whole loop by command line on a small real server: run, rank, accept, verify, report."""

import subprocess
import tomllib
from pathlib import Path

import pytest

from ledger.entries import Acceptance, Arm, Launch, MeasuringRun, RunEnd, TargetState, Verdict
from tests.committee.cli.yard import PROPOSAL, on_record, production, ran, servers, typed, value


def git(folder: Path, *words: str) -> str:
    """What git itself prints."""
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True).stdout.strip()


pytestmark = [pytest.mark.system, pytest.mark.alone]  # two blocks tell nothing beside three other tests


def plain_to_see(ws: Path) -> None:
    """Pauses so far apart that two blocks on a busy machine tell them apart."""
    for path, old, new in (
        (ws / "targets" / "small.toml", "token-s = 0.005", "token-s = 0.012"),
        (ws / "recordings" / "second.json", "0.009", "0.03"),
    ):
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")


def test_from_proposal_to_report(ws: Path) -> None:
    plain_to_see(ws)
    with production(ws):
        before = value(typed(ws, "harness", "attest", "small", "--json"))
        said = ran(ws, "committee", "run", "0001", "--yes")
        assert said.code == 0, said
        assert said.err == ""
        assert f"committee accept {PROPOSAL} ARM --reason TEXT" in said.out
        after = value(typed(ws, "harness", "attest", "small", "--json"))
        assert before["as_described"] and after["as_described"] and before["pid"] != after["pid"]
        assert servers(ws) == [after["pid"]]
        ranked(ws)
        accepted(ws)
        chained(ws)
        waits(ws)
    with production(ws):
        in_force(ws)
    recorded(ws)
    assert servers(ws) == []


def ranked(ws: Path) -> None:
    """The table puts what was measured as faster first; what a reviewer said does not count."""
    verdicts = value(typed(ws, "committee", "rank", "0001", "--json"))
    primary = {verdict["arm_name"]: verdict for verdict in verdicts if verdict["primary"]}
    assert (primary["fast"]["validity"], primary["fast"]["speed"]) == ("VALID", "FASTER")
    assert primary["long-pause"]["validity"] == "VALID" and primary["long-pause"]["interval"]["estimate_pct"] < -15
    assert primary["long-pause"]["speed"] in ("SLOWER", "AMBIGUOUS"), "two blocks on a busy machine may not settle it"
    assert {verdict["numerics"] for verdict in primary.values()} == {"IDENTICAL"}
    assert set(primary) == {"fast", "long-pause"}, "the reviewer's no-pause is the author's fast"
    shown = typed(ws, "committee", "rank", "0001").out
    assert shown.index("fast") < shown.index("long-pause")


def accepted(ws: Path) -> None:
    """Refused for the slower arm, made once for the faster, with overlay and commit."""
    commits = git(ws, "rev-list", "--count", "HEAD")
    refused = typed(ws, "committee", "accept", "0001", "long-pause", "--reason", "a reviewer wanted it")
    assert refused.code == 1 and "FASTER" in refused.err and refused.out == ""
    assert git(ws, "rev-list", "--count", "HEAD") == commits
    said = typed(
        ws, "committee", "accept", "0001", "fast", "--reason", "nobody needs the pause", "--person", "A Person"
    )
    assert said.code == 0 and "accepted fast for small" in said.out, said
    overlay = tomllib.loads((ws / "targets" / "small.accepted.toml").read_text())
    assert overlay["flags"] == {"token-s": 0.0005} and overlay["arm"] == "fast"
    assert git(ws, "log", "-1", "--format=%s") == "Accept fast for small"
    trailers = git(ws, "log", "-1", "--format=%(trailers:only,unfold)").splitlines()
    names = [line.split(":")[0] for line in trailers]
    verdicts = names.count("Verdict")
    assert names == ["Proposal", "Arm", *["Verdict"] * verdicts, "Ticket", "Ledger-Head", "Ledger-Root"] and verdicts
    (acceptance,) = on_record(ws, Acceptance)
    assert isinstance(acceptance, Acceptance)
    assert f"Arm: fast {acceptance.arm}" in trailers and acceptance.person == "A Person"
    assert [line.split()[1] for line in trailers if line.startswith("Verdict")] == list(acceptance.verdicts)
    again = typed(ws, "committee", "accept", "0001", "fast", "--reason", "once more")
    assert again.code == 1 and "is accepted for 'small' already" in again.err
    assert len(on_record(ws, Acceptance)) == 1


def chained(ws: Path) -> None:
    """From one start of the server to the decision: each entry names what it rests on, so `rests` shows the chain."""
    (acceptance,) = on_record(ws, Acceptance)
    assert isinstance(acceptance, Acceptance)
    launches = value(typed(ws, "committee", "log", "--kind", "launch", "--json"))
    launch = next(entry for entry in launches if entry["payload"]["arm"] == acceptance.arm)
    resting = value(typed(ws, "committee", "rests", launch["id"], "--json"))
    trial, *verdicts, last = [one for one in resting if one["kind"] in ("trial", "verdict", "acceptance")]
    assert (trial["kind"], last["kind"]) == ("trial", "acceptance")
    assert set(acceptance.verdicts) <= {one["id"] for one in verdicts}, "every verdict that was accepted rests on it"
    lines = typed(ws, "committee", "rests", trial["id"]).out.splitlines()
    assert [line.split()[1] for line in lines][: len(verdicts) + 1] == [*["verdict"] * len(verdicts), "acceptance"]


def waits(ws: Path) -> None:
    """Nobody is told that an accepted arm is in force before production was started with it."""
    said = typed(ws, "committee", "rank", "0001").out
    assert "fast: accepted; production has not been started with it" in said
    assert "    harness stop small && harness start small" in said.splitlines()
    assert "committee accept" not in said
    assert typed(ws, "committee", "report").code == 0
    assert "accepted, not yet started with" in (ws / "report.html").read_text()


def in_force(ws: Path) -> None:
    """Started with the overlay, it is; the entry names the arm."""
    state, acceptance = on_record(ws, TargetState)[-1], on_record(ws, Acceptance)[0]
    assert isinstance(state, TargetState) and isinstance(acceptance, Acceptance)
    assert (state.state, state.accepted) == ("up", acceptance.arm)
    assert "fast: production was started with it: seen on 20" in typed(ws, "committee", "rank", "0001").out
    looked = typed(ws, "harness", "attest", "small", "--record")
    assert looked.code == 0, looked
    seen = on_record(ws, TargetState)[-1]
    assert isinstance(seen, TargetState) and (seen.by, seen.accepted) == ("a person's look", acceptance.arm)


def looked_back(ws: Path) -> None:
    """Costs, scores and a replay, all from the record."""
    made = value(typed(ws, "committee", "costs", "0001", "--json"))
    assert [(call["reviewer"], call["ended"], call["cost"]) for call in made] == [
        ("first", "complete", 0.0),
        ("second", "complete", 0.0),
    ]
    first, second = value(typed(ws, "committee", "reviewers", "--json"))
    assert (first["reviewer"], first["confirmed"], first["decided"]) == ("first", 1, 1)
    assert second["reviewer"] == "second" and second["confirmed"] == 0, "it said that a longer pause would be faster"
    again = typed(ws, "committee", "replay", made[0]["run"])
    assert again.code == 0 and "comes out the same, byte for byte" in again.out, again
    unknown = typed(ws, "committee", "replay", "review-000000-none")
    assert unknown.code == 2 and "there is no review run" in unknown.err


def recorded(ws: Path) -> None:
    """The ledger is whole and holds every step; the page names what was accepted."""
    (plan,) = on_record(ws, MeasuringRun)
    (end,) = on_record(ws, RunEnd)
    assert isinstance(plan, MeasuringRun) and isinstance(end, RunEnd)
    assert (plan.blocks, len(plan.slots), end.outcome) == (2, 8, "completed")
    assert len(on_record(ws, Launch)) == 8
    assert {arm.name for arm in on_record(ws, Arm) if isinstance(arm, Arm)} == {"fast", "long-pause"}
    states = [state.state for state in on_record(ws, TargetState) if isinstance(state, TargetState)]
    assert states == ["up", "taken_down", "restored", "taken_down", "up", "up", "taken_down"]
    assert len(on_record(ws, Verdict)) >= 2
    looked_back(ws)
    said = typed(ws, "committee", "verify")
    assert said.code == 0 and said.out.startswith("ledger whole: ") and "1 heads pinned in git" in said.out
    assert typed(ws, "committee", "report").code == 0
    page = (ws / "report.html").read_text()
    assert "accepted, production started with it" in page
    assert "is down on record" in page and "not shown to be back" not in page
    for words in ("fast", "long-pause", "A Person", "nobody needs the pause", PROPOSAL):
        assert words in page
