"""Who said yes to arms that are code, as the ledger stands now: the newest yes, unless it was taken back since."""

from dataclasses import dataclass

from ledger.entries import Arm, Withdrawal
from ledger.store import Entry, Ledger


@dataclass(frozen=True)
class Yes:
    """A person's yes that stands."""

    entry: Entry  # of the arm that carries it
    arm: Arm
    person: str


def standing_yes(ledger: Ledger, proposal: str | None) -> dict[str, Yes]:
    """Fingerprint of an arm that is code -> the newest yes to it in this proposal that nobody took back."""
    standing: dict[str, Yes] = {}
    for entry, arm in ledger.of(Arm, proposal=proposal):
        if arm.approved_by is not None:
            standing[arm.fingerprint] = Yes(entry, arm, arm.approved_by)
    for fingerprint, (entry, _) in _withdrawn(ledger, proposal).items():
        if fingerprint in standing and standing[fingerprint].entry.seq < entry.seq:
            del standing[fingerprint]
    return standing


def taken_back(ledger: Ledger, proposal: str | None, fingerprints: tuple[str, ...]) -> str:
    """One sentence where the yes to one of these arms was taken back and nobody said yes again; else empty."""
    standing = standing_yes(ledger, proposal)
    for fingerprint, (_, found) in _withdrawn(ledger, proposal).items():
        if fingerprint in fingerprints and fingerprint not in standing:
            return (
                f"{found.person} took back the yes to arm {found.arm_name!r} ({found.reason}), so it is not measured; "
                "order a new run without it, or approve it again"
            )
    return ""


def _withdrawn(ledger: Ledger, proposal: str | None) -> dict[str, tuple[Entry, Withdrawal]]:
    """The newest withdrawal of each arm."""
    return {found.fingerprint: (entry, found) for entry, found in ledger.of(Withdrawal, proposal=proposal)}
