"""The questions and what rests on what give the same answers of a real server as of a file."""

from pathlib import Path

from ledger import asking
from ledger.before import measured_before
from ledger.entries import Gate, Invalidation, Rollback, Ticket, TicketPart, Trial
from ledger.standing import all_resting_on, conclusions_on, doubts, with_fact
from ledger.store import Ledger
from tests.ledger.examples import RUN, A, B, acceptance, launch, machine, model, verdict
from tests.ledger.test_asking import arm, predicted
from tests.ledger.test_standing import measuring_run

LATER = "m-20261130-0002"


def test_every_question_is_answered_alike(place: Path | str) -> None:
    with Ledger.open(place, actor="test", create=True) as ledger:
        ledger.append_all((arm(A, {"flags": {"x": 1}}), predicted("up", 5, 60), measuring_run(RUN), machine(RUN)))
        ledger.append(model(RUN, A))
        ran = ledger.append(launch())
        name = f"{RUN}/0/1"
        ledger.append(Gate(launch=name, run=RUN, gate="armed", passed=True, reason=None, evidence="x"))
        trial = ledger.append(Trial(launch=name, run=RUN, protocol="ladder", reason="x", metrics=(), detail=""))
        judged = ledger.append(verdict(trials=(trial.id,)))
        accepted = ledger.append(acceptance().model_copy(update={"verdicts": (judged.id,)}))
        parts = (TicketPart(name="driver", value="no card"),)
        ticket = ledger.append(Ticket(acceptance=accepted.id, target="local-llamacpp", sha256=B, parts=parts))
        back = {"target": "local-llamacpp", "leaves": accepted.id, "back_to": None}
        ledger.append(Rollback.model_validate(back | {"reason": "slower", "person": "Ada"}))
        ledger.append_all((measuring_run(LATER), machine(LATER, driver="570.1"), model(LATER)))
        for found in (
            asking.verdicts_on_setting(ledger, "x"),
            asking.predictions_that_held(ledger, "glm"),
            asking.measured_with_version(ledger, "0.1.0"),
            asking.measured_under_driver(ledger, "550.54.15"),
            asking.measured_on_card(ledger, "GPU-1"),
            asking.measured_with_model(ledger, "m.gguf"),
        ):
            assert [one.seq for one in found] == [judged.seq]
        assert [one.arm_name for one in asking.production_of(ledger, "local-llamacpp")] == [
            "four-slots",
            "back to its own file",
        ]
        changed = measured_before(ledger, [RUN, LATER])
        assert {run: one.words for run, one in changed.items()} == {RUN: "its driver changed from 550.54.15 to 570.1"}
        assert [one.id for one in conclusions_on(ledger, ran)] == [judged.id, accepted.id]
        assert [one.kind for one in all_resting_on(ledger, ran)] == ["gate", "trial", "verdict", "acceptance", "ticket"]
        ledger.append(Invalidation(subject=None, fact="driver=550.54.15", reason="slow", person="Ada"))
        assert {ran.id, judged.id, accepted.id, ticket.id} <= doubts(ledger).keys()
        (named, _later) = with_fact(ledger, f"model_file={B}")
        assert {ran.id, ticket.id} <= {one.id for one in all_resting_on(ledger, named)}
