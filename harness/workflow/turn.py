"""Which block of a plan is next, and which of its launches are due: read from the ledger alone, at every turn anew."""

from collections.abc import Mapping
from dataclasses import dataclass

from harness.verdicts.cells import Evidence
from harness.verdicts.course import course
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.workflow.design import most_launches
from harness.workflow.plan import gates_of, progress_of, slots_of
from ledger.entries import Launch, MeasuringRun, Slot, Trial
from ledger.store import Ledger


@dataclass(frozen=True)
class Turn:
    """The next block."""

    block: int
    slots: tuple[Slot, ...]  # its launches in their order
    tries: int  # attempts begun before
    done: int  # launches of finished blocks
    left: int  # launches from here on, if no arm stops any more
    notes: tuple[str, ...]  # what screen and looks have said so far


def next_turn(ledger: Ledger, plan: MeasuringRun, arms: Mapping[str, Arm]) -> Turn | None:
    """The next block of a plan, none when nothing is left to launch."""
    progress = progress_of(ledger, plan)
    if plan.looks:
        return _after_looks(ledger, plan, arms, progress.tries)
    left = [block for block in range(plan.blocks) if block not in progress.finished]
    if not left:
        return None
    per_block = len(slots_of(plan, 0))
    done = per_block * len(progress.finished)
    return Turn(left[0], slots_of(plan, left[0]), progress.tries.get(left[0], 0), done, per_block * len(left), ())


def _after_looks(ledger: Ledger, plan: MeasuringRun, arms: Mapping[str, Arm], tries: Mapping[int, int]) -> Turn | None:
    evidence = Evidence(
        launches=[launch for _, launch in ledger.of(Launch, run=plan.run)],
        gates=gates_of(ledger, plan.run),
        trials=[(entry.id, trial) for entry, trial in ledger.of(Trial, run=plan.run)],
    )
    criteria = Criteria.model_validate(plan.criteria)
    state = course(plan, criteria, arms, evidence)
    block = state.next_block
    if block is None:
        return None
    due = [slot for slot in plan.slots if slot.arm is None or slot.arm in state.due[-1]]
    here = sorted((slot for slot in due if slot.block == block), key=lambda slot: slot.position)
    done = sum(2 + len(arms_then) for arms_then in state.due[:-1])
    left = min(sum(slot.block >= block for slot in due), most_launches(criteria, len(plan.arms)) - done)
    return Turn(block, tuple(here), tries.get(block, 0), done, left, tuple(state.notes))
