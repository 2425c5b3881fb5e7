"""What measuring more would cost, told to the report by the workspace as it is now. Values only; it reads nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.vocabulary.target import Planning
from harness.workflow.going_on import new_run_min
from ledger.entries import MeasuringRun, Verdict


@dataclass(frozen=True)
class Outlook:
    """Figures by target and by proposal; what is not in them is not known, and nothing is said of it."""

    planning: Mapping[str, Planning] = field(default_factory=dict)  # by target
    target_sha256: Mapping[str, str] = field(default_factory=dict)  # of each target's files now
    left_min: Mapping[str, float] = field(default_factory=dict)  # by proposal: server minutes left of its budget
    asked_blocks: Mapping[str, int] = field(default_factory=dict)  # by proposal: what its own criteria ask for

    def run_min(self, run: MeasuringRun, blocks: int) -> float | None:
        """Server minutes of a new run of one arm under the run's criteria, as its dry run would say."""
        planning = self.planning.get(run.target)
        return None if planning is None else new_run_min(planning, run.criteria, blocks)

    def short_of(self, run: MeasuringRun, minutes: float | None) -> float | None:
        """What is left of the proposal's budget where that is less than these minutes; none where it suffices."""
        left = self.left_min.get(run.proposal or "")
        return left if left is not None and minutes is not None and minutes > left else None

    def too_few(self, run: MeasuringRun, verdict: Verdict) -> int | None:
        """The blocks that are asked for where the verdict has fewer; none where it has enough.

        The proposal says how many; without a proposal that can be read, those that the run planned.
        """
        asked = self.asked_blocks.get(run.proposal or "", run.blocks - run.screen_blocks)
        return asked if blocks_behind(run, verdict) < asked else None

    def moved_on(self, run: MeasuringRun) -> bool:
        """Whether the target's files are known to be others than those that the run measured."""
        return self.target_sha256.get(run.target, run.target_sha256) != run.target_sha256


def blocks_behind(run: MeasuringRun, verdict: Verdict) -> int:
    """Blocks that count: those that were whole, and all of a run with looks, which ends early by its own rule.

    The passes of a screen are in the plan's number and decide nothing.
    """
    planned = run.blocks - run.screen_blocks
    return planned if run.looks else min(planned, verdict.blocks)


NOTHING_KNOWN = Outlook()
