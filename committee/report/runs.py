"""Pure: what one measuring run did, launch by launch, arm by arm. Reads a history, draws and judges nothing."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from committee.report.history import History, Stamped
from committee.report.words import change_pct
from ledger.entries import Launch, MeasuringRun, RunEnd, TargetState, Trial, Verdict

CONTROL_ROLES = ("baseline", "placebo")
SIMULATED = "simulat"  # a launch whose command names a simulator did not measure a real server


@dataclass(frozen=True)
class Point:
    """One launch, as it is plotted and listed."""

    launch: str
    block: int
    position: int
    role: Literal["baseline", "placebo", "arm"]
    arm: str | None  # fingerprint, none for baseline and placebo
    name: str  # baseline, placebo, or the arm's short name
    value: float | None  # the primary metric, none when the launch carries no number
    change_pct: float | None  # against the mean of baseline and placebo of its block
    reason: str | None  # reason code when there is no number
    detail: str  # the engine's own words, or one sentence


@dataclass(frozen=True)
class RunView:
    """One measuring run: its plan, how it ended, its launches and its verdicts."""

    begun: Stamped[MeasuringRun]
    ended: Stamped[RunEnd] | None  # none while it runs, also when it was stopped before and resumed
    away_s: float  # time without production over all its sessions, seconds
    points: tuple[Point, ...]  # of the blocks that stand, in order of block and position
    discarded: int  # launches of broken blocks, which were thrown away whole
    verdicts: tuple[Stamped[Verdict], ...]
    states: tuple[Stamped[TargetState], ...]
    labels: tuple[str, ...]  # what a reader must know about the origin of the numbers, e.g. simulated

    @cached_property
    def metric(self) -> str:
        """Name of the primary metric."""
        return str(_primary(self.begun.payload).get("metric", ""))

    @cached_property
    def load(self) -> int:
        """Users at once for which the primary metric is decided."""
        return int(_primary(self.begun.payload).get("load", 1))

    @cached_property
    def smallest_effect_pct(self) -> float | None:
        """The smallest effect that matters, as written beforehand."""
        value = _primary(self.begun.payload).get("smallest_effect_pct")
        return float(value) if isinstance(value, int | float) else None

    @property
    def void(self) -> bool:
        """Whether the run supports no verdict: void, or stopped before its end."""
        return self.ended is not None and self.ended.payload.outcome != "completed"

    @property
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
        pairs = [
            (point.value / math.exp(math.log1p(point.change_pct / 100)), point.value)
            for point in self.points
            if point.arm == arm and point.value is not None and point.change_pct is not None
        ]
        if not pairs:
            return None
        return _geometric(pair[0] for pair in pairs), _geometric(pair[1] for pair in pairs)


def run_views(history: History) -> tuple[RunView, ...]:
    """Every measuring run, oldest first."""
    return tuple(run_view(history, begun) for begun in history.runs)


def run_view(history: History, begun: Stamped[MeasuringRun]) -> RunView:
    """Gather what belongs to one run."""
    run = begun.payload.run
    launches = [item.payload for item in history.launches if item.payload.run == run]
    last = {launch.block: launch.attempt for launch in sorted(launches, key=lambda one: one.attempt)}
    stand = [launch for launch in launches if launch.attempt == last[launch.block]]
    trials = [item.payload for item in history.trials if item.payload.run == run]
    primary = _primary(begun.payload)
    return RunView(
        begun=begun,
        ended=_end(history, run),
        away_s=sum(item.payload.downtime_s for item in history.ends if item.payload.run == run),
        points=_points(history, stand, trials, (str(primary.get("metric")), primary.get("load"))),
        discarded=len(launches) - len(stand),
        verdicts=_newest(item for item in history.verdicts if item.payload.run == run),
        states=tuple(item for item in history.states if item.payload.run == run),
        labels=("simulated server",) if any(_simulated(launch) for launch in launches) else (),
    )


def _guards(run: MeasuringRun) -> set[tuple[str, int]]:
    return {(str(guard["metric"]), int(guard["load"])) for guard in run.criteria.get("guard") or ()}


def _end(history: History, run: str) -> Stamped[RunEnd] | None:
    """The last end, unless launches follow it: then the run was resumed."""
    ends = [item for item in history.ends if item.payload.run == run]
    later = [item for item in history.launches if item.payload.run == run and ends and item.seq > ends[-1].seq]
    return ends[-1] if ends and not later else None


def _newest(verdicts: Iterable[Stamped[Verdict]]) -> tuple[Stamped[Verdict], ...]:
    """One verdict an arm, metric and load: the last one."""
    last = {(item.payload.arm, item.payload.metric, item.payload.load): item for item in verdicts}
    return tuple(sorted(last.values(), key=lambda item: item.seq))


def _largest_first(item: Stamped[Verdict]) -> tuple[bool, float, str]:
    interval = item.payload.interval
    return interval is None, -interval.estimate_pct if interval else 0.0, item.payload.arm_name


def _primary(run: MeasuringRun) -> dict[str, Any]:
    primary = run.criteria.get("primary")
    return dict(primary) if isinstance(primary, dict) else {}


def _simulated(launch: Launch) -> bool:
    return any(SIMULATED in part.lower() for part in launch.argv)


def _points(
    history: History, launches: list[Launch], trials: list[Trial], wanted: tuple[str, object]
) -> tuple[Point, ...]:
    by_launch = {trial.launch: trial for trial in trials}
    values = {launch.launch: _value(by_launch.get(launch.launch), wanted) for launch in launches}
    return tuple(
        _point(history, launch, by_launch.get(launch.launch), values[launch.launch], _control(launches, values, launch))
        for launch in sorted(launches, key=lambda one: (one.block, one.position))
    )


def _value(trial: Trial | None, wanted: tuple[str, object]) -> float | None:
    if trial is None:
        return None
    found = [item.value for item in trial.metrics if (item.metric, item.load) == wanted and item.value > 0]
    return found[0] if found else None


def _control(launches: list[Launch], values: dict[str, float | None], of: Launch) -> float | None:
    """Mean log of baseline and placebo in the block; none unless both have a number."""
    controls = [one for one in launches if one.block == of.block and one.role in CONTROL_ROLES]
    logs = [math.log(value) for one in controls if (value := values[one.launch]) is not None]
    return sum(logs) / len(logs) if len(logs) == len(CONTROL_ROLES) else None


def _point(history: History, launch: Launch, trial: Trial | None, value: float | None, control: float | None) -> Point:
    known = value is not None and control is not None
    reason, detail = launch.reason, launch.detail
    if launch.outcome == "ran" and trial is not None and trial.reason is not None:
        reason, detail = trial.reason, trial.detail
    if launch.outcome == "ran" and value is None and reason is None:
        reason, detail = _failed_gate(history, launch)
    return Point(
        launch=launch.launch,
        block=launch.block,
        position=launch.position,
        role=launch.role,
        arm=launch.arm,
        name=history.arm_name(launch.arm) if launch.role == "arm" else launch.role,
        value=value,
        change_pct=change_pct(math.log(value) - control) if known and value and control is not None else None,
        reason=reason,
        detail=detail,
    )


def _failed_gate(history: History, launch: Launch) -> tuple[str | None, str]:
    for item in history.gates:
        gate = item.payload
        if gate.launch == launch.launch and not gate.passed:
            return gate.reason or gate.gate, gate.evidence
    return "no_trial", "no trial was recorded for this launch"


def _geometric(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))
