"""Pure: what on a target's page follows its acceptances: tickets with what they bind, and later looks on one axis."""

import re
from dataclasses import dataclass

from committee.report.following import look_marks
from committee.report.history import History, Stamped
from committee.report.phrases import Phrase
from committee.report.plots import Chart, Interval, interval_plot
from committee.report.words import day
from ledger.entries import Acceptance, Deployment, Ticket, TicketPart, Watch

DRAWN = 40  # newest looks in the chart
HASH = re.compile(r"\b[0-9a-f]{40,64}\b")
SHOWN = 12  # digits of a hash on a page


@dataclass(frozen=True)
class Bound:
    """A ticket, its acceptance, and the attempts to put it on the target."""

    accepted: Stamped[Acceptance]
    ticket: Stamped[Ticket]
    deployments: tuple[Stamped[Deployment], ...]  # the newest entry of each attempt

    @property
    def parts(self) -> tuple[TicketPart, ...]:
        """What it binds, hashes cut short."""
        return tuple(
            part.model_copy(update={"value": HASH.sub(lambda found: found.group()[:SHOWN], part.value)})
            for part in self.ticket.payload.parts
        )


@dataclass(frozen=True)
class Looked:
    """One later look."""

    item: Stamped[Watch]
    marks: tuple[str, ...]


def tickets(history: History, target: str) -> tuple[Bound, ...]:
    """Each acceptance of a target with its newest ticket, newest first; the one in force among them."""
    newest = {item.payload.acceptance: item for item in history.tickets if item.payload.target == target}
    return tuple(
        Bound(item, newest[item.id], _attempts(history, item.id))
        for item in reversed(history.acceptances_at(target))
        if item.id in newest
    )


def _attempts(history: History, acceptance: str) -> tuple[Stamped[Deployment], ...]:
    ends = {item.payload.deployment: item for item in history.deployments if item.payload.acceptance == acceptance}
    return tuple(reversed(ends.values()))


def looks(history: History, target: str) -> tuple[Looked, ...]:
    """Every later look at acceptances of a target, newest first."""
    found = (item for item in reversed(history.watches) if item.payload.target == target)
    return tuple(Looked(item, tuple(look_marks(history, item))) for item in found)


def looks_chart(looked: tuple[Looked, ...], target: str) -> Chart | None:
    """What was accepted as a frame, what was seen since as a bar; none where no look has a number."""
    shown = [one.item for one in looked if one.item.payload.seen or one.item.payload.accepted][:DRAWN]
    if not shown:
        return None
    return interval_plot(
        [
            Interval(
                name=item.payload.arm_name,
                verdict=None,
                words=item.payload.outcome,
                claimed=_bounds(item.payload),
                note=day(item.time),
                measured=item.payload.seen,
                speed="SLOWER" if item.payload.outcome == "overturned" else "FASTER",
            )
            for item in shown
        ],
        Phrase("axis_of_intervals"),
        Phrase("looks_described", target=target),
    )


def _bounds(look: Watch) -> tuple[float, float] | None:
    return (look.accepted.low_pct, look.accepted.high_pct) if look.accepted else None
