"""From what calls left behind to one reason: which memory, or which omission, is behind a wrong output."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.kernels.bench.arena import POISONS
from harness.kernels.bench.drawing import Drawn
from harness.kernels.bench.layout import Layout, lay_out
from harness.kernels.bench.plan import Plan
from harness.kernels.bench.proving import AGAIN, HIDDEN, OTHER_PLACE, SAME_PLACE, Proof, Seen, first_fault, judge
from harness.kernels.bench.reasons import Reason
from tests.harness.kernels.tasks import SAXPY, planned

FIRST_CALL = "first call"
ORDER = (FIRST_CALL, SAME_PLACE, OTHER_PLACE, HIDDEN, AGAIN)
PLAN: Plan = planned(SAXPY)
LAYOUT: Layout = lay_out(PLAN.parameters, PLAN.shape("odd"), PLAN.arm("plain"), 2)
RNG = np.random.default_rng(3)
FIRST, SECOND = (RNG.standard_normal((3, 1001)) for _ in range(2))
ALTERED = FIRST.copy()
ALTERED[1, 500] = 40.0
EXPECTED = {FIRST_CALL: FIRST, SAME_PLACE: SECOND, OTHER_PLACE: FIRST, HIDDEN: ALTERED, AGAIN: FIRST}
BLANK = None
Output = NDArray[np.float64] | None


def proof_of(changed: Mapping[str, Output]) -> Proof:
    """What is said of calls that are right but for those in `changed`."""
    seen = []
    for number, label in enumerate(ORDER):
        poison = POISONS[number % 2]
        output = changed.get(label, EXPECTED[label])
        given = np.full(3003 * 4, poison, np.uint8) if output is None else _bytes(output)
        seen.append(Seen(label, Drawn({}, {"out": EXPECTED[label].astype(np.float64)}), {"out": given}, poison))
    return judge(PLAN, LAYOUT, seen)


def _bytes(output: NDArray[np.float64]) -> NDArray[np.uint8]:
    return output.astype(np.float32).reshape(-1).view(np.uint8)


def with_value(index: tuple[int, ...] | slice, value: float, of: NDArray[np.float64] = FIRST) -> NDArray[np.float64]:
    """A copy with some elements set."""
    copy = of.copy()
    copy[index] = value
    return copy


def test_right_calls_are_right_and_the_same_twice() -> None:
    proof = proof_of({})
    assert proof.reason is None
    assert proof.deterministic is True
    assert proof.detail.startswith("out[")


def test_another_rounding_the_second_time_is_stated_and_no_fault() -> None:
    proof = proof_of({AGAIN: FIRST * (1 + 6e-8)})
    assert proof.reason is None
    assert proof.deterministic is False


CASES: list[tuple[dict[str, Output], Reason, str]] = [
    ({FIRST_CALL: BLANK}, Reason.NO_OP, "'out' was not written to"),
    ({FIRST_CALL: with_value((0, 0), np.nan)}, Reason.NOT_FINITE, "out[0, 0] is nan"),
    ({FIRST_CALL: with_value((2, 7), np.inf)}, Reason.NOT_FINITE, "out[2, 7] is inf"),
    ({FIRST_CALL: with_value((2, 1000), 9.0)}, Reason.WRONG_VALUES, "out[2, 1000] is 9"),
    (dict.fromkeys(ORDER[1:], BLANK), Reason.STALE, "in its first call and in none after that"),
    ({SAME_PLACE: FIRST, HIDDEN: FIRST}, Reason.MEMO_POINTER, "at other addresses it is right"),
    ({SAME_PLACE: BLANK}, Reason.MEMO_POINTER, "at other addresses it is right"),
    ({HIDDEN: FIRST}, Reason.MEMO_CONTENTS, "gave the output from before"),
    ({AGAIN: SECOND}, Reason.WRONG_VALUES, "right in the first call, not in a later one (again)"),
    ({HIDDEN: with_value((0, 0), 77.0, ALTERED)}, Reason.WRONG_VALUES, "(one hidden element)"),
]


@pytest.mark.parametrize(("changed", "reason", "said"), CASES)
def test_each_way_to_be_wrong_has_its_reason(changed: dict[str, Output], reason: Reason, said: str) -> None:
    proof = proof_of(changed)
    assert proof.reason is reason
    assert said in proof.detail


def test_what_is_left_as_it_was_is_counted() -> None:
    half = FIRST.astype(np.float32)
    half[2] = np.frombuffer(bytes([POISONS[0]] * 4), np.float32)[0]
    proof = proof_of({FIRST_CALL: half.astype(np.float64)})
    assert proof.reason is Reason.INCOMPLETE
    assert proof.detail == "1001 of 3003 elements of 'out' were not written to"


def test_a_byte_that_may_hold_the_poison_by_right_is_told_from_one_left_as_it_was() -> None:
    field = replace(LAYOUT.outputs[0], dtype="uint8", extent=(300,))
    layout = replace(LAYOUT, fields=(field,))
    right = np.arange(300).astype(np.uint8)  # holds the poison's value once by right, and a second time beyond 255
    half = right.copy()
    half[:150] = POISONS[0]
    rounded = np.where(right == POISONS[0] + 1, POISONS[0], right).astype(np.uint8)  # one unit off is rounding

    def fault(output: NDArray[np.uint8]) -> tuple[Reason, str] | None:
        return first_fault(PLAN, layout, Seen("first call", Drawn({}, {"out": right}), {"out": output}, POISONS[0]))

    assert fault(right) is None
    assert (fault(rounded) or (None,))[0] is not Reason.INCOMPLETE
    assert fault(half) == (Reason.INCOMPLETE, "150 of 300 elements of 'out' were not written to")
