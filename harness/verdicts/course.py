"""How far a planned run has come, replayed from its record: who goes on, who stopped at which look, and what is next.

The block loop asks it for the next block and the verdicts ask it where each arm stopped. Nothing else is remembered, so
a run that was killed anywhere goes on as if it had not been, and the verdicts follow from the record alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from harness.verdicts.asked import Asked, Stop
from harness.verdicts.budget import would_exceed
from harness.verdicts.cells import Evidence, Layout, layout
from harness.verdicts.departures import departures
from harness.verdicts.one_look import Looked, end_without_look, look_at
from harness.verdicts.screen import choose
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Role, Speed
from harness.vocabulary.sequential import Because
from ledger.entries import MeasuringRun


@dataclass
class Course:
    """The state of a run. Filled by `course` alone."""

    due: list[frozenset[str]] = field(default_factory=list)  # arms of each block that was begun, or is next
    stops: dict[str, Stop] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)  # arms that carried no number in a finished block
    over: bool = False
    notes: list[str] = field(default_factory=list)  # one sentence for each screen, look and end

    @property
    def next_block(self) -> int | None:
        """The block to launch next, none when the run is over."""
        return None if self.over else len(self.due) - 1

    @property
    def unfinished(self) -> tuple[int, ...]:
        """The block that a run was cut short in, if it was."""
        return () if self.next_block is None else (self.next_block,)


def course(run: MeasuringRun, criteria: Criteria, arms: Mapping[str, Arm], evidence: Evidence) -> Course:
    """Replay a run that has looks, block by block, as far as its record goes. `arms` are the plan's by fingerprint."""
    asked = Asked(run, criteria, arms, layout(run, criteria, evidence), tuple(evidence.launches))
    state = Course()
    for block in range(run.blocks):
        due = _open(asked, state)
        if not any(asked.claims(arm) for arm in due):
            break
        state.due.append(due)
        if not finished(asked.cells, block, due):
            return state
        _after(asked, state, block)
        if state.over:
            return state
    state.over = True
    return state


def finished(cells: Layout, block: int, due: frozenset[str]) -> bool:
    """Whether the block's last attempt has every launch that was due, and both controls with a trial."""
    here = [cell for cell in cells.cells if cell.launch.block == block]
    ran = [cell for cell in here if cell.launch.outcome == "ran" and cell.trials]
    controls = [cell for cell in ran if cell.launch.role != Role.ARM.value]
    arms = {cell.launch.arm for cell in here if cell.launch.outcome == "invalid" or cell.trials}
    return len(controls) == 2 and due <= arms


def _open(asked: Asked, state: Course) -> frozenset[str]:
    return frozenset(arm for arm in asked.run.arms if arm not in state.stops and arm not in state.failed)


def _after(asked: Asked, state: Course, block: int) -> None:
    """What a finished block changes: failed arms leave, then the screen, a look or the budget speaks."""
    state.failed |= {
        cell.launch.arm
        for cell in asked.cells.cells
        if cell.launch.block == block and cell.launch.arm is not None and cell.failures
    }
    last_screened, numbers = asked.run.screen_blocks - 1, [look.blocks for look in asked.run.looks]
    done = block - last_screened
    if block == last_screened:
        left_out, note = choose(asked, sorted(_open(asked, state)))
        state.stops |= dict.fromkeys(left_out, asked.not_confirmed(Because.SCREEN))
        state.notes.append(note)
    if done in numbers:
        _look(asked, state, numbers.index(done), done)
    launches = 2 + len(_open(asked, state))
    if launches > 2 and done < numbers[-1] and would_exceed(asked.criteria, asked.launches_to(block), launches):
        _end_for_budget(asked, state, block, done)


def _look(asked: Asked, state: Course, index: int, done: int) -> None:
    gone = departures(state.stops, index + 1)
    looked = look_at(asked, index, done, sorted(_open(asked, state)), _sharing(asked, state), gone)
    _take(asked, state, looked)
    left = _open(asked, state)
    if looked.open_after and not any(asked.claims(arm) for arm in left):  # nothing is left to show beside controls
        state.stops |= {arm: looked.open_after[arm] for arm in left if arm in looked.open_after}


def _take(asked: Asked, state: Course, looked: Looked) -> None:
    state.stops |= looked.stopped
    said = [f"{asked.arms[arm].name} {stop.words}" for arm, stop in looked.stopped.items()]
    state.notes.append(f"{looked.name}: {', '.join(said) or 'nothing is decided'}")


def _end_for_budget(asked: Asked, state: Course, block: int, done: int) -> None:
    """The numbers so far are judged once more, at the level of the look that will not come; then the run is over.

    That level may be used early: what ends the run is the clock, and fewer blocks make the statistic depend more on the
    looks before it, so no arm crosses more often than planned.
    """
    if done >= 2:
        upcoming = next(index for index, look in enumerate(asked.run.looks) if look.blocks > done)
        gone = departures(state.stops, upcoming + 1)
        looked = look_at(asked, upcoming, done, sorted(_open(asked, state)), _sharing(asked, state), gone)
        decided = {arm: stop for arm, stop in looked.stopped.items() if stop.because is None}
        _take(asked, state, replace(looked, stopped=decided))
    left, sharing = sorted(_open(asked, state)), _sharing(asked, state)  # the same for each, whatever its name
    for arm in left:
        state.stops[arm] = end_without_look(asked, done, left, sharing)
    state.notes.append(f"the budget of server minutes ends the run after block {block + 1}")
    state.over = True


def _sharing(asked: Asked, state: Course) -> int:
    """Arms that share the level: those that were confirmed, less those that are FASTER already."""
    counted = asked.counted
    out = [state.stops[arm] for arm in counted if arm in state.stops]
    gone = sum(stop.because is Because.SCREEN or stop.speed is Speed.FASTER for stop in out)
    return max(1, len(counted) - gone)
