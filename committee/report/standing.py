"""Pure: where production stands, from its states on record: what an accepted arm waits for, what a stop left behind."""

from dataclasses import dataclass

from committee.report.history import History, Stamped
from committee.report.phrases import Phrase
from committee.report.words import day, minute
from harness.workflow.way_up import way_up
from ledger.entries import Acceptance, TargetState

DOWN = frozenset({"down", "taken_down", "restore_failed"})


@dataclass(frozen=True)
class Standing:
    """Whether production is on record as started with an accepted arm, in words, and what a person does about it."""

    started: bool
    words: str
    command: str | None = None


def standing(history: History, accepted: Stamped[Acceptance]) -> Standing:
    """Of the newest acceptance of a target. Only states that were compared with the target's files tell."""
    target = accepted.payload.target
    states = history.states_of(target)
    later = [item for item in states if item.seq > accepted.seq]
    told = [item for item in later if item.payload.accepted is not None]
    start = f"harness start {target}"
    restart = start if states and _stopped(states[-1]) else f"harness stop {target} && {start}"
    if told and told[-1].payload.accepted == accepted.payload.arm:
        return Standing(True, Phrase("started_with_it", day=day(told[-1].time)))
    if told:
        return Standing(False, Phrase("started_without_it", day=day(told[-1].time)), restart)
    if any(item.payload.state == "up" for item in later):
        look = f"harness attest {target} --record"
        return Standing(False, Phrase("seen_up_only"), look)
    return Standing(False, Phrase("not_started_with_it"), restart)


@dataclass(frozen=True)
class Missing:
    """A target whose production is not up by its last state on record."""

    seen: Stamped[TargetState]
    alarm: bool  # a run took it down, or it failed to come back; else a person stopped it
    words: str
    commands: tuple[str, ...]  # what shows or mends it


def missing(history: History) -> tuple[Missing, ...]:
    """One for each target whose last state on record is not up."""
    last = {item.payload.target: item for item in history.states}
    return tuple(_missing(item, history) for item in last.values() if item.payload.state in DOWN)


def came_back(history: History, state: Stamped[TargetState]) -> Stamped[TargetState] | None:
    """The first later state on record in which production is up."""
    target = state.payload.target
    later = (item for item in history.states_of(target) if item.seq > state.seq)
    return next((item for item in later if item.payload.state not in DOWN), None)


def _missing(item: Stamped[TargetState], history: History) -> Missing:
    state, when = item.payload, minute(item.time)
    look, start = f"harness attest {state.target} --record", f"harness start {state.target}"
    if _stopped(item):
        key = "missing_stopped" if state.state == "taken_down" else "missing_down"
        said = Phrase(key, when=when, by=state.by, evidence=state.evidence)
        return Missing(item, False, said, (look, start))
    key = "missing_not_back" if state.state == "restore_failed" else "missing_taken_down"
    said = Phrase(key, run=state.run or "", when=when, evidence=state.evidence)
    states = tuple(known.payload.state for known in history.states_of(state.target))
    return Missing(item, True, said, (look, way_up(state.target, states, wanted=True)))


def _stopped(item: Stamped[TargetState]) -> bool:
    """Whether a person stopped it, or looked and found it down; no run and no failed return is behind it."""
    return item.payload.run is None and item.payload.state in ("down", "taken_down")
