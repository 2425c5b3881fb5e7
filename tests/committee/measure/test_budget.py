"""A proposal's server budget holds for all its runs together; a run that began under it goes on."""

from pathlib import Path

import pytest

from committee.measure.budget import ask_budget, used_min
from harness.vocabulary.base import BadFileError
from harness.workflow.order import Order
from harness.workflow.plan import commit_plan, expected_downtime_s
from ledger.entries import Launch, RunEnd
from ledger.store import Ledger
from ledger.withhold import Wanted, withhold
from tests.harness.workflow.bench_yard import BenchYard


def order(folder: Path, number: int, proposal: str = "0001-x") -> Order:
    made = BenchYard(folder).order(run=f"measure-test-{number:06}")
    return made.model_copy(update={"proposal": proposal, "tree": "a" * 40})


def run_end(number: int, downtime_s: float) -> RunEnd:
    return RunEnd(run=f"measure-test-{number:06}", outcome="completed", reason=None, detail="d", downtime_s=downtime_s)


def launched(ledger: Ledger, made: Order, count: int) -> None:
    for position in range(count):
        ledger.append(
            Launch(
                launch=f"{made.run}.{position}", run=made.run, target="small", block=0, attempt=1, position=position,
                role="baseline", arm=None, argv=("x",), env=(), pid=None, start_time=None, ready_s=None, log=None,
                outcome="ran", reason=None, detail="",
            )
        )  # fmt: skip


def test_the_expected_downtime_must_fit(tmp_path: Path) -> None:
    made = order(tmp_path, 1)
    minutes = expected_downtime_s(made) / 60
    assert minutes == pytest.approx((6 * (0.3 + (2 + 2**0.67) * 24 / 300 + 1) + 0.3) / 60)
    with BenchYard(tmp_path).ledger() as ledger:
        ask_budget(ledger, made, minutes)
        with pytest.raises(
            BadFileError, match=r"away for about 0\.2 minutes and 0\.0 are used, but .* is 0\.1; measure"
        ):
            ask_budget(ledger, made, 0.1)
        with pytest.raises(BadFileError, match="'0001-x' is 0;"):
            ask_budget(ledger, made, 0)


def test_what_earlier_runs_took_is_used_up(tmp_path: Path) -> None:
    with BenchYard(tmp_path).ledger() as ledger:
        commit_plan(ledger, order(tmp_path, 1))
        ledger.append(run_end(1, 120))
        commit_plan(ledger, order(tmp_path, 2, "0002-y"))
        ledger.append(run_end(2, 6000))
        ask_budget(ledger, order(tmp_path, 3), 2.5)
        with pytest.raises(BadFileError, match=r"about 0\.2 minutes and 2\.0 are used, but .* is 2;"):
            ask_budget(ledger, order(tmp_path, 3), 2)


def test_a_run_without_an_end_counts_by_its_launches(tmp_path: Path) -> None:
    made = order(tmp_path, 1)
    with BenchYard(tmp_path).ledger() as ledger:
        plan = commit_plan(ledger, made)
        launched(ledger, made, 3)
        half = plan.downtime_s / 60 / 2
        ask_budget(ledger, order(tmp_path, 2), 3.01 * half)
        with pytest.raises(BadFileError, match="are used"):
            ask_budget(ledger, order(tmp_path, 2), 2.99 * half)


def test_a_withheld_launch_took_its_time_all_the_same(tmp_path: Path) -> None:
    made = order(tmp_path, 1)
    with BenchYard(tmp_path).ledger() as ledger:
        commit_plan(ledger, made)
        launched(ledger, made, 3)
        before = used_min(ledger, "0001-x")
        withhold(ledger, Wanted((ledger.of(Launch)[1][0].id,)), reason="a key in its arguments", person="Ada")
        assert len(ledger.of(Launch)) == 2 and before > 0
        assert used_min(ledger, "0001-x") == pytest.approx(before)


def test_a_run_that_began_goes_on(tmp_path: Path) -> None:
    made = order(tmp_path, 1)
    with BenchYard(tmp_path).ledger() as ledger:
        commit_plan(ledger, made)
        ask_budget(ledger, made, 0)
