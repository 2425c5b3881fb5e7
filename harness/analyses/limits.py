"""Pure: what figures of servers can be at all. Beyond a bound stands a slip of the pen or of a unit, and none follows.

Each bound is far from everything that was ever measured, and says its reason where it refuses.
"""

from typing import Annotated

from pydantic import AfterValidator

MOST_GB_S = 100_000  # read by one card: more than ten times the fastest memory that there is
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
WaitS = Annotated[float, within(1e-4, 604_800, "a wait lies between a tenth of a millisecond and a week; are these s?")]
StepMs = Annotated[float, within(1e-3, 600_000, "a step lies between a microsecond and ten minutes; are these ms?")]
CallMs = Annotated[float, within(1e-4, 600_000, "a call lies between 100 ns and ten minutes; are these ms?")]
WeightsGb = Annotated[float, within(1e-3, 10_000, "weights of a card lie between 1 MB and 10 TB; are these GB?")]
Cost = Annotated[float, within(0, 100, "a draft that costs a hundred steps of its target is none; is it a share?")]
TokS = Annotated[float, within(1e-3, 10_000_000, "no server gives out more; are these tokens a second?")]
LaunchMinutes = Annotated[float, within(1e-3, 1440, "a launch takes a day at most; are these minutes?")]
EffectPct = Annotated[float, within(1e-3, 1000, "an effect lies between 0.001 % and tenfold; is it in percent?")]


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
