"""Pure: what production of a target is made of and why, what was tried on it, and what other engines say beside it."""

from dataclasses import dataclass

from committee.report.entries import Category, DatedEntry
from committee.report.history import History, Stamped
from committee.report.lines import Question
from committee.report.plots import Chart
from committee.report.site.following import Bound, Looked, looks, looks_chart, tickets
from committee.report.site.record import Record
from committee.report.standing import Missing, missing
from ledger.entries import Acceptance, Reference, TargetState

SHOWN_STATES = 30  # newest entries of production going down and coming back; the months hold all


@dataclass(frozen=True)
class Part:
    """One thing that an accepted arm sets, and the acceptance that brought it."""

    name: str
    value: str
    arm: str
    acceptance: DatedEntry


@dataclass(frozen=True)
class TargetPage:
    """One target."""

    name: str
    missing: tuple[Missing, ...]
    last: Stamped[TargetState] | None
    parts: tuple[Part, ...]
    acceptances: tuple[DatedEntry, ...]  # newest first
    questions: tuple[Question, ...]
    references: tuple[Stamped[Reference], ...]
    states: tuple[DatedEntry, ...]
    tickets: tuple[Bound, ...] = ()  # newest first
    looks: tuple[Looked, ...] = ()  # newest first

    @property
    def looks_chart(self) -> Chart | None:
        """Later looks at acceptances, on one axis."""
        return looks_chart(self.looks, self.name)


def target_pages(record: Record) -> tuple[TargetPage, ...]:
    """A page for each."""
    down = missing(record.history)
    return tuple(_page(record, name, down) for name in record.targets)


def _page(record: Record, name: str, down: tuple[Missing, ...]) -> TargetPage:
    history, entries = record.history, record.by_target.get(name, ())
    accepted = tuple(entry for entry in entries if entry.category is Category.ACCEPTANCES)
    states = history.states_of(name)
    return TargetPage(
        name=name,
        missing=tuple(item for item in down if item.seen.payload.target == name),
        last=states[-1] if states else None,
        parts=_parts(history, history.baseline_of(name), {entry.id: entry for entry in accepted}),
        tickets=tickets(history, name),
        looks=looks(history, name),
        acceptances=accepted,
        questions=tuple(question for question in record.questions if question.target == name),
        references=tuple(item for item in history.references if item.payload.target == name),
        states=tuple(entry for entry in entries if entry.category is Category.PRODUCTION)[:SHOWN_STATES],
    )


def _parts(
    history: History, acceptances: tuple[Stamped[Acceptance], ...], entries: dict[str, DatedEntry]
) -> tuple[Part, ...]:
    """Each acceptance builds on the one before it; what a later one sets anew replaces the earlier value."""
    arms = {(item.payload.fingerprint, item.payload.target): item.payload for item in history.arms}
    found: dict[str, Part] = {}
    for item in acceptances:
        arm = arms.get((item.payload.arm, item.payload.target))
        for setting in arm.settings if arm else ():
            found.pop(setting.name, None)
            found[setting.name] = Part(setting.name, setting.value, item.payload.arm_name, entries[item.id])
    return tuple(found.values())
