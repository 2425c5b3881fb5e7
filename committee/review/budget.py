"""What calls cost, and whether one more still fits into the proposal's budget. Pure."""

from collections.abc import Iterable

from committee.review.completion import BodyFacts
from committee.review.received import Received
from committee.vocabulary.config import Reviewer
from committee.vocabulary.exclusion import Reason

BYTES_A_TOKEN = 2  # fewer than any tokenizer needs for prose or source, so the worst case is not too small
MTOK = 1_000_000
UNPAID = frozenset(
    {
        Reason.COULD_NOT_START,
        Reason.TLS_FAILED,
        Reason.UNAUTHORISED,
        Reason.MODEL_NOT_FOUND,
        Reason.BAD_REQUEST,
        Reason.RATE_LIMITED,
        Reason.UNAVAILABLE,
    }
)  # refused before a model worked; after any other failure the outcome is unknown and may be charged in full


def worst_case(reviewer: Reviewer, prompt_bytes: int) -> float:
    """The most that one call can cost."""
    return _price(reviewer, prompt_bytes / BYTES_A_TOKEN, reviewer.max_tokens)


def cost(reviewer: Reviewer, received: Received, facts: BodyFacts, prompt_bytes: int) -> float:
    """The price by the server's own count; the worst case where it gave none but may have worked."""
    if facts.prompt_tokens is not None and facts.completion_tokens is not None:
        return _price(reviewer, facts.prompt_tokens, facts.completion_tokens)
    if received.sent == 0 or received.failure in UNPAID:
        return 0.0
    return worst_case(reviewer, prompt_bytes)


def fits(spent: Iterable[float], next_cost: float, budget: float) -> bool:
    """Whether one more call surely stays within the budget."""
    return sum(spent) + next_cost <= budget


def _price(reviewer: Reviewer, tokens_in: float, tokens_out: float) -> float:
    return (tokens_in * reviewer.price_in_per_mtok + tokens_out * reviewer.price_out_per_mtok) / MTOK
