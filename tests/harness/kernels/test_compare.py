"""From blocks of times to verdicts: the statistics of the server bench, on calls a second."""

from dataclasses import replace

import numpy as np
import pytest

from harness.kernels.bench.plan import Plan
from harness.kernels.bench.results import Number, Report, SlotResult
from harness.kernels.compare import Row, compare
from harness.vocabulary.outcome import Speed
from tests.harness.kernels.bench.test_results import REPORT
from tests.harness.kernels.tasks import SAXPY, planned

PLAN: Plan = planned(SAXPY)
SPREAD = 0.01


def report_of(times_us: dict[tuple[str, str], float], blocks: int = 6, seed: int = 5) -> Report:
    """Blocks with a spread of 1 %, of the mean times of (role, arm)."""
    rng = np.random.default_rng(seed)
    slots = []
    for block in range(blocks):
        for position, ((role, arm), mean) in enumerate(times_us.items()):
            taken = 1000 * mean * float(np.exp(rng.normal(0, SPREAD)))
            number = Number("cached", "warm", taken, taken, taken, 100)
            slots.append(SlotResult(block, position, role, arm, [number]))
    return replace(REPORT, task="saxpy_c", slots=slots)


def row_of(report: Report, arm: str) -> Row:
    """The one row of an arm."""
    (row,) = [row for row in compare(report, PLAN) if row.arm == arm]
    return row


BOTH = {("baseline", "plain"): 10.0, ("placebo", "plain"): 10.0}


def test_an_arm_that_takes_half_the_time_is_faster_by_a_hundred_percent() -> None:
    row = row_of(report_of({**BOTH, ("arm", "vectors"): 5.0}), "vectors")
    assert row.answer is not None
    assert row.answer.speed is Speed.FASTER
    assert row.answer.interval.estimate_pct == pytest.approx(100, abs=3)
    assert row.answer.interval.low_pct > 90
    assert row.answer.interval.level == 0.01
    assert row.time_us == pytest.approx(5, rel=0.02)
    assert row.bytes_s == pytest.approx(4 * (3 * 8 * 4096 + 8) / 5e-6, rel=0.02)


def test_an_arm_that_takes_longer_is_slower_and_one_alike_is_the_same() -> None:
    slower = row_of(report_of({**BOTH, ("arm", "vectors"): 13.0}), "vectors").answer
    same = row_of(report_of({**BOTH, ("arm", "vectors"): 10.0}), "vectors").answer
    assert slower is not None
    assert slower.speed is Speed.SLOWER
    assert same is not None
    assert same.speed is Speed.SAME


def test_a_placebo_that_differs_voids_the_comparison() -> None:
    drifted = {("baseline", "plain"): 10.0, ("placebo", "plain"): 11.0, ("arm", "vectors"): 5.0}
    row = row_of(report_of(drifted), "vectors")
    assert row.answer is None
    assert row.reason == "placebo_differs"


def test_an_arm_without_a_number_in_some_block_has_no_verdict() -> None:
    report = report_of({**BOTH, ("arm", "vectors"): 5.0})
    slots = [slot for slot in report.slots if not (slot.block == 2 and slot.arm == "vectors")]
    row = row_of(replace(report, slots=slots), "vectors")
    assert row.answer is None
    assert row.reason == "missing_blocks"


def test_one_block_is_no_comparison() -> None:
    row = row_of(report_of({**BOTH, ("arm", "vectors"): 5.0}, blocks=1), "vectors")
    assert row.answer is None


def test_rows_come_by_time_and_the_baseline_is_among_them() -> None:
    rows = compare(report_of({**BOTH, ("arm", "vectors"): 5.0}), PLAN)
    assert [row.arm for row in rows] == ["vectors", "plain"]
    assert rows[1].answer is None
    assert rows[1].reason == ""
