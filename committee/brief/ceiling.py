"""Pure: the most that a hypothesis could win, beside what it claims. A ceiling excludes nothing; it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass

from committee.vocabulary.steps import RATES, StepTable, most_pct
from ledger.entries import Hypothesis

ROUNDING_PCT = 0.05  # a table has three digits; a claim that far above its ceiling is not above it


@dataclass(frozen=True)
class Ceiling:
    """What the step-time table allows a hypothesis."""

    part: str
    share_pct: float  # of the step
    step_ms: float
    load: int
    most_pct: float | None  # the most a gain can be, percent, always positive; none where there is no bound
    claimed_pct: float  # the better end of the claim as a gain, percent
    above: bool


def ceiling(told: Hypothesis, tables: Sequence[StepTable]) -> Ceiling | None:
    """The ceiling of a claimed gain from a part of a measured step; none where no table speaks of it."""
    said = told.prediction
    claimed = said.high_pct if said.metric in RATES else -said.low_pct
    for table in tables:
        share = table.share(told.part) if told.part else None
        if share is None or told.part is None or claimed <= 0 or not table.speaks_of(said.metric, said.load):
            continue
        most = most_pct(share, said.metric)
        above = most is not None and claimed > most + ROUNDING_PCT
        return Ceiling(told.part, share * 100, table.step_ms, table.load, most, claimed, above)
    return None
