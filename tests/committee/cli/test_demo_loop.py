"""The demonstration's own decisions; the whole of it is measured in benchmarks and by `make demo`."""

import asyncio
import io
from pathlib import Path

import pytest
from rich.console import Console

from committee.cli.demo_loop import STOPPED, Demonstrated, decided, demonstrate, finished
from committee.making import EXAMPLE, init
from committee.proposals.folder import load
from committee.workflow.graph import RunResult
from harness.gates.quiet import check_quiet
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Quiet
from harness.workflow.plan import downtime_s
from ledger.entries import Gate, Launch, Verdict
from tests.committee.accept.sample import Q8, make_bench
from tests.committee.cli.yard import typed
from tests.harness.gates.test_quiet import START, reading


def test_only_in_a_new_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(BadFileError, match="is not empty; name a new or an empty folder"):
        asyncio.run(demonstrate(tmp_path, Console(quiet=True)))
    said = typed(tmp_path, "committee", "demo", "--folder", str(tmp_path))
    assert (said.code, said.out) == (2, "") and len(said.err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_its_last_words_say_that_its_server_is_stopped(tmp_path: Path) -> None:
    place, said = init(tmp_path / "ws", example=True), io.StringIO()
    ended = finished(place, Demonstrated(place.folder, "no arm met the criteria"), Console(file=said, width=200))
    assert ended.sentence == "no arm met the criteria"
    assert STOPPED in said.getvalue() and "ledger whole: 0 entries" in said.getvalue()
    assert "scratch server of this workspace" in STOPPED and "nothing of it runs on" in STOPPED
    assert (place.folder / "report.html").is_file()


async def test_below_the_acceptance_stands_what_is_left_to_do_and_rank_says_the_same(tmp_path: Path) -> None:
    bench, said = make_bench(tmp_path), io.StringIO()
    other = {"arm": Q8.fingerprint, "arm_name": "kv-q8", "speed": "AMBIGUOUS", "more_blocks": 8}
    with bench.ledger:
        bench.measure("m-000001")
        bench.ledger.append(bench.ledger.of(Verdict)[0][1].model_copy(update=other))
        verdicts = tuple(entry.id for entry, _ in bench.ledger.of(Verdict))
        result = RunResult("r", measuring_run="m-000001", verdicts=verdicts)
        ended = await decided(bench.workspace, "0001", result, Console(file=said, width=200))
    assert ended.sentence == ""
    first, *below = said.getvalue().splitlines()
    assert first.startswith("accepted four-slots: its measurements meet the criteria")
    table = typed(bench.workspace.folder, "committee", "rank", "0001").out
    assert " ".join(below).replace("─", "").split() == table.replace("─", "").split()
    assert "accept it" not in said.getvalue() and "would settle it" not in said.getvalue()
    assert "kv-q8: measured against an older baseline: measure again to decide" in below


async def test_without_an_acceptance_the_table_says_why_it_ended(tmp_path: Path) -> None:
    bench, said = make_bench(tmp_path), io.StringIO()
    with bench.ledger:
        bench.measure("m-000001", speed="SAME")
        ((_, launch), *_) = bench.ledger.of(Launch, run="m-000001")
        seen = check_quiet(Quiet(), START, reading(110.0, 82.3, 20.0), frozenset())
        quiet_gate = {"launch": launch.launch, "run": "m-000001", "gate": seen.gate, "passed": True, "reason": None}
        bench.ledger.append(Gate.model_validate({**quiet_gate, "evidence": seen.evidence}))
        verdicts = tuple(entry.id for entry, _ in bench.ledger.of(Verdict))
        result = RunResult("r", measuring_run="m-000001", verdicts=verdicts)
        ended = await decided(bench.workspace, "0001", result, Console(file=said, width=200))
    assert ended.sentence.startswith("no arm met the criteria this time") and "SAME" in said.getvalue()
    assert "other programs used up to 56 % of the cores" in ended.sentence


def test_its_first_estimate_is_not_far_above_what_it_takes(tmp_path: Path) -> None:
    """Five arms in four blocks took 7.0 to 7.8 minutes in ten runs on two cores, one of them refused at its start."""
    place = init(tmp_path / "ws", example=True)
    target, _ = place.target("local-llamacpp")
    planned_min = downtime_s(target.planned, load(place.proposal_folder(EXAMPLE)).criteria, 5) / 60
    assert 7.4 <= planned_min <= 1.15 * 7.4


def test_what_it_runs_can_be_planned_without_a_server(tmp_path: Path) -> None:
    ws = tmp_path / "ws"
    assert typed(tmp_path, "committee", "init", str(ws), "--example").code == 0
    checked = typed(ws, "committee", "check", EXAMPLE)
    assert checked.code == 0 and "may be submitted" in checked.out
    said = typed(ws, "committee", "review", EXAMPLE, "--dry-run")
    assert said.code == 0 and said.err == ""
    assert said.out.count("--- to ") == 4
