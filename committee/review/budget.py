"""What calls use, in money and in tokens, and whether one more still fits into what may be used. Pure.

A call is counted at its worst from the moment its intent is on record until an answer says what it used.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from committee.review.completion import BodyFacts
from committee.review.received import Received
from committee.vocabulary.config import NOBODYS, CommitteeConfig, Reviewer
from committee.vocabulary.exclusion import Reason
from ledger.entries import Response

BYTES_A_TOKEN = 2  # fewer than any tokenizer needs for prose or source, so the worst case is not too small
MOST_BYTES_A_TOKEN = 16  # three times what tokenizers average: about 1 to 5 on English and Chinese of cc-100
# (measured by Tokenizer Arena, huggingface.co/spaces/eson/tokenizer-arena). Only long runs of one sign come near it.
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


@dataclass(frozen=True)
class Use:
    """Money in the workspace's currency, tokens in and out together, and calls whose money nobody knows."""

    money: float
    tokens: float
    unpriced: int = 0  # calls of reviewers without a price: their money is not in `money`

    def __add__(self, other: "Use") -> "Use":
        return Use(self.money + other.money, self.tokens + other.tokens, self.unpriced + other.unpriced)

    def __sub__(self, other: "Use") -> "Use":
        return Use(self.money - other.money, self.tokens - other.tokens, self.unpriced - other.unpriced)


NOTHING = Use(0.0, 0.0)
ROUNDING = 1e-9  # of sums of prices: adding and taking back the same price may leave a last bit


@dataclass(frozen=True)
class Allowance:
    """The most that may be used; none where there is no limit."""

    whose: str  # as a sentence names it: the proposal's, the workspace's
    money: float | None = None
    tokens: float | None = None

    def refusal(self, spent: Use, more: Use) -> str:
        """Why a call that uses at most `more` is not sent after `spent`; empty where it surely fits."""
        if self.money is not None and spent.money + more.money > self.money + ROUNDING:
            return f"the call could cost more than what is left of {self.whose} budget of {self.money:g}"
        if self.tokens is not None and spent.tokens + more.tokens > self.tokens:
            return f"the call could use more than what is left of {self.whose} budget of {self.tokens:.0f} tokens"
        return ""


def worst_case(reviewer: Reviewer, prompt_bytes: int) -> float:
    """The most that one call can cost, as far as it has a price."""
    return _price(reviewer, prompt_bytes / BYTES_A_TOKEN, reviewer.max_tokens)


def worst_use(config: CommitteeConfig, reviewer: str, prompt_bytes: int) -> Use:
    """The most that one call can use; of a reviewer no longer in the file, by the dearest one there."""
    named = [one for one in config.reviewer if one.name == reviewer] or config.reviewer
    return Use(
        max(worst_case(one, prompt_bytes) for one in named),
        max(_worst_tokens(one, prompt_bytes) for one in named),
        int(any(not one.priced for one in named)),
    )


def cost(reviewer: Reviewer, received: Received, facts: BodyFacts, prompt_bytes: int) -> float | None:
    """The price by the server's own count; the worst case where it gave none but may have worked.

    None where a model may have worked and the reviewer has no price.
    """
    facts = believed(facts, prompt_bytes)
    counted = facts.prompt_tokens is not None and facts.completion_tokens is not None
    if not counted and (received.sent == 0 or received.failure in UNPAID):
        return 0.0
    if not reviewer.priced:
        return None
    if facts.prompt_tokens is not None and facts.completion_tokens is not None:
        return _price(reviewer, facts.prompt_tokens, facts.completion_tokens)
    return worst_case(reviewer, prompt_bytes)


def believed(said: BodyFacts, prompt_bytes: int) -> BodyFacts:
    """The facts without a count of tokens that is too small to be one, so that the call is booked at its worst.

    A reviewer is not trusted: 0 tokens beside an answer would make it free. An empty answer may have none.
    """
    counts = ((said.prompt_tokens, prompt_bytes), (said.completion_tokens, said.answer_bytes))
    if all(count is None or count * MOST_BYTES_A_TOKEN >= size for count, size in counts):
        return said
    return replace(said, prompt_tokens=None, completion_tokens=None)


def uncounted(reviewers: Iterable[Reviewer], limits: Iterable[Allowance]) -> str:
    """Why these are not asked: a limit in money cannot count what has no price; empty where all is well."""
    names = [one.name for one in reviewers if not one.priced]
    budgets = [f"{limit.whose} budget of {limit.money:g}" for limit in limits if limit.money is not None]
    if not names or not budgets:
        return ""
    return (
        f"reviewer {', '.join(names)} without a price: what a call costs is unknown and {' and '.join(budgets)} cannot "
        "count it, so nobody is asked; give price_in_per_mtok and price_out_per_mtok in committee.toml, both 0 where "
        "its tokens cost nothing, as on a server of your own"
    )


def used(response: Response, worst: Use) -> Use:
    """What an answered call used: its price as recorded, and the server's count of tokens or, where none, the worst."""
    if response.prompt_tokens is not None and response.completion_tokens is not None:
        tokens = float(response.prompt_tokens + response.completion_tokens) if worst.tokens else 0.0
    elif response.sent == 0 or response.failure in UNPAID:
        tokens = 0.0
    else:
        tokens = worst.tokens
    return Use(response.cost, tokens, int(response.unpriced))


def _worst_tokens(reviewer: Reviewer, prompt_bytes: int) -> float:
    return 0.0 if reviewer.kind in NOBODYS else prompt_bytes / BYTES_A_TOKEN + reviewer.max_tokens


def _price(reviewer: Reviewer, tokens_in: float, tokens_out: float) -> float:
    return (tokens_in * (reviewer.price_in_per_mtok or 0.0) + tokens_out * (reviewer.price_out_per_mtok or 0.0)) / MTOK
