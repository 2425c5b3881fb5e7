"""Typed questions that the front office and the report ask. Reading only; no judgement."""

from ledger.entries import Acceptance, Launch, Verdict
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
    """The newest acceptance on this target that no other one replaces, none when there is none."""
    accepted = ledger.of(Acceptance, target=target)
    replaced = {acceptance.supersedes for _entry, acceptance in accepted}
    standing = [(entry, acceptance) for entry, acceptance in accepted if entry.id not in replaced]
    return standing[-1] if standing else None


def superseded_by(ledger: Ledger, entry_id: str) -> list[tuple[Entry, Acceptance]]:
    """The chain of acceptances that replaced this one, oldest first; empty while it stands."""
    chain: list[tuple[Entry, Acceptance]] = []
    while following := ledger.of(Acceptance, supersedes=entry_id):
        chain.append(following[-1])
        entry_id = following[-1][0].id
    return chain
