"""Which launches count; no number beside a gate that did not hold."""

from hypothesis import given
from hypothesis import strategies as st

from harness.verdicts.cells import HARMLESS, PROOFS, last_attempts, layout
from harness.vocabulary.outcome import Reason
from tests.harness.verdicts.records import record

VALUES = {"baseline": [1.0, 2.0, 3.0, 4.0], "placebo": [1.0, 2.0, 3.0, 4.0], "x": [1.0, 2.0, 3.0, 4.0]}


@given(
    gate=st.sampled_from(sorted(PROOFS)),
    reason=st.sampled_from([reason for reason in Reason if reason not in HARMLESS]),
    name=st.sampled_from(sorted(VALUES)),
    block=st.integers(0, 3),
)
def test_there_is_never_a_number_beside_a_gate_that_did_not_hold(
    gate: str, reason: Reason, name: str, block: int
) -> None:
    made = record(VALUES).with_gate(name, block, gate, False, reason)
    cells = layout(made.run, made.criteria, made.evidence).cells
    struck = [cell for cell in cells if cell.failures]
    assert len(struck) == 1 and struck[0].launch.launch.endswith(name) and struck[0].launch.block == block
    assert all(bool(cell.numbers) == (not cell.failures) for cell in cells)


def test_a_block_is_complete_when_both_controls_have_the_number() -> None:
    made = record(VALUES).without_number("placebo", 1, Reason.DIED).without_number("x", 2, Reason.DIED)
    whole = layout(made.run, made.criteria, made.evidence)
    assert whole.complete(("total_tok_s", 4)) == (0, 2, 3)
    assert whole.complete(("total_tok_s", 1)) == ()
    assert whole.cut_short() == ()


def test_last_attempts_are_in_order_and_leave_broken_ones_out() -> None:
    launches = record(VALUES).launches
    again = [one.model_copy(update={"attempt": 3}) for one in launches if one.block == 2]
    kept = last_attempts([*again, *reversed(launches)])
    assert [(one.block, one.position, one.attempt) for one in kept] == [
        (block, position, 3 if block == 2 else 1) for block in range(4) for position in range(3)
    ]
