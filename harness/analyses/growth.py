"""How waiting grows with a document: exponents pair by pair and overall, users, cut and uncut prefill (lessons M7, M8).

The exponent between two lengths is log(t2/t1) / log(n2/n1); over more it is the slope of a least-squares line through
the logarithms, its interval Student's with n - 2 degrees of freedom. Cold and warm, users and budgets are never mixed.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Literal, Self

import numpy as np
import scipy  # its parts load when they are first used
from pydantic import Field, model_validator

from harness.analyses.answer import Answer, Chart, Fact, Line, NoNumber, Result
from harness.analyses.limits import Tokens, Users, WaitS, too_fast_a_prefill
from harness.vocabulary.base import Value

CONFIDENCE = 0.95
LONGEST_S = 1e9  # a wait beyond this, or as far below a second, is no figure
NO_SPREAD = 1e-9  # half an interval; figures that agree to their last digit say nothing of how far a repeat differs
STRAIGHT = 0.15  # exponents of neighbouring pairs that differ by more are no one power law


class Wait(Value):
    """One measured time to first token."""

    tokens: Tokens = Field(description="prompt tokens, counted by the model's tokenizer")
    seconds: WaitS = Field(description="time to first token, s; of the last user where several ask at once")
    cache: Literal["cold", "warm"] = Field(description="whether the prompt's prefix was in the cache")
    users: Users = Field(default=1, description="users who ask at the same time")
    batched_tokens: Tokens | None = Field(default=None, description="budget of batched tokens in force")

    @model_validator(mode="after")
    def _could_be_computed(self) -> Self:
        if self.cache == "cold" and (said := too_fast_a_prefill(self.tokens, self.seconds)):
            raise ValueError(said)
        return self


class Growth(Value):
    """Waits, and what to foretell from them."""

    waits: tuple[Wait, ...] = Field(min_length=1, description="one row a measurement; repeats are welcome")
    foretell_tokens: Tokens | None = Field(default=None, description="a length that was not measured")
    foretell_exponent: float | None = Field(
        default=None, gt=0, le=10, description="exponent beyond the longest length; without it that of the last pair"
    )
    bearable_s: WaitS | None = Field(default=None, description="longest wait that is borne")
    for_users: tuple[Users, ...] = Field(default=(), description="user counts of the envelope")


Kind = tuple[str, int, int]  # cache, users, budget (0 where it is not given)
_Said = tuple[list[Fact], list[str]]


def exponent(shorter: tuple[float, float], longer: tuple[float, float]) -> float:
    """Of two points (tokens, seconds) with different tokens."""
    return (math.log(longer[1]) - math.log(shorter[1])) / (math.log(longer[0]) - math.log(shorter[0]))


def analyse(asked: Growth) -> Result:
    """Exponents for each kind of wait, users against one, budgets against each other, and an envelope."""
    kinds = _kinds(asked.waits)
    facts: list[Fact] = []
    cautions: list[str] = []
    for kind, points in kinds.items():
        if len(points) > 1:
            more, said = _growth(_words(kind), points, _repeats(asked.waits, kind))
            facts += more
            cautions += said
        more, said = _foretold(asked, kind, points)
        facts += more
        cautions += said
    facts += _users(kinds) + _budgets(kinds)
    if asked.bearable_s is not None:
        more, said = _envelope(asked, kinds)
        facts += more
        cautions += said
    cautions += [f"{words}: prompts were cut into pieces at some lengths and not at others" for words in _cut(kinds)]
    if not facts:
        return NoNumber(
            "no two waits can be compared: two lengths of the same cache state, users and budget are needed, or the "
            "same length for different users or budgets"
        )
    return Answer(tuple(facts), tuple(cautions), _chart(kinds))


def _kinds(waits: Iterable[Wait]) -> dict[Kind, tuple[tuple[float, float], ...]]:
    """For each kind, (tokens, mean seconds) by length."""
    found: dict[Kind, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for wait in waits:
        found[wait.cache, wait.users, wait.batched_tokens or 0][wait.tokens].append(wait.seconds)
    return {
        kind: tuple((float(tokens), sum(times) / len(times)) for tokens, times in sorted(by_length.items()))
        for kind, by_length in sorted(found.items())
    }


def _repeats(waits: Iterable[Wait], kind: Kind) -> tuple[tuple[float, float], ...]:
    ours = [wait for wait in waits if (wait.cache, wait.users, wait.batched_tokens or 0) == kind]
    return tuple((float(wait.tokens), wait.seconds) for wait in ours)


def _growth(words: str, points: tuple[tuple[float, float], ...], every: tuple[tuple[float, float], ...]) -> _Said:
    pairs = [(one, other, exponent(one, other)) for one, other in pairwise(points)]
    facts = [Fact(f"exponent {int(a[0]):,} to {int(b[0]):,} tokens, {words}", power, "", 3) for a, b, power in pairs]
    if len(points) > 2:
        facts.append(Fact(f"exponent end to end, {words}", exponent(points[0], points[-1]), "", 3))
    (shortest, soonest), (longest, latest) = points[0], points[-1]
    times = longest / shortest
    span = f"{int(shortest):,} to {int(longest):,} tokens, {words}"
    facts += [
        Fact(f"wait, {span}", latest / soonest, "times", 3),
        Fact(f"wait if it were linear, {span}", times, "times", 3),
        Fact(f"wait if it were square, {span}", times**2, "times", 3),
    ]
    powers = [power for _, _, power in pairs]
    if max(powers) - min(powers) > STRAIGHT:
        rising = powers == sorted(powers)
        return facts, [
            f"{words}: the exponent {'rises with length' if rising else 'is not the same everywhere'}, so one power "
            "law does not hold; beyond the longest length only the last pair says anything"
        ]
    interval = _interval(every)
    if interval is None:
        return facts, [
            f"{words}: too few measurements for an interval, or none differs in its last digit; repeat each length"
        ]
    low, high = interval
    facts += [
        Fact(f"exponent at least, {words}", low, "", 3),
        Fact(f"exponent at most, {words}", high, "", 3),
    ]
    return facts, [f"{words}: {_named(low, high)}"]


def _named(low: float, high: float) -> str:
    """Linear, square, both or neither, by whether the interval holds 1 and 2."""
    holds = [name for name, power in (("linear", 1.0), ("square", 2.0)) if low <= power <= high]
    if not holds:
        return "neither linear nor square growth is compatible with these waits"
    return f"{' and '.join(holds)} growth {'are' if len(holds) > 1 else 'is'} compatible with these waits"


def _interval(every: tuple[tuple[float, float], ...]) -> tuple[float, float] | None:
    """Bounds of the slope through all logarithms; none with under three measurements or where none differs."""
    if len(every) < 3:
        return None
    x, y = np.log(np.array(every, dtype=float)).T
    around = np.sum((x - x.mean()) ** 2)
    slope = float(np.sum((x - x.mean()) * (y - y.mean())) / around)
    rest = y - y.mean() - slope * (x - x.mean())
    freedom = len(every) - 2
    half = scipy.special.stdtrit(freedom, (1 + CONFIDENCE) / 2) * np.sqrt(np.sum(rest**2) / freedom / around)
    if half < NO_SPREAD:
        return None
    return slope - float(half), slope + float(half)


def _foretold(asked: Growth, kind: Kind, points: tuple[tuple[float, float], ...]) -> _Said:
    wanted = asked.foretell_tokens
    stated = asked.foretell_exponent
    if wanted is None or kind[1] != 1 or (stated is None and len(points) < 2):
        return [], []
    if wanted < points[-1][0]:
        said = f"{wanted:,} tokens are fewer than the {int(points[-1][0]):,} that were measured, so nothing is foretold"
        return [], [f"{_words(kind)}: {said}"]
    by = "the last pair" if stated is None else f"the stated exponent {stated:g}"
    last = exponent(points[-2], points[-1]) if stated is None else stated
    log_seconds = math.log(points[-1][1]) + last * math.log(wanted / points[-1][0])
    if abs(log_seconds) > math.log(LONGEST_S):
        return [], [f"{_words(kind)}: {by} says nothing that could be waited for at {wanted:,} tokens"]
    return [Fact(f"wait at {wanted:,} tokens by {by}, {_words(kind)}", math.exp(log_seconds), "s", 3)], []


def _users(kinds: dict[Kind, tuple[tuple[float, float], ...]]) -> list[Fact]:
    """How much longer the last of several users waits than one alone, same length."""
    facts = []
    for (cache, users, budget), points in kinds.items():
        alone = dict(kinds.get((cache, 1, budget), ()))
        for tokens, seconds in points:
            if users > 1 and tokens in alone:
                name = f"{users} users against one at {int(tokens):,} tokens, {_words((cache, 0, budget))}"
                facts.append(Fact(name, seconds / alone[tokens], "times", 3))
    return facts


def _budgets(kinds: dict[Kind, tuple[tuple[float, float], ...]]) -> list[Fact]:
    """What a larger budget of batched tokens changes at the same length, percent of the wait."""
    facts = []
    for (cache, users, budget), points in kinds.items():
        for (other_cache, other_users, larger), others in kinds.items():
            if (cache, users) != (other_cache, other_users) or not 0 < budget < larger:
                continue
            known = dict(others)
            name = f"{_words((cache, users, 0))}, budget {budget:,} to {larger:,}"
            facts += [
                Fact(f"wait at {int(tokens):,} tokens, {name}", 100 * (known[tokens] / seconds - 1), "%", 3)
                for tokens, seconds in points
                if tokens in known
            ]
    return facts


def _cut(kinds: dict[Kind, tuple[tuple[float, float], ...]]) -> list[str]:
    """Kinds whose prompts fit the budget at some lengths only: their exponents mix two regimes."""
    return [
        _words(kind)
        for kind, points in kinds.items()
        if kind[2] and len({math.ceil(tokens / kind[2]) > 1 for tokens, _ in points}) > 1
    ]


def _envelope(asked: Growth, kinds: dict[Kind, tuple[tuple[float, float], ...]]) -> _Said:
    """Longest document for each user count within the bearable wait, interpolated, never beyond the lengths.

    Waits that were measured with so many users are taken as they are; else prefills are let queue behind one another.
    """
    facts: list[Fact] = []
    cautions: list[str] = []
    bearable = float(asked.bearable_s or 0.0)
    queued = False
    for cache, budget in sorted({(kind[0], kind[2]) for kind in kinds}):
        for users in asked.for_users:
            points, times = _of_users(kinds, cache, users, budget)
            if len(points) < 2:
                continue
            tokens = _longest(points, bearable / times)
            words = f"{users} user{'s' if users > 1 else ''}, {_words((cache, 0, budget))}"
            if tokens is None:
                cautions.append(f"{words}: the measured lengths do not reach a wait of {bearable:g} s from both sides")
                continue
            facts += [
                Fact(f"longest document, {words}", tokens, "tokens", 3),
                Fact(f"KV tokens needed, {words}", users * tokens, "tokens", 3),
            ]
            queued = queued or times > 1
    if queued:
        cautions.append("the envelope lets prefills queue: the last of k users waits k times as long as one")
    return facts, cautions


def _of_users(
    kinds: dict[Kind, tuple[tuple[float, float], ...]], cache: str, users: int, budget: int
) -> tuple[tuple[tuple[float, float], ...], int]:
    """Waits of so many users and 1, or of one user and how often one waits behind another."""
    measured = kinds.get((cache, users, budget), ())
    return (measured, 1) if len(measured) > 1 else (kinds.get((cache, 1, budget), ()), users)


def _longest(points: tuple[tuple[float, float], ...], seconds: float) -> float | None:
    for one, other in pairwise(points):
        if one[1] == seconds == other[1]:
            return other[0]
        if one[1] <= seconds <= other[1]:
            return float(one[0] * (seconds / one[1]) ** (1 / exponent(one, other)))
    return None


def _words(kind: Kind) -> str:
    cache, users, budget = kind
    said = cache if users < 2 else f"{cache}, {users} users"
    return f"{said}, budget {budget:,}" if budget else said


def _chart(kinds: dict[Kind, tuple[tuple[float, float], ...]]) -> Chart:
    lines = tuple(
        Line(_words(kind), tuple(point[0] for point in points), tuple(point[1] for point in points))
        for kind, points in kinds.items()
    )
    return Chart("Wait over length", "prompt tokens", "time to first token, s", lines, logarithmic=True)
