"""Typed questions that the front office and the report ask. Reading only; no judgement."""

from ledger.entries import Acceptance, Launch, Verdict
from ledger.in_force import course_of
from ledger.store import Entry, Ledger


def earlier_verdicts(ledger: Ledger, target: str, fingerprint: str) -> list[tuple[Entry, Verdict]]:
    """Every verdict on the same change of the same target, oldest first (lesson C7)."""
    return ledger.of(Verdict, target=target, arm=fingerprint)


def launch_ids(ledger: Ledger, run: str) -> list[str]:
    """The launches of a measuring run in the order they were recorded."""
    return [launch.launch for _entry, launch in ledger.of(Launch, run=run)]


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


def latest_acceptance(ledger: Ledger, target: str) -> tuple[Entry, Acceptance] | None:
    """The acceptance in force on this target: the newest, or the one gone back to since; none when there is none."""
    return course_of(ledger, target).now


def superseded_by(ledger: Ledger, entry_id: str) -> list[tuple[Entry, Acceptance]]:
    """The chain of acceptances that replaced this one, oldest first; empty while it stands."""
    chain: list[tuple[Entry, Acceptance]] = []
    while following := ledger.of(Acceptance, supersedes=entry_id):
        chain.append(following[-1])
        entry_id = following[-1][0].id
    return chain
