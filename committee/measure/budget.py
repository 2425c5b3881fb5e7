"""The server budget: how long measuring a proposal may keep production away, all its runs together."""

from harness.vocabulary.base import BadFileError
from harness.workflow.order import Order
from harness.workflow.plan import expected_downtime_s
from ledger.entries import Launch, MeasuringRun, RunEnd
from ledger.store import Ledger


def ask_budget(ledger: Ledger, order: Order, server_minutes: float) -> None:
    """Raises BadFileError with both figures where the order would exceed the proposal's budget.

    A run that is on record was admitted when it began and is not asked again: it goes on.
    """
    runs = [plan for _, plan in ledger.of(MeasuringRun, proposal=order.proposal)] if order.proposal else []
    if order.run in {plan.run for plan in runs}:
        return
    used_min = sum(_away_s(ledger, plan) for plan in runs) / 60
    expected_min = expected_downtime_s(order) / 60
    if used_min + expected_min > server_minutes:
        raise BadFileError(
            f"measuring would keep production of {order.target.name!r} away for about {expected_min:.1f} minutes and "
            f"{used_min:.1f} are used, but budget.server_minutes of {order.proposal!r} is {server_minutes:g}; "
            "measure fewer arms or blocks with --arm and --blocks, or raise it in proposal.toml, a new revision"
        )


def _away_s(ledger: Ledger, plan: MeasuringRun) -> float:
    """Seconds that a run took production away: as it ended, or by its share of launches where it has no end yet."""
    for _, end in ledger.of(RunEnd, run=plan.run):
        return end.downtime_s
    return plan.downtime_s * len(ledger.of(Launch, run=plan.run)) / max(1, len(plan.slots))
