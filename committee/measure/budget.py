"""The server budget: how long measuring a proposal may keep production away, all its runs together."""

from harness.vocabulary.base import BadFileError
from harness.workflow.order import Order
from harness.workflow.plan import expected_downtime_s
from ledger.entries import Launch, MeasuringRun, RunEnd
from ledger.standing import withheld_in_runs
from ledger.store import Entry, Ledger


def ask_budget(ledger: Ledger, order: Order, server_minutes: float) -> None:
    """Raises BadFileError with both figures where the order would exceed the proposal's budget.

    A run that is on record was admitted when it began and is not asked again: it goes on.
    """
    if order.proposal is None or ledger.of(MeasuringRun, run=order.run, proposal=order.proposal):
        return
    used, expected_min = used_min(ledger, order.proposal), expected_downtime_s(order) / 60
    if used + expected_min > server_minutes:
        raise BadFileError(
            f"measuring would keep production of {order.target.name!r} away for about {expected_min:.1f} minutes and "
            f"{used:.1f} are used, but budget.server_minutes of {order.proposal!r} is {server_minutes:g}; "
            "measure fewer arms or blocks with --arm and --blocks, or raise it in proposal.toml, a new revision"
        )


def used_min(ledger: Ledger, proposal: str) -> float:
    """Server minutes that all measuring runs of a proposal have taken so far."""
    withheld = withheld_in_runs(ledger, {Launch.kind})
    plans = ledger.of(MeasuringRun, proposal=proposal)
    return sum(_away_s(ledger, plan, withheld.get(entry.seq, ())) for entry, plan in plans) / 60


def _away_s(ledger: Ledger, plan: MeasuringRun, withheld: tuple[Entry, ...]) -> float:
    """Seconds that a run took production away: as it ended, or by its share of launches where it has no end yet.

    A launch that is withheld took its time all the same.
    """
    for _, end in ledger.of(RunEnd, run=plan.run):
        return end.downtime_s
    launches = len(ledger.of(Launch, run=plan.run)) + len(withheld)
    return plan.downtime_s * launches / max(1, len(plan.slots))
