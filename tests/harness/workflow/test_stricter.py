"""What is on record of the accepted baseline, and the sentence for an order that asks for more."""

from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.outcome import GateName
from harness.workflow.stricter import passed_by_baseline, stricter_than_accepted
from ledger.entries import Acceptance, Gate, Launch, MeasuringRun, Payload, RunEnd
from ledger.store import Ledger
from tests.harness.workflow.bench_yard import TARGET, BenchYard

LOG = "WORKER ARMED x/4\nlistening on http://127.0.0.1:1\n"
ARM = "a" * 64


def planned(run: str) -> MeasuringRun:
    return MeasuringRun(
        run=run,
        target="small",
        target_sha256="0" * 64,
        proposal=None,
        tree=None,
        criteria={},
        arms=(ARM,),
        seed=1,
        blocks=1,
        slots=(),
        downtime_s=1,
        harness_version="0",
    )


def launch(ledger: Ledger, run: str, position: int, role: Any, log: str) -> Launch:
    return Launch(
        launch=f"{run}.{position}",
        run=run,
        target="small",
        block=0,
        attempt=1,
        position=position,
        role=role,
        arm=ARM if role == "arm" else None,
        argv=("x",),
        env=(),
        pid=1,
        start_time=1,
        ready_s=1.0,
        log=ledger.put_blob(log.encode(), "text/plain"),
        outcome="ran",
        reason=None,
        detail="",
    )


def gate(run: str, position: int, name: str, passed: bool = True) -> Gate:
    return Gate(
        launch=f"{run}.{position}",
        run=run,
        gate=name,
        passed=passed,
        reason=None if passed else "stranger",
        evidence="seen",
    )


def recorded(ledger: Ledger, run: str, log: str = LOG, *, isolated: bool = True) -> None:
    """A completed run of one baseline, one placebo and one arm, whose log is another one."""
    entries: list[Payload] = [planned(run)]
    for position, role in enumerate(("baseline", "placebo", "arm")):
        entries.append(launch(ledger, run, position, role, log if role == "baseline" else f"{log}arm\n"))
        entries += [gate(run, position, name) for name in ("ready", "armed", "coherent")]
        entries.append(gate(run, position, "isolated", isolated))
    entries.append(RunEnd(run=run, outcome="completed", reason=None, detail="", downtime_s=1))
    ledger.append_all(entries)


def test_where_nothing_is_on_record_nothing_is_stricter(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:
        assert stricter_than_accepted(ledger, yard.order()) is None
        ledger.append(planned("measure-begun-000001"))
        assert passed_by_baseline(ledger, "small") is None, "a run without an end proves nothing"


def test_the_newest_completed_runs_baseline_is_what_was_passed(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:
        recorded(ledger, "measure-old-000001", "nothing")
        recorded(ledger, "measure-new-000001")
        passed = passed_by_baseline(ledger, "small")
        assert passed is not None and (passed.run, passed.log) == ("measure-new-000001", LOG)
        assert passed.gates == {"ready", "armed", "coherent", "isolated"}
        assert stricter_than_accepted(ledger, yard.order()) is None


@pytest.mark.parametrize(
    ("log", "isolated", "words"),
    [("listening", True, "stands 0 times, 1 needed"), (LOG, False, "gate 'isolated' did not hold")],
)
def test_an_order_that_asks_for_more_needs_a_persons_word(tmp_path: Path, log: str, isolated: bool, words: str) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:
        recorded(ledger, "measure-old-000001", log, isolated=isolated)
        said = stricter_than_accepted(ledger, yard.order()) or ""
    assert words in said and "measure-old-000001" in said and said.endswith("or say --stricter")


def test_after_an_acceptance_its_arm_is_the_baseline(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:
        recorded(ledger, "measure-old-000001")
        recorded(ledger, "measure-new-000001", "nothing")
        ledger.append(
            Acceptance(
                proposal="p",
                tree="b" * 40,
                target="small",
                arm=ARM,
                arm_name="fast",
                run="measure-old-000001",
                verdicts=("c" * 64,),
                criteria_sha256="d" * 64,
                person="somebody",
                reason="it is faster",
                supersedes=None,
            )
        )
        passed = passed_by_baseline(ledger, TARGET["name"])
        assert passed is not None and (passed.run, passed.log) == ("measure-old-000001", f"{LOG}arm\n")
        assert GateName.ISOLATED.value in passed.gates
