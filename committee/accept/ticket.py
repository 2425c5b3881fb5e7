"""The acceptance ticket: what an acceptance was bound to, and whether every part of it is still as it was.

A ticket is written once. Whether it holds is computed anew each time: a later look never changes the past.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from committee.accept.laid_over import target_with
from committee.accept.model import changed_since, known_files, model_of, read_whole
from committee.accept.record import (
    UNRECORDED,
    attested_words,
    card_words,
    controls_words,
    machine_of,
    measured_words,
    measurements,
    model_files,
)
from committee.accept.seen import UNSEEN, Asked, HostSeen, look_at_host
from committee.proposals.revision import freeze
from committee.workspace import Workspace
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from ledger.canonical import digest
from ledger.entries import Acceptance, Ticket, TicketPart
from ledger.in_force import Decided, course_of
from ledger.standing import doubts
from ledger.store import Ledger, LedgerError

HASH = re.compile(r"\b[0-9a-f]{40,64}\b")
SHOWN = 12  # digits of a hash in a sentence
BINDS_NOTHING = (UNSEEN, UNRECORDED)  # what could not be seen when it was written cannot have changed


@dataclass(frozen=True)
class Checked:
    """A ticket as it stands at this moment."""

    ticket: Ticket
    expired: tuple[str, ...]  # one sentence for each change; empty while it holds

    @property
    def holds(self) -> bool:
        """Whether nothing it binds has changed."""
        return not self.expired

    @property
    def unbound(self) -> tuple[str, ...]:
        """Parts that bind nothing, because they could not be seen when it was written."""
        return tuple(part.name for part in self.ticket.parts if part.value.startswith(BINDS_NOTHING))


def issue(workspace: Workspace, ledger: Ledger, decided: Decided, overlay: str) -> Ticket:
    """The ticket of an acceptance that puts this overlay (its text) in place, on record once.

    Whole models are read for it, so the overlay is not in place yet. Raises BadFileError, LedgerError.
    """
    entry, acceptance = decided
    target, target_sha256 = target_with(workspace, acceptance.target, overlay)
    seen = _look(workspace, ledger, acceptance, target)
    parts = _parts(workspace, ledger, decided, target_sha256, seen, recorded_machine=True)
    stated = read_whole(model_of(ledger, acceptance), (seen and seen.files) or ())
    if stated is not None:
        ledger.append(stated)
    made = Ticket(
        acceptance=entry.id,
        target=acceptance.target,
        sha256=digest([part.model_dump() for part in parts]),
        parts=parts,
    )
    if made not in [ticket for _, ticket in ledger.of(Ticket, acceptance=entry.id)]:
        ledger.append(made)
    return made


def ticket_of(ledger: Ledger, acceptance: str) -> Ticket | None:
    """The newest ticket of an acceptance (its entry's id); none where it was made before there were tickets."""
    found = ledger.of(Ticket, acceptance=acceptance)
    return found[-1][1] if found else None


def check(workspace: Workspace, ledger: Ledger, decided: Decided, ticket: Ticket) -> Checked:
    """Every part looked at again, and what a person or a later look has said against the evidence since."""
    target, target_sha256 = _target(workspace, decided[1].target)
    seen = _look(workspace, ledger, decided[1], target)
    parts = _parts(workspace, ledger, decided, target_sha256, seen, recorded_machine=False)
    now = {part.name: part.value for part in parts}
    other = () if seen is None or seen.files is None else changed_since(model_of(ledger, decided[1]), seen.files)
    changed = _changed(ticket, now)
    told = any(sentence.startswith("model file ") for sentence in changed)
    return Checked(ticket, (*_replaced(ledger, decided), *_struck(ledger, decided), *changed, *(() if told else other)))


def short(value: str) -> str:
    """A part's value as a sentence shows it."""
    return HASH.sub(lambda found: found.group()[:SHOWN], value)


def _look(workspace: Workspace, ledger: Ledger, acceptance: Acceptance, target: Target | None) -> HostSeen | None:
    """The host now; none where the target's file says no host."""
    if target is None:
        return None
    measured = model_of(ledger, acceptance)
    ran_with = tuple(file.path for file in measured.files) if measured else ()
    asked = Asked(_models(ledger, acceptance, target), ran_with, known_files(ledger, acceptance.target))
    return look_at_host(workspace.folder, target, asked)


def _parts(
    workspace: Workspace,
    ledger: Ledger,
    decided: Decided,
    target_sha256: str,
    seen: HostSeen | None,
    *,
    recorded_machine: bool,
) -> tuple[TicketPart, ...]:
    """Everything a ticket binds, as it is now; driver and cards from the record when the ticket is written."""
    entry, acceptance = decided
    driver, cards = (seen.driver, seen.cards) if seen else (UNSEEN, UNSEEN)
    if recorded_machine:
        machine = machine_of(ledger, acceptance.run)
        driver = (machine.driver or "no card") if machine else UNRECORDED
        cards = card_words(machine.cards) if machine else UNRECORDED
    values = {
        "revision": _revision(workspace, acceptance.proposal),
        "arm": attested_words(ledger, acceptance),
        "measurements": measured_words(measurements(ledger, acceptance.run)),
        "controls": controls_words(ledger, acceptance),
        "model file": seen.model if seen else UNSEEN,
        "driver": driver,
        "cards": cards,
        "target file": target_sha256,
        "ledger head": _head(ledger, entry.seq),
    }
    return tuple(TicketPart(name=name, value=value) for name, value in values.items())


def _models(ledger: Ledger, acceptance: Acceptance, target: Target | None) -> tuple[str, ...]:
    """Model files by what was mapped, and by the target's own flag for them."""
    flag = target.baseline.flags.get(target.model_flag) if target and target.model_flag else None
    named = {str(flag)} if isinstance(flag, str) and Path(flag).is_absolute() else set[str]()
    return tuple(sorted({*model_files(ledger, acceptance), *named}))


def _target(workspace: Workspace, name: str) -> tuple[Target | None, str]:
    try:
        return workspace.target(name)
    except BadFileError as error:
        return None, f"unusable ({error})"


def _revision(workspace: Workspace, proposal: str) -> str:
    try:
        return freeze(workspace.proposal_folder(proposal)).tree
    except BadFileError as error:
        return f"gone ({error})"


def _head(ledger: Ledger, seq: int) -> str:
    try:
        return f"{seq} {ledger.find(str(seq)).id}"
    except LedgerError:
        return f"nothing at {seq}"


def _replaced(ledger: Ledger, decided: Decided) -> tuple[str, ...]:
    now = course_of(ledger, decided[1].target).now
    if now is None:
        return ("it is not in force any more: the target went back to the baseline that a person wrote",)
    if now[0].id != decided[0].id:
        return (f"it is not in force any more: acceptance #{now[0].seq} of {now[1].arm_name!r} is",)
    return ()


def _struck(ledger: Ledger, decided: Decided) -> tuple[str, ...]:
    """One sentence for the acceptance and each thing it rests on that does not stand."""
    entry, acceptance = decided
    against = doubts(ledger)
    rests_on = [*measurements(ledger, acceptance.run), entry]
    named = [one for one in rests_on if any(doubt.struck for doubt in against.get(one.id, ()))]
    if not named:
        named = [entry] if entry.id in against else []
    return tuple(f"{one.kind} #{one.seq} does not stand: {against[one.id][-1].words}" for one in named)


def _changed(ticket: Ticket, now: dict[str, str]) -> tuple[str, ...]:
    return tuple(
        f"{part.name} was {short(part.value)}, is {short(now.get(part.name, 'nothing'))}"
        for part in ticket.parts
        if not part.value.startswith(BINDS_NOTHING) and part.value != now.get(part.name)
    )
