"""The simulated engine's times are the seeds' figures."""

from itertools import pairwise

import pytest

from harness.simulator.pace import Drafting, Pace, linear, power

PACE = Pace()


@pytest.mark.parametrize(("users", "total_tok_s"), [(1, 68.1), (2, 112.8), (4, 191.6), (8, 260.0)])
def test_rates_while_all_stream(users: int, total_tok_s: float) -> None:
    assert users / PACE.step_s(users) == pytest.approx(total_tok_s)


def test_between_and_beyond_the_knots_steps_grow_steadily() -> None:
    steps = [PACE.step_s(users) for users in range(1, 33)]
    assert all(after > before for before, after in pairwise(steps))
    assert PACE.step_s(16) == pytest.approx(0.05055, abs=1e-4)


@pytest.mark.parametrize(
    ("tokens", "budget", "seconds", "within"),
    [
        (131_072, 131_072, 132.5, 0.001),
        (131_072, 65_536, 500.2, 0.001),
        (65_536, 131_072, 56.6, 0.001),
        (65_536, 65_536, 56.6, 0.001),  # never cut, so the budget moves nothing
        (98_304, 131_072, 64.6, 0.001),
        (105_856, 16_384, 412.4, 0.05),
        (21_600, 65_536, 15.4, 0.001),
        (21_600, 16_384, 19.8, 0.02),
    ],
)
def test_cold_prefill(tokens: int, budget: int, seconds: float, within: float) -> None:
    assert PACE.cold_prefill_s(tokens, budget) == pytest.approx(seconds, rel=within)


def test_warm_prefill_grows_by_the_three_exponents() -> None:
    lengths = (24_704, 49_408, 74_112, 105_856)
    seconds = [PACE.warm_prefill_s(length) for length in lengths]
    assert seconds == pytest.approx([1.82, 6.0, 12.8, 31.53], rel=0.002)
    assert PACE.warm_prefill_s(131_072) == pytest.approx(53, rel=0.03)  # the page's own extrapolation


def test_pieces_of_a_cut_prompt_add_up_and_the_last_takes_longest() -> None:
    pieces = PACE.pieces_s(131_072, 0, 65_536)
    assert sum(pieces) == pytest.approx(500.2, rel=0.001) and pieces[1] == pytest.approx(3 * pieces[0])
    assert len(PACE.pieces_s(131_072, 98_304, 65_536)) == 1  # what is cached is not cut


def test_a_partly_cached_prompt_lies_between() -> None:
    assert PACE.warm_prefill_s(105_856) < PACE.prefill_s(105_856, 74_112, 16_384) < PACE.cold_prefill_s(105_856, 16_384)


def test_drafting_pays_for_one_user_only() -> None:
    drafting = Drafting(1, 0.52, 0.29)
    assert drafting.tokens_a_step / drafting.slowdown(1) == pytest.approx(1.18, abs=0.005)
    costly = Drafting(1, 0.52, 1.6)
    assert costly.tokens_a_step / costly.slowdown(1) == pytest.approx(0.58, abs=0.01)
    assert costly.tokens_a_step / costly.slowdown(4) == pytest.approx(0.32, abs=0.015)
    assert Drafting(3, 1.0, 0.1).tokens_a_step == 4


@pytest.mark.parametrize(("cards", "milliseconds"), [(4, 14.671), (2, 20.137), (1, 30.441)])
def test_cards(cards: int, milliseconds: float) -> None:
    assert Pace(tensor_parallel=cards).step_s(1) * 1000 == pytest.approx(milliseconds, rel=0.01)


def test_speed_and_cost_multiply() -> None:
    assert Pace(speed=2.0).step_s(1) == pytest.approx(PACE.step_s(1) / 2)
    assert Pace(speed=2.0).cold_prefill_s(65_536, 65_536) == pytest.approx(28.3)
    assert Pace(prefill_cost=2.0).cold_prefill_s(65_536, 65_536) == pytest.approx(113.2)
    assert PACE.cold_prefill_s(40, 8192) == PACE.warm_prefill_s(40) == 0.53


def test_interpolation_at_its_ends() -> None:
    assert linear([(1, 5.0)], 9) == 5.0 and power([(10, 5.0)], 20) == 10.0
    assert power([(10, 5.0), (20, 20.0)], 0) == 0.0 and power([(10, 5.0), (20, 20.0)], 5) == 2.5
    assert power([(10, 5.0), (20, 20.0)], 40) == pytest.approx(80)
