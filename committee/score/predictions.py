"""Which predictions came out. Pure; a prediction was hashed before measuring, and is judged by verdicts alone.

Nothing here is read by fusing, measuring or ranking: a reviewer who was right may be wrong the next time.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import scipy  # its parts load when they are first used

from ledger.entries import Hypothesis, Verdict

FEWEST_FOR_RANKS = 4  # Fisher's transformation needs more than three pairs
SPEARMAN_VARIANCE = 1.06  # of Fisher's z for Spearman's coefficient, over n - 3 (Fieller, Hartley and Pearson 1957)
Z_95 = 1.959964


class Outcome(StrEnum):
    """What became of one prediction."""

    CONFIRMED = "confirmed"  # the metric moved, or stayed, as predicted
    REFUTED = "refuted"  # it was shown to do something else
    UNDECIDED = "undecided"  # measured, but the interval allows both
    NOT_MEASURED = "not_measured"  # no valid verdict on this arm, metric and load


@dataclass(frozen=True)
class Scored:
    """One prediction and what was measured of it."""

    hypothesis: Hypothesis
    outcome: Outcome
    verdict: Verdict | None = None  # the newest valid one after the prediction
    inside: bool | None = None  # whether the estimate lies in the predicted interval; none where nothing was measured
    withheld: bool = False  # its words are withheld; its numbers count as those of any other

    @property
    def decided(self) -> bool:
        """Whether it was shown right or wrong."""
        return self.outcome in (Outcome.CONFIRMED, Outcome.REFUTED)


@dataclass(frozen=True)
class Ranks:
    """Spearman's coefficient between predicted and measured changes, with a 95 % interval."""

    rho: float
    low: float
    high: float
    pairs: int


@dataclass(frozen=True)
class Record:
    """One reviewer's predictions over everything recorded."""

    reviewer: str
    hypotheses: int
    measured: int
    decided: int
    confirmed: int
    inside: int  # of the measured: estimates in the predicted interval
    brier: float | None  # mean squared distance of stated confidence from the outcome; none where none was stated
    ranks: Ranks | None  # none with fewer than four pairs in every measuring run
    withheld: int = 0  # of the hypotheses: those whose words are withheld

    @property
    def hit_rate(self) -> float | None:
        """Confirmed over decided, none where nothing was decided."""
        return self.confirmed / self.decided if self.decided else None


def score(hypothesis: Hypothesis, verdicts: Sequence[Verdict]) -> Scored:
    """Hold one prediction against the newest of `verdicts` on its arm, metric and load that carries a number."""
    said = hypothesis.prediction
    found = [
        verdict
        for verdict in verdicts
        if (verdict.arm, verdict.metric, verdict.load) == (hypothesis.arm_fingerprint, said.metric, said.load)
        and verdict.interval is not None
    ]
    if not found or found[-1].interval is None:
        return Scored(hypothesis, Outcome.NOT_MEASURED)
    verdict, interval = found[-1], found[-1].interval
    moved = _moved(verdict)
    inside = said.low_pct <= interval.estimate_pct <= said.high_pct
    if moved is None:
        return Scored(hypothesis, Outcome.UNDECIDED, verdict, inside)
    return Scored(hypothesis, Outcome.CONFIRMED if moved == said.direction else Outcome.REFUTED, verdict, inside)


def record(reviewer: str, scored: Iterable[Scored]) -> Record:
    """One reviewer's scores together."""
    own = [one for one in scored if one.hypothesis.reviewer == reviewer]
    return Record(
        reviewer=reviewer,
        hypotheses=len(own),
        measured=sum(one.verdict is not None for one in own),
        decided=sum(one.decided for one in own),
        confirmed=sum(one.outcome is Outcome.CONFIRMED for one in own),
        inside=sum(one.inside is True for one in own),
        brier=_brier(own),
        ranks=_ranks(own),
        withheld=sum(one.withheld for one in own),
    )


def _moved(verdict: Verdict) -> str | None:
    """Which way the metric itself was shown to go, in a prediction's words; none where the interval allows both."""
    if verdict.speed == "SAME":
        return "same"
    interval = verdict.interval
    if interval is None or interval.low_pct <= 0 <= interval.high_pct:
        return None
    return "up" if interval.low_pct > 0 else "down"


def _brier(own: Sequence[Scored]) -> float | None:
    """Brier (1950) over decided predictions that state a confidence: mean of (confidence - outcome) squared."""
    distances = [
        (one.hypothesis.prediction.confidence - (one.outcome is Outcome.CONFIRMED)) ** 2
        for one in own
        if one.decided and one.hypothesis.prediction.confidence is not None
    ]
    return sum(distances) / len(distances) if distances else None


def _ranks(own: Sequence[Scored]) -> Ranks | None:
    """Predicted midpoints against measured estimates, compared inside one run, metric and load and then combined.

    Coefficients are combined on Fisher's scale with weights n - 3; arms of different runs are never compared.
    """
    groups: dict[tuple[str, str, int], list[tuple[float, float]]] = defaultdict(list)
    for one in own:
        if one.verdict is not None and one.verdict.interval is not None:
            said = one.hypothesis.prediction
            pair = ((said.low_pct + said.high_pct) / 2, one.verdict.interval.estimate_pct)
            groups[one.verdict.run, said.metric, said.load].append(pair)
    total, weights, pairs = 0.0, 0, 0
    for found in groups.values():
        if len(found) < FEWEST_FOR_RANKS or len({x for x, _ in found}) == 1 or len({y for _, y in found}) == 1:
            continue
        rho = float(scipy.stats.spearmanr([x for x, _ in found], [y for _, y in found]).statistic)
        total += (len(found) - 3) * math.atanh(max(-0.999, min(0.999, rho)))  # a perfect order has no finite z
        weights, pairs = weights + len(found) - 3, pairs + len(found)
    if not weights:
        return None
    z, half = total / weights, Z_95 * math.sqrt(SPEARMAN_VARIANCE / weights)
    return Ranks(math.tanh(z), math.tanh(z - half), math.tanh(z + half), pairs)
