"""`harness measure` with looks on a simulated server is killed and gone on with: what a look said stands, once."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from harness.verdicts.cells import Evidence
from harness.verdicts.course import Course, course
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Reason
from harness.workflow.admitted import arms_of
from harness.workflow.plan import gates_of
from ledger.entries import Launch, MeasuringRun, RunEnd, Trial, Verdict
from tests.harness.workflow.kill_yard import PROJECT, RUN, KillYard, concluded, kill_yard, told, until

QUICK = '"--time-scale", "0.005", "--start-s", "20", "--launch-sd-pct", "3", "--seed", "7"'
SIMULATED = (
    (PROJECT / "targets" / "simulated-tp4.toml")
    .read_text(encoding="utf-8")
    .replace('"--time-scale", "0.05", "--launch-sd-pct", "1"', QUICK)
    .replace("[allowed_env]", 'fault = { type = "choice", values = ["cheat-streamed"] }\n\n[allowed_env]')
    .replace("start_s = 2", "start_s = 1")
)
LADDER: dict[str, Any] = {"steps": [1, 2, 1], "tokens": 64, "request_timeout_s": 20}
CRITERIA: dict[str, Any] = {
    "schema": 1,
    "level": 0.05,
    "gates": ["ready", "armed", "isolated", "coherent"],
    "ladder": LADDER,
    "primary": {"metric": "total_tok_s", "load": 2, "smallest_effect_pct": 1},
    "numerics": {"policy": "identical"},
}
LOOKS: dict[str, Any] = CRITERIA | {"blocks": 4, "looks": {"count": 2, "planned_effect_pct": 8}}
TILE: dict[str, Any] = {
    "schema": 1,
    "name": "tile",
    "env": {"V100_TILE": "128"},
    "witness": [{"source": "log", "pattern": "TILE128_READY rank=3"}],
}
CHEAT: dict[str, Any] = {
    "schema": 1,
    "name": "cheat",
    "flags": {"fault": "cheat-streamed"},
    "witness": [{"source": "log", "pattern": "startup complete"}],
}
LIMIT_S = 600  # where a hang ends; what a busy machine needs says nothing about the product


def course_of(yard: KillYard) -> Course:
    """How far the run has come, by its record alone."""
    with yard.ledger() as ledger:
        ((_, plan),) = ledger.of(MeasuringRun, run=RUN)
        evidence = Evidence(
            [launch for _, launch in ledger.of(Launch, run=RUN)],
            gates_of(ledger, RUN),
            [(entry.id, trial) for entry, trial in ledger.of(Trial, run=RUN)],
        )
        return course(plan, Criteria.model_validate(plan.criteria), arms_of(ledger, plan), evidence)


def plan_of(yard: KillYard) -> MeasuringRun:
    """The one plan of the run."""
    with yard.ledger() as ledger:
        ((_, plan),) = ledger.of(MeasuringRun, run=RUN)
        return plan


def whole(yard: KillYard) -> set[str]:
    """Launches of finished blocks, by their ids."""
    before = course_of(yard).next_block
    with yard.ledger() as ledger:
        return {launch.launch for _, launch in ledger.of(Launch, run=RUN) if before is None or launch.block < before}


@pytest.mark.system
async def test_looks_that_were_taken_stand_after_a_kill_and_none_is_taken_twice(tmp_path: Path) -> None:
    async with asyncio.timeout(LIMIT_S), kill_yard(tmp_path, SIMULATED, "simulated-tp4") as yard:
        order = yard.write_order(TILE, LOOKS)
        async with yard.measuring(order) as harness:
            await until(told(yard, "launch_done", 4), "the second block is under way")
            harness.kill()
        await yard.until_back()
        planned, stood = plan_of(yard), whole(yard)
        assert len(stood) == 3 and course_of(yard).notes == []
        async with yard.measuring(order) as harness:
            await until(told(yard, "look", 1), "the first look is taken")
            harness.kill()
        await yard.until_back()
        taken, stood = course_of(yard).notes, whole(yard)
        assert [note.split(":")[0] for note in taken] == ["look 1 of 2 after 2 blocks"] and len(stood) >= 6
        async with yard.measuring(order) as harness:
            said = await yard.ended(harness, LIMIT_S)
        assert concluded(said), said
        await yard.until_back()
        looks = [event for event in yard.events() if event.startswith("look ")]
        assert looks[0] == f"look stands from before: {taken[0]}" and taken[0] not in [event[5:] for event in looks]
        assert plan_of(yard) == planned and stood <= whole(yard)
        with yard.ledger() as ledger:
            ((_, end),) = ledger.of(RunEnd, run=RUN)
        assert list(end.notes)[: len(taken)] == taken
        assert sum(note.startswith("look 1 of 2") for note in end.notes) == 1
        yard.assert_ledger_verifies()


@pytest.mark.system
async def test_a_cheat_that_no_gate_sees_voids_the_run_as_a_planted_control(tmp_path: Path) -> None:
    async with asyncio.timeout(LIMIT_S), kill_yard(tmp_path, SIMULATED, "simulated-tp4") as yard:
        planted = CRITERIA | {"blocks": 2, "controls": [{"arm": "cheat", "kind": "cheat"}]}
        order = yard.write_order(TILE, planted)
        value = json.loads(order.read_text())
        value["arms"].append({"arm": CHEAT})
        order.write_text(json.dumps(value))
        async with yard.measuring(order) as harness:
            said = await yard.ended(harness, LIMIT_S)
        assert said.code != 0 and "no verdict of this run is believed" in said.words, said
        with yard.ledger() as ledger:
            ((_, end),) = ledger.of(RunEnd, run=RUN)
            verdicts = [verdict for _, verdict in ledger.of(Verdict, run=RUN)]
        assert (end.outcome, end.reason) == ("void", Reason.CONTROL_WRONG)
        assert {verdict.validity for verdict in verdicts} == {"INVALID"}
        await yard.until_back()
