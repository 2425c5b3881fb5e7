"""Pure: what figures of servers can be at all. Beyond a bound stands a slip of the pen or of a unit, and none follows.

Each bound is far from everything that was ever measured, and says its reason where it refuses.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator

MOST_GB_S = 100_000  # read by one card: more than ten times the fastest memory that there is
FLOATS = 1e-12  # relative; what adding floats loses
MOST_LAYERS = 100_000  # of one model
MOST_NUMBERS = 1_000_000  # heads of a layer, or numbers of a key
MOST_PREFILL_TOK_S = 10_000_000  # computed from nothing by one server


def within(least: float, most: float, why: str) -> AfterValidator:
    """Refuses what lies outside of both bounds, with the reason in words."""

    def checked(value: float) -> float:
        if not least <= value <= most:
            raise ValueError(f"{value:g} is outside of {least:g} to {most:g}: {why}")
        return value

    return AfterValidator(checked)


Cards = Annotated[int, within(1, 1024, "no model is spread over more cards")]
Users = Annotated[int, within(1, 65_536, "no one server answers more at once")]
Tokens = Annotated[int, within(1, 100_000_000, "no prompt is longer")]
PoolTokens = Annotated[int, within(1, 10_000_000_000, "no card keeps more tokens")]
Layers = Annotated[int, within(1, MOST_LAYERS, "no model has more layers")]
Numbers = Annotated[int, within(1, MOST_NUMBERS, "no layer has more heads, or longer ones")]
Calls = Annotated[int, within(0, 1e15, "no run calls a kernel more often")]
Steps = Annotated[int, within(1, 1e9, "no run takes more steps")]
StepGb = Annotated[float, within(1e-6, 1e7, "a step reads between 1 KB and 10 PB; are these GB?")]
WaitS = Annotated[float, within(1e-4, 604_800, "a wait lies between a tenth of a millisecond and a week; are these s?")]
StepMs = Annotated[float, within(1e-3, 600_000, "a step lies between a microsecond and ten minutes; are these ms?")]
CallMs = Annotated[float, within(1e-4, 600_000, "a call lies between 100 ns and ten minutes; are these ms?")]
WeightsGb = Annotated[float, within(1e-3, 10_000, "weights of a card lie between 1 MB and 10 TB; are these GB?")]
Cost = Annotated[float, within(0, 100, "a draft that costs a hundred steps of its target is none; is it a share?")]
TokS = Annotated[float, within(1e-3, 10_000_000, "no server gives out more; are these tokens a second?")]
LaunchMinutes = Annotated[float, within(1e-3, 1440, "a launch takes a day at most; are these minutes?")]
EffectPct = Annotated[float, within(1e-3, 1000, "an effect lies between 0.001 % and tenfold; is it in percent?")]


def last_digit(figure: float) -> float:
    """The unit of the last digit that a figure was written with: 0.001 for 1.106, 1 for 155 (and for 155.0)."""
    _, digits, exponent = Decimal(repr(float(figure))).normalize().as_tuple()
    return 10.0 ** min(int(exponent), 0) if any(digits) else 1.0


def adds_up(parts: Sequence[float], stated: float, rounding: float = 0.0) -> bool:
    """Whether parts may add up to the whole that is stated, each rounded to its own last digit or to `rounding`."""
    units = [max(rounding, last_digit(one)) for one in (*parts, stated)]
    return abs(sum(parts) - stated) <= sum(units) / 2 + FLOATS * max(map(abs, (*parts, stated)))


def too_fast_a_read(gb: float, ms: float) -> str | None:
    """Why a card cannot have read so much in that time; none where it can."""
    gb_s = 1000 * gb / ms
    if gb_s <= MOST_GB_S:
        return None
    return f"{gb:g} GB in {ms:g} ms are {gb_s:,.0f} GB/s, and no card reads more than {MOST_GB_S:,}; look at the units"


def too_fast_a_prefill(tokens: int, seconds: float) -> str | None:
    """Why a server cannot have computed so many tokens in that time; none where it can."""
    tok_s = tokens / seconds
    if tok_s <= MOST_PREFILL_TOK_S:
        return None
    return (
        f"{tokens:,} tokens from nothing in {seconds:g} s are {tok_s:,.0f} tokens a second, and no server computes "
        f"more than {MOST_PREFILL_TOK_S:,}; look at the units, or say that the cache was warm"
    )
