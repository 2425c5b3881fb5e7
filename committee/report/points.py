"""Pure: a run's launches as they are plotted and listed, each against the control of its block."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from committee.report.evidence import Stamped
from committee.report.history import History
from committee.report.phrases import Phrase
from committee.report.words import change_pct
from ledger.entries import Launch, Trial

CONTROL_ROLES = ("baseline", "placebo")


@dataclass(frozen=True)
class Point:
    """One launch, as it is plotted and listed."""

    launch: str
    seq: int  # of the launch's entry
    trial_id: str | None  # entry of the trial that holds its number, or says why there is none
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
class Launched:
    """Every launch of a run that stands, and how many do not."""

    points: tuple[Point, ...]  # of the blocks that stand, in order of block and position
    discarded: int  # launches of broken blocks, which were thrown away whole


def launched(history: History, run: str, wanted: tuple[str, int]) -> Launched:
    """A run's launches with their number of the wanted metric and load."""
    launches = history.evidence.launches(run)
    attempts: dict[int, int] = {}
    for item in launches:
        attempts[item.payload.block] = max(item.payload.attempt, attempts.get(item.payload.block, 0))
    stand = [item for item in launches if item.payload.attempt == attempts[item.payload.block]]
    trials = {item.payload.launch: item for item in history.evidence.trials(run)}
    values = {item.payload.launch: _value(trials.get(item.payload.launch), wanted) for item in stand}
    controls = {block: _control([item.payload for item in stand], values, block) for block in attempts}
    points = tuple(
        _point(history, item, trials.get(item.payload.launch), values, controls[item.payload.block])
        for item in sorted(stand, key=lambda one: (one.payload.block, one.payload.position))
    )
    return Launched(points, len(launches) - len(stand))


def levels(points: Sequence[Point], arm: str) -> tuple[float, float] | None:
    """Geometric means of control and arm over the blocks where both have a number, in the metric's unit."""
    pairs = [
        (point.value / math.exp(math.log1p(point.change_pct / 100)), point.value)
        for point in points
        if point.arm == arm and point.value is not None and point.change_pct is not None
    ]
    if not pairs:
        return None
    return _geometric(pair[0] for pair in pairs), _geometric(pair[1] for pair in pairs)


def _value(trial: Stamped[Trial] | None, wanted: tuple[str, int]) -> float | None:
    if trial is None:
        return None
    found = [one.value for one in trial.payload.metrics if (one.metric, one.load) == wanted and one.value > 0]
    return found[0] if found else None


def _control(launches: Sequence[Launch], values: Mapping[str, float | None], block: int) -> float | None:
    """Mean log of baseline and placebo in the block; none unless both have a number."""
    controls = [one for one in launches if one.block == block and one.role in CONTROL_ROLES]
    logs = [math.log(value) for one in controls if (value := values[one.launch]) is not None]
    return sum(logs) / len(logs) if len(logs) == len(CONTROL_ROLES) else None


def _point(
    history: History,
    item: Stamped[Launch],
    trial: Stamped[Trial] | None,
    values: Mapping[str, float | None],
    control: float | None,
) -> Point:
    launch, value = item.payload, values[item.payload.launch]
    reason, detail = launch.reason, launch.detail
    if launch.outcome == "ran" and trial is not None and trial.payload.reason is not None:
        reason, detail = trial.payload.reason, trial.payload.detail
    if launch.outcome == "ran" and value is None and reason is None:
        reason, detail = _failed_gate(history, launch)
    return Point(
        launch=launch.launch,
        seq=item.seq,
        trial_id=trial.id if trial else None,
        block=launch.block,
        position=launch.position,
        role=launch.role,
        arm=launch.arm,
        name=history.arm_name(launch.arm) if launch.role == "arm" else Phrase(launch.role),
        value=value,
        change_pct=None if value is None or control is None else change_pct(math.log(value) - control),
        reason=reason,
        detail=detail,
    )


def _failed_gate(history: History, launch: Launch) -> tuple[str | None, str]:
    for item in history.evidence.gates(launch.launch):
        gate = item.payload
        if not gate.passed:
            return gate.reason or gate.gate, gate.evidence
    return "no_trial", Phrase("no_trial_recorded")


def _geometric(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))
