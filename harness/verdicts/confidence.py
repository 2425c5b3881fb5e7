"""The level of the bounds that are shown, as people read it: percent of confidence, from the verdicts. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from ledger.entries import Verdict


@dataclass(frozen=True)
class Confidence:
    """Percent without the sign; a range where the arms of a run with looks ended at several levels."""

    each: str  # of one one-sided bound: 100 (1 - level divided over the arms)
    both: str  # between the two: 100 (1 - 2 level)

    @property
    def words(self) -> str:
        """Below a table of the bench."""
        return f"bounds: one-sided at {self.each} % each, {self.both} % between them"


def confidence_of(verdicts: Iterable[Verdict]) -> Confidence | None:
    """The level of every interval among them; none where there is no interval."""
    levels = sorted({one.interval.level for one in verdicts if one.interval is not None}, reverse=True)
    if not levels:
        return None
    ends = dict.fromkeys((levels[0], levels[-1]))
    return Confidence(" to ".join(_percent(one) for one in ends), " to ".join(_percent(2 * one) for one in ends))


def _percent(error: float) -> str:
    """The error is written with two digits, so that 99.95 is never rounded to certainty."""
    return f"{100 - float(f'{100 * error:.2g}'):g}"
