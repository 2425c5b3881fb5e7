"""Speculative decoding on paper, held against the figures of a real campaign (lesson M9)."""

import pytest
from pydantic import ValidationError

from harness.analyses.answer import Answer, NoNumber
from harness.analyses.speculation import Counters, Speculation, acceptance_of, analyse, speed_up, tokens_a_step


def answered(**inputs: object) -> Answer:
    answer = analyse(Speculation.model_validate(inputs))
    assert isinstance(answer, Answer)
    return answer


def test_the_campaigns_decision_on_paper() -> None:
    answer = answered(draft_tokens=1, acceptance=0.52, draft_cost=0.29, baseline_tok_s=68.9)
    assert round(answer.value("speed-up"), 2) == 1.18
    assert round(answer.value("rate")) == 81
    assert answer.value("break-even acceptance") == pytest.approx(0.29)


@pytest.mark.parametrize(
    ("rate", "acceptance", "cost"),
    [(39.62, 0.493, 1.595), (38.49, 0.449, 1.593)],
)
def test_a_measured_rate_gives_the_cost_that_the_campaign_found(rate: float, acceptance: float, cost: float) -> None:
    answer = answered(draft_tokens=1, acceptance=acceptance, measured_tok_s=rate, baseline_tok_s=68.88)
    assert answer.value("draft cost") == pytest.approx(cost, abs=0.003)  # rates and acceptances are rounded


def test_counters_over_steps_and_the_wrong_denominator_said() -> None:
    counters = {"generated_tokens": 200, "accepted": 83, "drafted": 115}
    answer = answered(draft_tokens=1, counters=counters, draft_cost=0.298)
    assert round(answer.value("acceptance"), 3) == 0.722
    assert round(answer.value("drafted a step"), 2) == 0.98
    assert any("over generated tokens is 0.575" in said for said in answer.cautions)


def test_a_filter_that_thins_the_drafts_is_said() -> None:
    counters = {"generated_tokens": 200, "accepted": 60, "drafted": 70}
    answer = answered(draft_tokens=1, counters=counters, draft_cost=0.3)
    assert any("a filter was active" in said for said in answer.cautions)


def test_the_mean_over_a_longer_draft_is_turned_into_the_chance_of_each_token() -> None:
    chance, length = 0.6, 4
    accepted = round(1_000_000 * (tokens_a_step(chance, length) - 1))
    found = acceptance_of(Counters(generated_tokens=0, accepted=accepted, drafted=4_000_000), length)
    assert found == pytest.approx(chance, abs=1e-5)


def test_acceptance_of_the_papers_range_pays_and_a_dear_draft_never_does() -> None:
    assert speed_up(0.478, 1, 2.04) == pytest.approx(0.486, abs=0.001)
    assert speed_up(1.0, 4, 0.05) == pytest.approx(5 / 1.2)
    assert answered(draft_tokens=3, acceptance=0.9, draft_cost=0.02).value("best draft length") > 3


def test_a_fixed_cost_a_step_lowers_the_speed_up() -> None:
    assert speed_up(0.5, 1, 0.2, 0.1) == pytest.approx(1.5 / 1.3)


@pytest.mark.parametrize(
    ("counters", "words"),
    [
        ({"generated_tokens": 0, "accepted": 0, "drafted": 0}, "0 steps"),
        ({"generated_tokens": 10, "accepted": 0, "drafted": 0}, "give no acceptance"),
        ({"generated_tokens": 10, "accepted": 5, "drafted": 4}, "give no acceptance"),
        ({"generated_tokens": 10, "accepted": 5, "drafted": 9, "steps": 20}, "20 steps gave out 10 tokens"),
        ({"generated_tokens": 200, "accepted": 83, "drafted": 300}, "300 tokens were drafted in 117 steps"),
    ],
)
def test_counters_that_carry_no_number(counters: dict[str, int], words: str) -> None:
    answer = analyse(Speculation.model_validate({"draft_tokens": 1, "counters": counters, "draft_cost": 0.3}))
    assert isinstance(answer, NoNumber)
    assert words in answer.sentence


def test_a_rate_that_no_cost_explains_is_no_number() -> None:
    answer = analyse(Speculation(draft_tokens=1, acceptance=0.3, measured_tok_s=140, baseline_tok_s=70))
    assert isinstance(answer, NoNumber)
    assert "one session" in answer.sentence


@pytest.mark.parametrize(
    "inputs",
    [
        {"draft_tokens": 1, "draft_cost": 0.3},
        {"draft_tokens": 1, "acceptance": 0.5},
        {"draft_tokens": 1, "acceptance": float("nan"), "draft_cost": 0.3},
        {"draft_tokens": 1, "acceptance": 0.5, "draft_cost": 0.3, "measured_tok_s": 5, "baseline_tok_s": 6},
    ],
)
def test_inputs_that_are_too_few_too_many_or_no_numbers(inputs: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Speculation.model_validate(inputs)


def test_a_fixed_cost_beyond_the_gain_breaks_even_at_no_draft_cost() -> None:
    asked = {"draft_tokens": 1, "acceptance": 0.3, "draft_cost": 0.1, "fixed_cost": 0.5}
    answer = analyse(Speculation.model_validate(asked))
    assert isinstance(answer, Answer)
    assert not any(fact.name == "break-even cost" for fact in answer.facts)


def test_the_formula_is_one_users_and_several_need_their_own_rates() -> None:
    several = {"draft_tokens": 1, "acceptance": 0.523, "users": 4, "baseline_tok_s": 108.80}
    said = analyse(Speculation.model_validate(several | {"draft_cost": 0.29}))
    assert isinstance(said, Answer) and any("the formula is one user's" in one for one in said.cautions)
    measured = analyse(Speculation.model_validate(several | {"measured_tok_s": 34.80}))
    assert isinstance(measured, Answer) and not any("one user's" in one for one in measured.cautions)
    assert round(measured.value("speed-up"), 2) == 0.32


def test_drafts_of_several_users_share_a_step() -> None:
    counters = {"generated_tokens": 400, "accepted": 100, "drafted": 300, "steps": 100}
    rates = {"measured_tok_s": 70, "baseline_tok_s": 100}
    assert answered(draft_tokens=1, counters=counters, users=4, **rates).value("drafted a step") == 3


@pytest.mark.parametrize(
    ("acceptance", "cost", "words"),
    [(0.478, 2.04, "no draft length pays"), (1.0, 0.1, "the longest that is looked at, 32")],
)
def test_a_best_length_that_is_none_is_said(acceptance: float, cost: float, words: str) -> None:
    assert any(words in said for said in answered(draft_tokens=1, acceptance=acceptance, draft_cost=cost).cautions)
