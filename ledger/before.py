"""Measured before: which runs were made with another baseline, driver, card or machine than their target's today.

Such a row was right at its time and is not today's production. Derived anew each time, never stored.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, text

from ledger.in_force import Course, course_of
from ledger.store import Ledger

COMPARED = ("host", "kernel", "cpu", "cores", "driver", "cards", "engine")  # in the order in which they are named


@dataclass(frozen=True)
class Seen:
    """The machine of a run's launches from entry `seq` on."""

    seq: int
    time: str
    run: str
    facts: tuple[str, ...]  # as `COMPARED`; empty for what the machine did not say


@dataclass(frozen=True)
class Changed:
    """The first thing that is not any more as it was when a run was measured."""

    seq: int  # the entry that shows the change
    time: str
    words: str

    @property
    def sentence(self) -> str:
        """For people."""
        return f"measured before {self.words} (#{self.seq}, {self.time[:10]})"


def machine_changes(seen: Sequence[Seen]) -> dict[str, Changed]:
    """Pure: for each run of one target whose last machine differs from the newest one, the first entry that differs.

    `seen` are the target's machines, oldest first. What came back to what it was is no change; what one of the two did
    not say is none either.
    """
    last = {one.run: one for one in seen}
    found: dict[str, Changed] = {}
    for run, mine in last.items():
        for number, name in enumerate(COMPARED):
            then, now = mine.facts[number], seen[-1].facts[number]
            if not then or not now or then == now:
                continue
            first = next(one for one in seen if one.seq > mine.seq and one.facts[number] not in ("", then))
            changed = Changed(first.seq, first.time, f"its {name} changed from {then} to {first.facts[number]}")
            if run not in found or changed.seq < found[run].seq:
                found[run] = changed
    return found


def baseline_changes(runs: Mapping[str, int], course: Course, times: Mapping[int, str]) -> dict[str, Changed]:
    """Pure: for each run (id -> number of its plan) begun with another baseline than the one in force now, the first
    change after it; `times` are those of the changes."""
    found: dict[str, Changed] = {}
    for run, seq in runs.items():
        then, now = course.before(seq), course.now
        if (then and then[0].id) == (now and now[0].id):
            continue
        first = next(change for change in course.changes if change.seq > seq)
        to = first.decided[1].arm_name if first.decided else "its own file"
        found[run] = Changed(first.seq, times[first.seq], f"the baseline changed to {to}")
    return found


def measured_before(ledger: Ledger, targets: Iterable[str]) -> dict[str, Changed]:
    """For every run on these targets that was measured before a change, the earliest change; by the run's id."""
    found: dict[str, Changed] = {}
    for target in sorted(set(targets)):
        course = course_of(ledger, target)
        for changes in (_of_baseline(ledger, target, course), machine_changes(_machines(ledger, target))):
            for run, changed in changes.items():
                if run not in found or changed.seq < found[run].seq:
                    found[run] = changed
    return found


def _of_baseline(ledger: Ledger, target: str, course: Course) -> dict[str, Changed]:
    if not course.changes:
        return {}
    numbers = [change.seq for change in course.changes]
    wanted = text("SELECT seq, time FROM entry WHERE seq IN :seqs").bindparams(bindparam("seqs", expanding=True))
    with ledger.looking() as connection:
        asked = connection.execute(
            text("SELECT run, seq FROM measuring_run WHERE target = :target"), {"target": target}
        )
        runs = {row[0]: row[1] for row in asked}
        times = {row[0]: row[1] for row in connection.execute(wanted, {"seqs": numbers})}
    return baseline_changes(runs, course, times)


_MACHINES = text(
    "SELECT m.seq, e.time, m.run, m.host, m.kernel, m.cpu, m.cores, m.driver, m.engine "
    "FROM machine m JOIN entry e ON e.seq = m.seq WHERE m.target = :target ORDER BY m.seq"
)
_CARDS = text(
    "SELECT c.seq, c.name, c.uuid FROM machine m JOIN machine_card c ON c.seq = m.seq WHERE m.target = :target "
    "ORDER BY c.seq, c.item"
)


def _machines(ledger: Ledger, target: str) -> list[Seen]:
    cards: dict[int, list[str]] = {}
    with ledger.looking() as connection:
        for seq, name, uuid in connection.execute(_CARDS, {"target": target}).all():
            cards.setdefault(seq, []).append(" ".join(one for one in (name, uuid) if one))
        rows = connection.execute(_MACHINES, {"target": target}).all()
    return [
        Seen(
            seq,
            time,
            run,
            (host, kernel, cpu, str(cores), driver or "", ", ".join(cards.get(seq, ())), engine or ""),
        )
        for seq, time, run, host, kernel, cpu, cores, driver, engine in rows
    ]
