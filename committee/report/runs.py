"""Pure: what one measuring run did, launch by launch, arm by arm. Reads a history, draws and judges nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from committee.report.busyness import busyness
from committee.report.evidence import Evidence
from committee.report.history import History, Stamped
from committee.report.phrases import Phrase
from committee.report.points import Launched, Point, launched, levels
from ledger.entries import Launch, MeasuringRun, RunEnd, TargetState, Verdict

SIMULATED = "simulat"  # a launch whose command names a simulator did not measure a real server


@dataclass(frozen=True, repr=False)
class RunView:
    """One measuring run: its plan, how it ended, its launches and its verdicts."""

    begun: Stamped[MeasuringRun]
    ended: Stamped[RunEnd] | None  # none while it runs, also when it was stopped before and resumed
    away_s: float  # time without production over all its sessions, seconds
    verdicts: tuple[Stamped[Verdict], ...]
    states: tuple[Stamped[TargetState], ...]
    history: History = field(compare=False)  # where launches are read from, once somebody looks at them

    def __repr__(self) -> str:
        """What it is made of; while it runs, also how far the ledger was read."""
        ended = self.ended.id if self.ended else f"open at {self.history.head_seq}"
        doubts = [doubt.words for item in self.verdicts for doubt in self.history.doubts.get(item.id, ())]
        parts = (self.begun.id, ended, self.away_s, [item.id for item in self.verdicts], doubts, self.history.withheld)
        return f"RunView{parts!r}"

    @cached_property
    def launched(self) -> Launched:
        """Its launches, read when first asked for."""
        return launched(self.history, self.begun.payload.run, (self.metric, self.load))

    @property
    def points(self) -> tuple[Point, ...]:
        """Launches of the blocks that stand, in order of block and position."""
        return self.launched.points

    @property
    def discarded(self) -> int:
        """Launches of broken blocks, which were thrown away whole."""
        return self.launched.discarded

    @cached_property
    def machine(self) -> str:
        """How busy the machine was during the launches that stand; read when first asked for."""
        stand = {point.launch for point in self.points}
        gates = (item.payload for item in self.history.evidence.quiet(self.begun.payload.run))
        return busyness(gate for gate in gates if gate.launch in stand)

    @cached_property
    def labels(self) -> tuple[Phrase, ...]:
        """What a reader must know about the origin of the numbers."""
        opening = self.history.evidence.opening(self.begun.payload.run)
        return (Phrase("simulated_server"),) if any(simulated(item.payload) for item in opening) else ()

    @cached_property
    def metric(self) -> str:
        """Name of the primary metric."""
        return str(primary_of(self.begun.payload).get("metric", ""))

    @cached_property
    def load(self) -> int:
        """Users at once for which the primary metric is decided."""
        return int(primary_of(self.begun.payload).get("load", 1))

    @cached_property
    def smallest_effect_pct(self) -> float | None:
        """The smallest effect that matters, as written beforehand."""
        value = primary_of(self.begun.payload).get("smallest_effect_pct")
        return float(value) if isinstance(value, int | float) else None

    @property
    def void(self) -> bool:
        """Whether the run supports no verdict: void, or stopped before its end."""
        return self.ended is not None and self.ended.payload.outcome != "completed"

    @cached_property
    def primary(self) -> tuple[Stamped[Verdict], ...]:
        """The verdicts on the primary metric and load, from the largest change down, those without a number last."""
        return tuple(sorted((item for item in self.verdicts if item.payload.primary), key=_largest_first))

    def guards(self, arm: str) -> tuple[Stamped[Verdict], ...]:
        """The verdicts on one arm for the guard metrics that the criteria name."""
        named = _guards(self.begun.payload)
        return tuple(item for item in self._beside(arm) if (item.payload.metric, item.payload.load) in named)

    def others(self, arm: str) -> tuple[Stamped[Verdict], ...]:
        """The verdicts on one arm for everything else that was measured; they decide nothing."""
        named = _guards(self.begun.payload)
        return tuple(item for item in self._beside(arm) if (item.payload.metric, item.payload.load) not in named)

    @property
    def has_others(self) -> bool:
        """Whether anything beside primary and guards has a verdict."""
        return any(self.others(arm) for arm in self.begun.payload.arms)

    def _beside(self, arm: str) -> tuple[Stamped[Verdict], ...]:
        return tuple(item for item in self.verdicts if not item.payload.primary and item.payload.arm == arm)

    def levels(self, arm: str) -> tuple[float, float] | None:
        """Geometric means of control and arm over the blocks where both have a number, in the metric's unit."""
        return levels(self.points, arm)


class Runs(tuple[RunView, ...]):
    """Measuring runs, oldest first, with what is looked up among them. Equal to the plain tuple."""

    @cached_property
    def _later(self) -> Mapping[tuple[str, str, str, int], RunView]:
        return _contradicted(self)

    @cached_property
    def _by_run(self) -> Mapping[str, RunView]:
        return {view.begun.payload.run: view for view in self}

    @cached_property
    def _numbers(self) -> Mapping[tuple[str, str, int], tuple[RunView, Verdict]]:
        return {
            (item.payload.arm, item.payload.metric, item.payload.load): (view, item.payload)
            for view in self
            if not view.void
            for item in view.verdicts
        }

    def run(self, name: str) -> RunView | None:
        """The run of that name."""
        return self._by_run.get(name)

    def overturning(self, old: Verdict) -> RunView | None:
        """The later run whose verdict on the same arm, metric and load contradicts `old`, against the same baseline."""
        return self._later.get((old.run, old.arm, old.metric, old.load))

    def newest(self, arm: str | None, metric: str, load: int) -> Verdict | None:
        """The newest verdict on an arm at a metric and load, from a run that is not void."""
        found = self._numbers.get((arm or "", metric, load))
        return found[1] if found else None


def as_runs(views: Sequence[RunView]) -> Runs:
    """The views as something to look up in."""
    return views if isinstance(views, Runs) else Runs(views)


def run_views(history: History) -> Runs:
    """Every measuring run, oldest first."""
    return Runs(run_view(history, begun) for begun in history.runs)


def run_view(history: History, begun: Stamped[MeasuringRun]) -> RunView:
    """Gather what belongs to one run."""
    run = begun.payload.run
    return RunView(
        begun=begun,
        ended=_end(history, history.evidence, run),
        away_s=sum(item.payload.downtime_s for item in history.ends_of(run)),
        verdicts=_newest(history.verdicts_of(run)),
        states=history.states_in(run),
        history=history,
    )


def primary_of(run: MeasuringRun) -> dict[str, Any]:
    """The primary metric as the criteria name it."""
    primary = run.criteria.get("primary")
    return dict(primary) if isinstance(primary, dict) else {}


def _contradicted(views: Iterable[RunView]) -> dict[tuple[str, str, str, int], RunView]:
    """For each decided verdict the first later run, against the same target file, that decided otherwise."""
    found: dict[tuple[str, str, str, int], RunView] = {}
    open_ones: dict[tuple[str, str, str, str, int], list[Verdict]] = {}
    for view in views:
        if view.void:
            continue
        for new in (item.payload for item in view.verdicts if item.payload.speed not in (None, "AMBIGUOUS")):
            waiting = open_ones.setdefault(
                (view.begun.payload.target_sha256, new.target, new.arm, new.metric, new.load), []
            )
            for old in waiting:
                if old.speed != new.speed and old.run != new.run:
                    found[old.run, old.arm, old.metric, old.load] = view
            waiting[:] = [old for old in waiting if (old.run, old.arm, old.metric, old.load) not in found] + [new]
    return found


def _guards(run: MeasuringRun) -> set[tuple[str, int]]:
    return {(str(guard["metric"]), int(guard["load"])) for guard in run.criteria.get("guard") or ()}


def _end(history: History, evidence: Evidence, run: str) -> Stamped[RunEnd] | None:
    """The last end, unless it was a stop and launches follow it: then the run was resumed."""
    ends = history.ends_of(run)
    if not ends or ends[-1].payload.outcome != "stopped":
        return ends[-1] if ends else None
    return None if any(item.seq > ends[-1].seq for item in evidence.launches(run)) else ends[-1]


def _newest(verdicts: Iterable[Stamped[Verdict]]) -> tuple[Stamped[Verdict], ...]:
    """One verdict an arm, metric and load: the last one."""
    last = {(item.payload.arm, item.payload.metric, item.payload.load): item for item in verdicts}
    return tuple(sorted(last.values(), key=lambda item: item.seq))


def _largest_first(item: Stamped[Verdict]) -> tuple[bool, float, str]:
    interval = item.payload.interval
    return interval is None, -interval.estimate_pct if interval else 0.0, item.payload.arm_name


def simulated(launch: Launch) -> bool:
    """Whether what it started is a simulator, by its command."""
    return any(SIMULATED in part.lower() for part in launch.argv)
