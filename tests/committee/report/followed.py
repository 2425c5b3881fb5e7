"""What follows acceptances, and verdicts of the kernel bench: more of the made-up history, after `sample.py`."""

from ledger.entries import (
    Acceptance,
    Deployment,
    KernelVerdict,
    Rollback,
    Supersession,
    Ticket,
    TicketPart,
    Verdict,
    Watch,
)
from ledger.store import Ledger
from tests.committee.report.sample import KNOBS_RUN
from tests.ledger.examples import INTERVAL, every_kind

OTHER = "other-server"


def append_followed(ledger: Ledger) -> None:
    """What follows an acceptance on another target: a ticket, deployments, a look that overturned it, going back."""
    made = ledger.of(Acceptance)[0][1].model_copy(update={"target": OTHER, "supersedes": None})
    accepted = ledger.append(made)
    parts = (
        TicketPart(name="arm", value=f"{made.arm} attested {'e' * 64}"),
        TicketPart(name="driver", value="no card"),
    )
    ticket = Ticket(acceptance=accepted.id, target=OTHER, sha256="f" * 64, parts=parts)
    ledger.append(ticket)
    for name, end in (("deploy-1", "failed"), ("deploy-2", "deployed"), ("deploy-3", "")):
        for outcome in ("begun", end) if end else ("begun",):
            values = {
                "deployment": name, "target": OTHER, "acceptance": accepted.id, "ticket": ticket.sha256,
                "outcome": outcome, "detail": f"it {outcome}", "away_s": 3.0, "person": "Ada",
            }  # fmt: skip
            ledger.append(Deployment.model_validate(values))
    verdict = ledger.of(Verdict, run=KNOBS_RUN.run, arm=made.arm, primary=True)[0]
    look = Watch(
        acceptance=accepted.id, target=OTHER, arm=made.arm, arm_name=made.arm_name, run=KNOBS_RUN.run,
        verdict=verdict[0].id, metric="total_tok_s", load=4, accepted=verdict[1].interval,
        seen=INTERVAL.model_copy(update={"low_pct": -9.0, "estimate_pct": -6.0, "high_pct": -3.0}),
        outcome="overturned", detail="total_tok_s at 4 users is SLOWER now",
    )  # fmt: skip
    looked = ledger.append(look)
    ledger.append(
        Supersession(subject=accepted.id, by=looked.id, reason=f"overturned: {look.detail}", person="committee watch")
    )
    ledger.append(Rollback(target=OTHER, leaves=accepted.id, back_to=None, reason="it was no gain", person="Ada"))


def append_kernels(ledger: Ledger) -> None:
    """Verdicts of the kernel bench, one of them on an arm that was caught."""
    report = ledger.put_blob(b"{}", "application/json")
    known = next(one for one in every_kind(report) if isinstance(one, KernelVerdict))
    caught = {
        "arm_name": "no-op", "shape": "", "mode": "", "validity": "INVALID", "reason": "wrong_result: it is all zeros",
        "speed": None, "time_us": None, "estimate_pct": None, "low_pct": None, "high_pct": None,
    }  # fmt: skip
    ledger.append_all((known, known.model_copy(update=caught)))
