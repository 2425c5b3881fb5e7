"""The smallest visible effect in server hours, held against simulated figures of the verdicts' decision record."""

import pytest

from harness.analyses.answer import Answer, NoNumber
from harness.analyses.effect import Effect, analyse


@pytest.mark.parametrize(("spread", "blocks"), [(1.0, 6), (4.7, 53), (8.0, 146)])
def test_blocks_for_three_percent(spread: float, blocks: int) -> None:
    answer = analyse(Effect(launch_sd_pct=spread, blocks=4, launch_minutes=10, wanted_effect_pct=3))
    assert isinstance(answer, Answer)
    assert answer.value("blocks for the wanted effect") == pytest.approx(blocks, rel=0.06, abs=1)


def test_hours_count_both_controls() -> None:
    answer = analyse(Effect(launch_sd_pct=4.7, blocks=10, arms=2, launch_minutes=15))
    assert isinstance(answer, Answer)
    assert answer.value("server hours of the plan") == 10 * 4 * 15 / 60


def test_an_effect_that_no_number_of_blocks_sees_is_said() -> None:
    answer = analyse(Effect(launch_sd_pct=90, blocks=10, launch_minutes=10, wanted_effect_pct=0.1))
    assert isinstance(answer, Answer)
    assert any("no number of blocks" in said for said in answer.cautions)


def test_an_effect_that_no_run_may_have_the_blocks_for_is_said() -> None:
    for wanted, beyond in ((3.0, False), (1.0, True)):
        answer = analyse(Effect(launch_sd_pct=8, blocks=4, launch_minutes=10, wanted_effect_pct=wanted))
        assert isinstance(answer, Answer) and (answer.value("blocks for the wanted effect") > 200) is beyond
        assert any("at most 200 blocks" in said for said in answer.cautions) is beyond


def test_a_spread_of_zero_is_no_measurement() -> None:
    assert isinstance(analyse(Effect(launch_sd_pct=0, blocks=10, launch_minutes=10)), NoNumber)
