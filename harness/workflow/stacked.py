"""Interactions of the stacked arms of a run, computed anew from the record each time. Reads the ledger only."""

from harness.verdicts.cells import layout
from harness.verdicts.interactions import Interaction, interactions
from harness.vocabulary.criteria import Criteria
from harness.workflow.admitted import arms_of
from harness.workflow.conclude import evidence_of
from ledger.entries import MeasuringRun, RunEnd
from ledger.store import Ledger


def stacked_in(ledger: Ledger, run: str) -> tuple[Interaction, ...]:
    """On the primary metric; none for a run without stacks, one that is void, or one that has not ended."""
    plan = next((planned for _, planned in ledger.of(MeasuringRun, run=run)), None)
    ends = [end for _, end in ledger.of(RunEnd, run=run)]
    if plan is None or not ends or ends[-1].outcome != "completed":
        return ()
    arms = arms_of(ledger, plan)
    if not any(arm.stack for arm in arms.values()):
        return ()
    criteria = Criteria.model_validate(plan.criteria)
    key = (criteria.primary.metric, criteria.primary.load)
    return interactions(layout(plan, criteria, evidence_of(ledger, plan)), key, arms, criteria.level)
