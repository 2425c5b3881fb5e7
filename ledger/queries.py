"""Typed questions that the front office asks. Reading only; no judgement."""

from ledger.entries import Verdict
from ledger.store import Ledger


def placebo_history(ledger: Ledger, target: str) -> list[float]:
    """The spread between launches that each run on this target showed, percent, oldest run first.

    One number a run: that of its first primary verdict with an interval, or of its first with one.
    """
    seen: dict[str, tuple[bool, float]] = {}
    for _entry, verdict in ledger.of(Verdict, target=target):
        if verdict.interval is None:
            continue
        before = seen.get(verdict.run)
        if before is None or (verdict.primary and not before[0]):
            seen[verdict.run] = (verdict.primary, verdict.interval.launch_sd_pct)
    return [spread for _primary, spread in seen.values()]
