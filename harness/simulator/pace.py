"""How long the simulated engine takes, after the figures of the seeds' server (four V100, a 27B model). Pure.

All seconds here are virtual: the server divides its waits by the time scale.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log

Knot = tuple[float, float]
Knots = tuple[Knot, ...]

USER_TOK_S: Knots = ((1, 68.1), (2, 56.4), (4, 47.9), (8, 32.5))  # M1 and R5: 8 x 32.5 = 260 while all stream
# Cold prefill in one piece, seconds over tokens (M7b and the page's table for a budget of 131,072 tokens).
COLD_S: Knots = ((21_600, 15.4), (65_536, 56.6), (98_304, 64.6), (131_072, 132.5))
# Warm time to first token: 1.82 s at 24,704 tokens, then exponents 1.72, 1.87 and 2.53 (M8).
WARM_S: Knots = ((24_704, 1.82), (49_408, 5.996), (74_112, 12.80), (105_856, 31.53))
# A prompt cut into k pieces costs 1 + 2.775 (n/131072)^1.25 (k-1)^0.37 times as much: 500.2 s instead of 132.5 (M7b),
# 412 s for 106K in seven pieces, 19.8 s for 21.6K in two.
CUT_COST, CUT_AT, CUT_LENGTH_POWER, CUT_PIECES_POWER = 2.775, 131_072, 1.25, 0.37
TP_FIXED_MS, TP_MS_PER_GB, MODEL_GB = 9.40, 1.439, 14.62  # M10: t = F + bytes/BW
OVERHEAD_S = 0.53  # what M1's totals of short prompts lack of the streaming rate
DRAFT_USERS_POWER = 0.6  # drafting costs more the fuller the batch: 0.58 of the baseline alone, 0.32 at four (M9)


@dataclass(frozen=True)
class Drafting:
    """Speculative decoding: `tokens` drafted a step, each accepted with `acceptance`, at `cost` of a step each (M9)."""

    tokens: int = 0
    acceptance: float = 0.52
    cost: float = 0.29

    @property
    def tokens_a_step(self) -> float:
        """Expected tokens of one step and stream: (1 - a^(g+1)) / (1 - a)."""
        if self.acceptance >= 1:
            return 1.0 + self.tokens
        return float((1 - self.acceptance ** (self.tokens + 1)) / (1 - self.acceptance))

    def slowdown(self, users: int) -> float:
        """What a step costs against one without drafting: 1 + g c n^0.6, which is M9's g c + 1 for a single user."""
        return 1 + self.tokens * self.cost * float(users**DRAFT_USERS_POWER)


@dataclass(frozen=True)
class Pace:
    """Everything that decides how long a step takes. `speed` multiplies all of it: 1.03 is 3 % faster."""

    user_tok_s: Knots = USER_TOK_S
    cold_s: Knots = COLD_S
    warm_s: Knots = WARM_S
    overhead_s: float = OVERHEAD_S  # no prefill is shorter
    prefill_cost: float = 1.0  # 316.7 / 124.1 where requests are scheduled by priority (M14)
    tensor_parallel: int = 4
    drafting: Drafting = Drafting()
    speed: float = 1.0

    def step_s(self, users: int) -> float:
        """Seconds of one decoding step with so many open streams."""
        step_s = linear([(n, 1 / rate) for n, rate in self.user_tok_s], users)
        return step_s * self._cards() * self.drafting.slowdown(users) / self.speed

    def cold_prefill_s(self, tokens: int, budget: int) -> float:
        """Seconds of a prompt of which nothing is cached, in as many pieces as the budget makes of it."""
        pieces = ceil(tokens / budget)
        cut = 1 + CUT_COST * float((tokens / CUT_AT) ** CUT_LENGTH_POWER * (pieces - 1) ** CUT_PIECES_POWER)
        return max(self.overhead_s, power(self.cold_s, tokens) * cut) * self.prefill_cost / self.speed

    def warm_prefill_s(self, tokens: int) -> float:
        """Seconds of a prompt that is wholly cached."""
        return max(self.overhead_s, power(self.warm_s, tokens)) * self.prefill_cost / self.speed

    def prefill_s(self, tokens: int, cached: int, budget: int) -> float:
        """Seconds of a prompt of which `cached` tokens are in the prefix cache."""
        share = min(1.0, cached / tokens) if tokens else 0.0
        return share * self.warm_prefill_s(tokens) + (1 - share) * self.cold_prefill_s(tokens, budget)

    def pieces_s(self, tokens: int, cached: int, budget: int) -> tuple[float, ...]:
        """The same as one duration a piece; later pieces look back at more and take longer, as (2i - 1) / k^2."""
        pieces = max(1, ceil((tokens - cached) / budget))
        whole = self.prefill_s(tokens, cached, budget)
        return tuple(whole * (2 * i - 1) / pieces**2 for i in range(1, pieces + 1))

    def _cards(self) -> float:
        """Step time over that of four cards (M10)."""
        return _tp_ms(self.tensor_parallel) / _tp_ms(4)


def _tp_ms(cards: int) -> float:
    return TP_FIXED_MS + TP_MS_PER_GB * MODEL_GB / cards


def linear(knots: Sequence[Knot], x: float) -> float:
    """Straight lines through the knots; the outer ones go on."""
    left, right = _around(knots, x)
    if left == right:
        return left[1]
    return left[1] + (right[1] - left[1]) * (x - left[0]) / (right[0] - left[0])


def power(knots: Sequence[Knot], x: float) -> float:
    """A power law between each two knots; the last one goes on, below the first knot it is proportional."""
    if x <= 0:
        return 0.0
    if x < knots[0][0] or len(knots) == 1:
        return knots[0][1] * x / knots[0][0]
    left, right = _around(knots, x)
    exponent = log(right[1] / left[1]) / log(right[0] / left[0])
    return left[1] * exp(exponent * log(x / left[0]))


def _around(knots: Sequence[Knot], x: float) -> tuple[Knot, Knot]:
    if len(knots) == 1:
        return knots[0], knots[0]
    index = min(max(bisect_right([knot[0] for knot in knots], x), 1), len(knots) - 1)
    return knots[index - 1], knots[index]
