"""What is booked for a call: the server's own count, nothing where no model worked, else the worst case."""

from typing import Any

import pytest

from committee.review.budget import NOTHING, Allowance, Use, believed, cost, uncounted, used, worst_case, worst_use
from committee.review.completion import BodyFacts
from committee.review.received import Received
from committee.review.spending import spending_line
from committee.vocabulary.config import CommitteeConfig, Reviewer
from committee.vocabulary.exclusion import Reason
from ledger.entries import BlobRef, Response
from tests.committee.review.sitting import FREE

REVIEWER = Reviewer(
    name="glm",
    kind="openai",
    base_url="https://api.example.org/v1",
    model="m",
    max_tokens=1000,
    price_in_per_mtok=2,
    price_out_per_mtok=10,
)
LOCAL = Reviewer(name="small", kind="embedded")
DEAR = REVIEWER.model_copy(update={"name": "dear", "price_out_per_mtok": 50.0})
CONFIG = CommitteeConfig(schema=1, reviewer=(REVIEWER, LOCAL, DEAR))
PROMPT_BYTES = 4000
WORST = (2000 * 2 + 1000 * 10) / 1e6
UNPAID = [Reason.RATE_LIMITED, Reason.UNAVAILABLE, Reason.UNAUTHORISED, Reason.BAD_REQUEST]
UNKNOWN = [Reason.SERVER_ERROR, Reason.CONNECTION_FAILED, Reason.TIMED_OUT, Reason.BAD_EXIT]


def answer(**changes: Any) -> Response:
    raw = BlobRef(sha256="0" * 64, size=0, media_type="text/plain")
    counts = {"prompt_tokens": None, "completion_tokens": None, "finish_reason": None, "served_model": None}
    said = {"attempt": "a", "raw": raw, "elapsed_s": 1.0, "cost": 0.5, "failure": None, "detail": ""}
    return Response.model_validate(said | counts | changes)


def test_the_worst_case_has_every_token() -> None:
    assert worst_case(REVIEWER, PROMPT_BYTES) == pytest.approx(WORST)
    worst = worst_use(CONFIG, "glm", PROMPT_BYTES)
    assert worst.money == pytest.approx(WORST) and worst.tokens == 3000
    assert worst_use(CONFIG, "small", PROMPT_BYTES) == NOTHING, "nobody's tokens"
    assert worst_use(CONFIG, "gone", PROMPT_BYTES) == worst_use(CONFIG, "dear", PROMPT_BYTES), "the dearest in the file"


def test_the_servers_own_count_is_the_price() -> None:
    facts = BodyFacts(prompt_tokens=900, completion_tokens=100)
    assert cost(REVIEWER, Received("openai", b""), facts, PROMPT_BYTES) == pytest.approx(0.0028)
    assert used(answer(prompt_tokens=900, completion_tokens=100), Use(9, 3000)) == Use(0.5, 1000)


@pytest.mark.parametrize(
    ("prompt", "completion", "size", "counts"),
    [
        (0, 0, 20_000, False),
        (900, 0, 1, False),
        (0, 5000, 20_000, False),
        (900, 1249, 20_000, False),  # 16 bytes a token would be 1250
        (900, 1250, 20_000, True),
        (249, 5000, 20_000, False),  # of a prompt of 4000 bytes
        (250, 5000, 20_000, True),
        (900, 0, 0, True),  # an empty answer
        (900, 9000, 0, True),  # hidden thinking
    ],
)
def test_a_count_too_small_to_be_one_is_none(prompt: int, completion: int, size: int, counts: bool) -> None:
    said = BodyFacts(prompt_tokens=prompt, completion_tokens=completion, answer_bytes=size)
    told = believed(said, PROMPT_BYTES)
    assert told == (said if counts else BodyFacts(answer_bytes=size))
    if not counts:
        assert cost(REVIEWER, Received("openai", b""), said, PROMPT_BYTES) == pytest.approx(WORST)


@pytest.mark.parametrize("reason", UNKNOWN)
def test_an_unknown_outcome_is_booked_at_its_worst(reason: Reason) -> None:
    received = Received("openai", b"", reason)
    assert cost(REVIEWER, received, BodyFacts(), PROMPT_BYTES) == pytest.approx(WORST)
    assert used(answer(failure=reason.value), Use(9, 3000)).tokens == 3000


@pytest.mark.parametrize("reason", UNPAID)
def test_a_refusal_before_any_work_costs_nothing(reason: Reason) -> None:
    assert cost(REVIEWER, Received("openai", b"", reason), BodyFacts(), PROMPT_BYTES) == 0
    assert used(answer(failure=reason.value, cost=0.0), Use(9, 3000)) == NOTHING


def test_what_never_went_out_costs_nothing() -> None:
    received = Received("openai", b"", Reason.CONNECTION_FAILED, sent=0)
    assert cost(REVIEWER, received, BodyFacts(), PROMPT_BYTES) == 0
    assert used(answer(failure="connection_failed", sent=0, cost=0.0), Use(9, 3000)) == NOTHING


def test_what_has_no_price_is_unknown_and_not_free() -> None:
    table = REVIEWER.model_dump(exclude={"price_in_per_mtok", "price_out_per_mtok"})
    unpriced, free = Reviewer(**table | {"name": "mine"}), Reviewer(**table | FREE)
    facts = BodyFacts(prompt_tokens=900, completion_tokens=100)
    told, refused = Received("openai", b""), Received("openai", b"", Reason.UNAUTHORISED)
    assert (cost(unpriced, told, facts, 1), cost(unpriced, told, BodyFacts(), 1)) == (None, None)
    assert (cost(unpriced, refused, BodyFacts(), 1), cost(free, told, facts, 1), cost(LOCAL, told, facts, 1)) == (
        0,
        0,
        0,
    )
    config = CommitteeConfig(schema=1, reviewer=(REVIEWER, LOCAL, unpriced))
    assert worst_use(config, "mine", PROMPT_BYTES) == Use(0, 3000, unpriced=1)
    spent = used(answer(prompt_tokens=900, completion_tokens=100, cost=0.0, unpriced=True), Use(0, 3000, unpriced=1))
    assert spending_line(Allowance("the proposal's", 1.0), spent) == (
        "the proposal's budget: 0 of 1 used, 1000 tokens; the cost of 1 calls without a price is unknown and not in it"
    )
    own, whole = Allowance("the proposal's", 0.0), Allowance("the workspace's", 20.0)
    assert uncounted(config.reviewer, (own, whole)) == (
        "reviewer mine without a price: what a call costs is unknown and the proposal's budget of 0 and the "
        "workspace's budget of 20 cannot count it, so nobody is asked; give price_in_per_mtok and "
        "price_out_per_mtok in committee.toml, both 0 where its tokens cost nothing, as on a server of your own"
    )
    assert uncounted(CONFIG.reviewer, (own, whole)) == uncounted([free], [own]) == ""
    assert uncounted(config.reviewer, [Allowance("the workspace's", None, 900)]) == "", "no limit in money"


@pytest.mark.parametrize(
    ("allowance", "spent", "more", "said"),
    [
        (Allowance("the proposal's", 1.0), Use(0.5, 0), Use(0.5, 9e9), ""),
        (
            Allowance("the proposal's", 1.0),
            Use(0.75, 0),
            Use(0.5, 0),
            "the call could cost more than what is left of the proposal's budget of 1",
        ),
        (Allowance("the workspace's", None, 900), Use(9e9, 300), Use(9e9, 600), ""),
        (
            Allowance("the workspace's", None, 900),
            Use(0, 300),
            Use(0, 601),
            "the call could use more than what is left of the workspace's budget of 900 tokens",
        ),
        (Allowance("the workspace's"), Use(9e9, 9e9), Use(9e9, 9e9), ""),
        (Allowance("the proposal's", 0.3), Use(0.1, 0) + Use(0.1, 0), Use(0.1, 0), ""),  # 0.30000000000000004
    ],
)
def test_a_budget_holds_to_the_last_bit(allowance: Allowance, spent: Use, more: Use, said: str) -> None:
    assert allowance.refusal(spent, more) == said
