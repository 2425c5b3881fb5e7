"""Three launches that end alike stop a plan, and a machine that is not quiet breaks a block; on real processes."""

from pathlib import Path

from harness.vocabulary.outcome import Reason
from harness.workflow.measure import NotMeasured
from tests.harness.workflow.bench_yard import REFUSED, BenchYard, launches


async def test_an_arm_that_is_refused_three_times_stops_a_plan_in_which_nothing_else_is_left(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:
        outcome = await yard.measurement(yard.order(REFUSED, blocks=5), ledger, []).run()
        assert isinstance(outcome, NotMeasured) and outcome.reason is Reason.THREE_ALIKE
        assert outcome.sentence.startswith("3 launches ended in unsupported_partition (refused): ")
        assert {block for block, _, _ in launches(ledger)} == {0, 1, 2}, "the other blocks were not begun"
