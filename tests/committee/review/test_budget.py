"""What is booked for a call: the server's own count, nothing where no model worked, else the worst case."""

import pytest

from committee.review.budget import cost, fits, worst_case
from committee.review.completion import BodyFacts
from committee.review.received import Received
from committee.vocabulary.config import Reviewer
from committee.vocabulary.exclusion import Reason

REVIEWER = Reviewer(
    name="glm",
    kind="openai",
    base_url="https://api.example.org/v1",
    model="m",
    max_tokens=1000,
    price_in_per_mtok=2,
    price_out_per_mtok=10,
)
PROMPT_BYTES = 4000
WORST = (2000 * 2 + 1000 * 10) / 1e6


def test_the_worst_case_has_every_token() -> None:
    assert worst_case(REVIEWER, PROMPT_BYTES) == pytest.approx(WORST)


def test_the_servers_own_count_is_the_price() -> None:
    facts = BodyFacts(prompt_tokens=900, completion_tokens=100)
    assert cost(REVIEWER, Received("openai", b""), facts, PROMPT_BYTES) == pytest.approx(0.0028)


@pytest.mark.parametrize("reason", [Reason.SERVER_ERROR, Reason.CONNECTION_FAILED, Reason.TIMED_OUT, Reason.BAD_EXIT])
def test_an_unknown_outcome_is_booked_at_its_worst(reason: Reason) -> None:
    received = Received("openai", b"", reason)
    assert cost(REVIEWER, received, BodyFacts(), PROMPT_BYTES) == pytest.approx(WORST)


@pytest.mark.parametrize("reason", [Reason.RATE_LIMITED, Reason.UNAVAILABLE, Reason.UNAUTHORISED, Reason.BAD_REQUEST])
def test_a_refusal_before_any_work_costs_nothing(reason: Reason) -> None:
    assert cost(REVIEWER, Received("openai", b"", reason), BodyFacts(), PROMPT_BYTES) == 0


def test_what_never_went_out_costs_nothing() -> None:
    received = Received("openai", b"", Reason.CONNECTION_FAILED, sent=0)
    assert cost(REVIEWER, received, BodyFacts(), PROMPT_BYTES) == 0


def test_a_budget_holds_to_the_last_bit_of_money() -> None:
    assert fits([0.25, 0.25], 0.5, 1.0)
    assert not fits([0.25, 0.5], 0.5, 1.0)
