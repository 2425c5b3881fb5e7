"""How runs and targets are doing, from their files, the process table and the ledger. Looks only."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from harness import lease, procfs
from harness.hosts.base import Production
from harness.hosts.connection import GuardianError
from harness.vocabulary.target import Target
from harness.workflow.carrier import onlooker
from harness.workflow.events import MeasureEvent
from harness.workflow.production import state_dir
from harness.workflow.run_files import FarRun, RunFiles, known_runs
from ledger.entries import MeasuringRun, RunEnd
from ledger.store import Ledger

TAIL_BYTES = 65_536  # holds a hundred events or more; the last one says where a run is
NEWEST = 5  # runs of a target that are shown


class RunState(StrEnum):
    """Where a run is."""

    MEASURING = "measuring"  # its process lives and production is away, or on its way
    WAITING = "waiting"  # its process lives and production is left alone
    ENDED = "ended"  # its end is on record
    STOPPED = "stopped"  # its process ended in order, before the end; the same order goes on
    LOST = "lost"  # its process is gone without a word; the guardian brought production back
    ORDERED = "ordered"  # nobody has begun it, or it was refused before it began
    AWAY = "away"  # it was sent to another machine, and its record was not brought from there yet


@dataclass(frozen=True)
class RunStatus:
    """One run at one look."""

    run: str
    target: str
    state: RunState
    sentence: str
    done: int = 0  # launches
    total: int = 0
    seconds_left: float | None = None
    pid: int | None = None
    window: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


@dataclass(frozen=True)
class TargetStatus:
    """One target at one look: its production, who measures it, its newest runs, newest first."""

    target: str
    production: str
    measured_by: str
    runs: tuple[RunStatus, ...]
    as_wanted: bool = True  # false where production should be up and is not, or nobody could say

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def events_in(path: Path, start: int = 0) -> Iterator[tuple[int, MeasureEvent]]:
    """Every whole event from a byte on, with the place behind it. Half a line at either end is passed over."""
    if not path.exists():
        return
    with path.open("rb") as file:
        file.seek(start)
        for line in file:
            if not line.endswith(b"\n"):
                return
            start += len(line)
            if (event := event_in(line)) is not None:
                yield start, event


def event_in(line: bytes) -> MeasureEvent | None:
    """The event that a line is, none where it is none."""
    try:
        return MeasureEvent(**procfs.json_of(line))
    except (ValueError, TypeError):
        return None


def tail_start(path: Path) -> int:
    """A place in the file from which the last events can be read."""
    return max(0, path.stat().st_size - TAIL_BYTES) if path.exists() else 0


def run_status(workspace: Path, run: str, ledger: Ledger | None) -> RunStatus | None:
    """How one run is doing; none where nobody knows it. `ledger` is none where the workspace has none yet."""
    files = RunFiles.of(workspace, run)
    runner = files.runner()
    last = max(events_in(files.events, tail_start(files.events)), key=lambda found: found[0], default=None)
    event = last[1] if last else None
    plans = [plan for _, plan in ledger.of(MeasuringRun, run=run)] if ledger else []
    ends = [end for _, end in ledger.of(RunEnd, run=run)] if ledger else []
    if not files.folder.is_dir() and not plans:
        return None
    far = FarRun.of(files)
    target = plans[0].target if plans else far.target if far else runner.target if runner else ""
    if ends:
        state, sentence = RunState.ENDED, f"{ends[0].outcome}: {ends[0].detail}"
    elif far is not None:
        state, sentence = RunState.AWAY, f"it was sent to {far.ssh}; 'harness status {run}' asks there"
    elif runner is not None and runner.alive:
        waits = event is not None and event.what == "waiting"
        state, sentence = RunState.WAITING if waits else RunState.MEASURING, event.text if event else "it begins"
    elif event is not None and event.what == "end":
        state, sentence = RunState.STOPPED, event.text
    elif runner is not None and not plans and event is None:
        state, sentence = RunState.ORDERED, "its process ended before it began, and nothing was touched"
    elif runner is not None:
        state = RunState.LOST
        sentence = f"its process is gone without a word; go on with 'harness measure --order {files.order}'"
    else:
        state, sentence = RunState.ORDERED, "nobody has begun it"
    at_work = state in (RunState.MEASURING, RunState.WAITING)
    return RunStatus(
        run=run,
        target=target,
        state=state,
        sentence=sentence,
        done=event.done if event else 0,
        total=event.total if event else 0,
        seconds_left=event.seconds_left if event and at_work else None,
        pid=runner.pid if runner and at_work else None,
        window=runner.window if runner and at_work else "",
    )


async def target_status(workspace: Path, target: Target, ledger: Ledger | None) -> TargetStatus:
    """How a target is doing."""
    place = state_dir(workspace, target)
    try:
        async with onlooker(place, target) as looking:
            production = await looking.production()
        said, as_wanted = _said(production), production.held is not None or not production.wanted
    except GuardianError as error:
        said, as_wanted = f"unknown: {error}", False
    holder = lease.read(place) if place.is_dir() else None
    by = ""
    if holder is not None:
        gone = "" if procfs.same(holder.pid, holder.start_time) else ", a process that is gone"
        by = f"{holder.owner}, pid {holder.pid}{gone}, for {holder.run}"
    found = (run_status(workspace, run, ledger) for run in reversed(known_runs(workspace)))
    runs = [status for status in found if status is not None and status.target == target.name]
    return TargetStatus(target.name, said, by, tuple(runs[:NEWEST]), as_wanted)


def _said(production: Production) -> str:
    """Production in words."""
    if production.held is not None:
        return f"up, pid {production.held.pid}"
    return "down, and should be up" if production.wanted else "down, and nobody asked for it"
