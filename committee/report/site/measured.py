"""Pure: one measuring run, launch by launch, and which conclusions rest on each launch."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from committee.report.doubts import Doubtful
from committee.report.entries import DatedEntry
from committee.report.history import Stamped, grouped
from committee.report.points import Point
from committee.report.runs import RunView
from committee.report.site.record import Record
from ledger.entries import Acceptance, Verdict


@dataclass(frozen=True)
class Rests:
    """One launch and what rests on it."""

    point: Point
    verdicts: int
    arms: tuple[str, ...]  # whose verdicts name its trial
    acceptances: tuple[int, ...]  # entries that rest on one of those verdicts


@dataclass(frozen=True)
class RunPage:
    """One measuring run."""

    name: str
    entry: DatedEntry
    view: RunView
    names: tuple[str, ...]  # of its arms today
    accepted: tuple[Stamped[Acceptance], ...]  # acceptances that rest on its verdicts
    doubts: Mapping[str, tuple[Doubtful, ...]]

    @cached_property
    def rests(self) -> tuple[Rests, ...]:
        """For each launch; reads the launches."""
        naming: dict[str, list[Stamped[Verdict]]] = {}
        for item in self.view.verdicts:
            for trial in item.payload.trials:
                naming.setdefault(trial, []).append(item)
        return tuple(self._rests(point, naming.get(point.trial_id or "", [])) for point in self.view.points)

    def _rests(self, point: Point, verdicts: list[Stamped[Verdict]]) -> Rests:
        ids = {item.id for item in verdicts}
        return Rests(
            point=point,
            verdicts=len(verdicts),
            arms=tuple(dict.fromkeys(item.payload.arm_name for item in verdicts)),
            acceptances=tuple(item.seq for item in self.accepted if ids & set(item.payload.verdicts)),
        )


def run_pages(record: Record) -> tuple[RunPage, ...]:
    """A page for each, oldest first."""
    accepted = grouped(record.history.acceptances, lambda item: item.payload.run)
    return tuple(
        RunPage(
            name=entry.run.begun.payload.run,
            entry=entry,
            view=entry.run,
            names=tuple(map(record.history.arm_name, entry.run.begun.payload.arms)),
            accepted=accepted.get(entry.run.begun.payload.run, ()),
            doubts={
                item.id: record.history.doubts[item.id]
                for item in entry.run.verdicts
                if item.id in record.history.doubts
            },
        )
        for entry in reversed(record.entries)
        if entry.run is not None
    )
