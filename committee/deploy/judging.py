"""Pure: what a later verdict on an accepted arm says about the acceptance: contradicted, or held."""

from dataclasses import dataclass

from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Speed, Validity
from ledger.entries import Interval, Verdict


@dataclass(frozen=True)
class Judged:
    """What it means, and why in one sentence."""

    overturned: bool
    detail: str


def judged(criteria: Criteria, accepted: Verdict | None, now: Verdict, missing: tuple[str, ...]) -> Judged:
    """Compare the primary verdict that was accepted with the same one of a completed run of now.

    `missing` is what the criteria miss in that run (`harness.verdicts.acceptance.criteria_missing`). Contradicted means
    decided otherwise: SAME or SLOWER where FASTER was accepted, or a capability that does not hold. AMBIGUOUS, and a
    number that may not exist, contradict nothing.
    """
    what = f"{now.metric} at {now.load} users"
    if now.validity != Validity.VALID:
        return Judged(False, f"{what} is {now.validity} now, so nothing is known against it")
    if criteria.capability is not None:
        lost = [sentence for sentence in missing if sentence.startswith("capability ")]
        return Judged(bool(lost), lost[0] if lost else "the capability that was gained holds")
    if now.speed in (Speed.SAME, Speed.SLOWER):
        return Judged(True, f"{what} is {now.speed} now, {_said(now.interval)}; accepted was {_accepted(accepted)}")
    if now.speed == Speed.AMBIGUOUS:
        return Judged(False, f"{what} is AMBIGUOUS now, {_said(now.interval)}: not contradicted, not confirmed either")
    apart = _apart(accepted.interval if accepted else None, now.interval)
    return Judged(False, f"{what} is {now.speed} again, {_said(now.interval)}{apart}")


def _apart(accepted: Interval | None, now: Interval | None) -> str:
    if accepted is None or now is None or (now.low_pct <= accepted.high_pct and accepted.low_pct <= now.high_pct):
        return ""
    size = "less" if abs(now.estimate_pct) < abs(accepted.estimate_pct) else "more"
    return f"; {size} than the {_said(accepted)} that was accepted: the intervals do not meet"


def _accepted(verdict: Verdict | None) -> str:
    return f"{verdict.speed}, {_said(verdict.interval)}" if verdict else "a verdict that is not on record"


def _said(interval: Interval | None) -> str:
    if interval is None:
        return "without a number"
    return f"{interval.estimate_pct:+.1f} % ({interval.low_pct:+.1f} to {interval.high_pct:+.1f})"
