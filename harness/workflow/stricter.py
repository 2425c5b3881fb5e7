"""What the accepted baseline has passed, read from the ledger, and the sentence for whoever asks for more (R3c)."""

from harness.gates.stricter import Passed, stricter
from harness.workflow.accepted_run import accepted_launches
from harness.workflow.order import Order
from ledger.entries import Gate
from ledger.store import Ledger


def stricter_than_accepted(ledger: Ledger, order: Order) -> str | None:
    """Why this order needs a person's word, in one sentence; none where it asks for nothing new.

    The word is `--stricter`. Where nothing of the baseline is on record, nothing is known to turn red.
    """
    passed = passed_by_baseline(ledger, order.target.name)
    if passed is None:
        return None
    more = stricter(order.target, order.criteria.gates, passed)
    if not more:
        return None
    return (
        f"target and criteria ask for more than the accepted baseline passed in run {passed.run} ({'; '.join(more)}); "
        "production may turn red by it, which is a person's decision: correct the gate, or say --stricter"
    )


def passed_by_baseline(ledger: Ledger, target: str) -> Passed | None:
    """Gates that held on every launch of the accepted baseline that ran, and the newest one's log; none without."""
    launches = accepted_launches(ledger, target)
    logs = [one.log for one in launches if one.log is not None]
    if not logs:
        return None
    run, named = launches[-1].run, {one.launch for one in launches}
    held: dict[str, set[str]] = {}
    for _, gate in ledger.of(Gate, run=run):
        if gate.launch in named and gate.passed:
            held.setdefault(gate.gate, set()).add(gate.launch)
    log = ledger.read_blob(logs[-1].sha256).decode("utf-8", errors="replace")
    return Passed(run, frozenset(gate for gate, where in held.items() if where == named), log)
