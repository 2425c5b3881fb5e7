"""What is in force on a target: acceptances, rollbacks, and what rests on which while it was."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.entries import Invalidation, MeasuringRun, Rollback, Supersession, Watch
from ledger.in_force import course_of
from ledger.standing import doubts
from ledger.store import Entry, Ledger
from tests.ledger.examples import A, B, acceptance, every_kind, verdict

TARGET = "local-llamacpp"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as made:
        yield made


def back(ledger: Ledger, leaves: Entry, to: Entry | None) -> Entry:
    """A person goes back."""
    return ledger.append(
        Rollback(target=TARGET, leaves=leaves.id, back_to=to.id if to else None, reason="too hot", person="Ada")
    )


def run(ledger: Ledger, name: str) -> Entry:
    """A measuring run is planned."""
    plan = next(one for one in every_kind(ledger.put_blob(b"x", "text/plain")) if isinstance(one, MeasuringRun))
    return ledger.append(plan.model_copy(update={"run": name}))


def test_acceptances_push_and_rollbacks_go_back(ledger: Ledger) -> None:
    assert course_of(ledger, TARGET).now is None
    first = ledger.append(acceptance())
    second = ledger.append(acceptance(supersedes=first.id))
    gone = back(ledger, second, first)
    now = course_of(ledger, TARGET).now
    assert now is not None and now[0] == first
    last = back(ledger, first, None)
    assert course_of(ledger, TARGET).now is None
    course = course_of(ledger, TARGET)
    in_force = {seq: decided[0].seq if (decided := course.before(seq)) else None for seq in range(1, 6)}
    assert in_force == {1: None, 2: first.seq, gone.seq: second.seq, last.seq: first.seq, last.seq + 1: None}
    assert course_of(ledger, "another").changes == ()


def test_a_run_rests_on_the_acceptance_that_was_in_force_when_it_began(ledger: Ledger) -> None:
    first = ledger.append(acceptance())
    second = ledger.append(acceptance(supersedes=first.id))
    on_second = run(ledger, "m-20261201-0001")
    back(ledger, second, first)
    on_first = run(ledger, "m-20261201-0002")
    ledger.append(Invalidation(subject=first.id, fact=None, reason="wrong card", person="Ada"))
    assert on_first.id in doubts(ledger) and on_second.id not in doubts(ledger)
    assert second.id not in doubts(ledger)


def test_a_look_that_overturns_an_acceptance_does_not_fall_with_it(ledger: Ledger) -> None:
    accepted = ledger.append(acceptance())
    looked = run(ledger, "m-20261201-0009")
    again = ledger.append(verdict("m-20261201-0009", speed="SAME"))
    watch = ledger.append(
        Watch(
            acceptance=accepted.id, target=TARGET, arm=A, arm_name="four-slots", run="m-20261201-0009",
            verdict=again.id, metric="total_tok_s", load=4, accepted=None, seen=None, outcome="overturned", detail="d",
        )
    )  # fmt: skip
    ledger.append(Supersession(subject=accepted.id, by=watch.id, reason="overturned", person="committee watch"))
    assert accepted.id in doubts(ledger)
    assert not {looked.id, again.id, watch.id} & doubts(ledger).keys()
    ledger.append(Invalidation(subject=looked.id, fact=None, reason="throttled", person="Ada"))
    assert {again.id, watch.id} <= doubts(ledger).keys()
    assert B not in doubts(ledger)
