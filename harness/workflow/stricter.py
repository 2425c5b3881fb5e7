"""What the accepted baseline has passed, read from the ledger, and the sentence for whoever asks for more (R3c)."""

from harness.gates.stricter import Passed, stricter
from harness.vocabulary.outcome import Role
from harness.workflow.order import Order
from ledger.entries import Gate, Launch, MeasuringRun, RunEnd
from ledger.queries import latest_acceptance
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
    """From the newest acceptance's run its arm's launches, else the newest completed run's baseline; none without."""
    accepted = latest_acceptance(ledger, target)
    if accepted is not None:
        return _passed(ledger, accepted[1].run, accepted[1].arm)
    completed = {end.run for _, end in ledger.of(RunEnd) if end.outcome == "completed"}
    runs = [plan.run for _, plan in ledger.of(MeasuringRun, target=target) if plan.run in completed]
    return _passed(ledger, runs[-1], None) if runs else None


def _passed(ledger: Ledger, run: str, arm: str | None) -> Passed | None:
    """Gates that held on every launch of the configuration that ran, and the newest launch's log."""
    launches = [one for _, one in ledger.of(Launch, run=run) if one.outcome == "ran" and _is(one, arm)]
    logs = [one.log for one in launches if one.log is not None]
    if not launches or not logs:
        return None
    named = {one.launch for one in launches}
    held: dict[str, set[str]] = {}
    for _, gate in ledger.of(Gate, run=run):
        if gate.launch in named and gate.passed:
            held.setdefault(gate.gate, set()).add(gate.launch)
    log = ledger.read_blob(logs[-1].sha256).decode("utf-8", errors="replace")
    return Passed(run, frozenset(gate for gate, where in held.items() if where == named), log)


def _is(launch: Launch, arm: str | None) -> bool:
    return launch.arm == arm if arm is not None else launch.role == Role.BASELINE.value
