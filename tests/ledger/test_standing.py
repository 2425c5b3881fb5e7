"""Truth maintenance: what is struck opens everything that rests on it, nothing before it, and can be taken back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from ledger import entries as e
from ledger.belief import believed
from ledger.errors import LedgerError
from ledger.standing import all_resting_on, doubts, with_fact
from ledger.store import Entry, Ledger
from ledger.withhold import Wanted, withhold
from tests.ledger.examples import RUN, TREE, A, B, C, acceptance, every_kind, launch, model, verdict, watch


class Made:
    """A ledger with one measured and accepted arm; entries by name."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.run = self.add(measuring_run(RUN))
        self.launch = self.add(launch())
        self.gate = self.add(
            e.Gate(launch=f"{RUN}/0/1", run=RUN, gate="ready", passed=True, reason=None, evidence="up", texts=None)
        )
        self.trial = self.add(
            e.Trial(
                launch=f"{RUN}/0/1", run=RUN, protocol="ladder", reason=None, detail="",
                metrics=(e.Metric(metric="total_tok_s", load=4, value=86.7, samples=1),),
            )
        )  # fmt: skip
        self.verdict = self.add(verdict(trials=(self.trial.id,)))
        self.accepted = self.add(acceptance().model_copy(update={"verdicts": (self.verdict.id,)}))

    def add(self, payload: e.Payload) -> Entry:
        return self.ledger.append(payload)

    def strike(self, entry: Entry) -> Entry:
        return self.add(e.Invalidation(subject=entry.id, fact=None, reason="a throttled card", person="Ada"))


def measuring_run(run: str, version: str = "0.1.0", target: str = "local-llamacpp") -> e.MeasuringRun:
    return e.MeasuringRun(
        run=run, target=target, target_sha256=C, proposal="0001-knob", tree=TREE, criteria={}, arms=(A,),
        seed=1, blocks=4, slots=(), downtime_s=300, harness_version=version,
    )  # fmt: skip


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        yield Made(ledger)


def test_conclusions_that_rest_on_a_launch(made: Made) -> None:
    found = all_resting_on(made.ledger, made.launch)
    assert [one.id for one in found] == [made.gate.id, made.trial.id, made.verdict.id, made.accepted.id]


def test_a_struck_launch_opens_everything_that_rests_on_it_and_nothing_before(made: Made) -> None:
    made.strike(made.launch)
    found = doubts(made.ledger)
    assert set(found) == {one.id for one in (made.launch, made.gate, made.trial, made.verdict, made.accepted)}
    assert found[made.launch.id][0].struck
    assert not found[made.accepted.id][0].struck
    assert "#2 that it rests on was struck by Ada: a throttled card" in found[made.accepted.id][0].words


def test_a_verdict_rests_on_how_its_run_ended_and_on_launches_and_gates_without_a_number(made: Made) -> None:
    again = made.add(launch(block=1).model_copy(update={"launch": "second", "attempt": 2}))
    gate = made.add(e.Gate(launch="second", run=RUN, gate="capability", passed=False, reason="x", evidence="no"))
    broken = made.add(launch(block=1))
    other = made.add(launch(block=2).model_copy(update={"launch": "third", "arm": B}))
    said = made.add(verdict(metric="user_tok_s", trials=()))
    end = made.add(e.RunEnd(run=RUN, outcome="completed", reason=None, detail="", downtime_s=3))
    known = {end.id: {said.id, made.verdict.id, made.accepted.id}, again.id: {gate.id, said.id}, gate.id: {said.id}}
    for entry in (end, again, gate, broken, other):
        assert {one.id for one in all_resting_on(made.ledger, entry)} == known.get(entry.id, set())


def test_a_strike_that_is_struck_has_no_effect_and_neither_was_removed(made: Made) -> None:
    mark = made.strike(made.launch)
    back = made.strike(mark)
    assert set(doubts(made.ledger)) == {mark.id}
    made.strike(back)
    assert made.accepted.id in doubts(made.ledger)
    assert len(list(made.ledger.entries("invalidation"))) == 3


def test_a_fact_strikes_every_run_that_was_made_with_it_before_or_after(made: Made) -> None:
    other = made.add(measuring_run("m-20261130-0002", version="0.2.0", target="other"))
    made.add(e.Invalidation(subject=None, fact="harness_version=0.1.0", reason="it timed wrongly", person="Ada"))
    after = made.add(measuring_run("m-20261201-0003", target="other"))
    found = doubts(made.ledger)
    assert made.verdict.id in found
    assert after.id in found
    assert other.id not in found


def test_an_accepted_baseline_that_falls_opens_what_was_measured_against_it(made: Made) -> None:
    later = made.add(measuring_run("m-20261130-0002"))
    second = made.add(acceptance(supersedes=made.accepted.id))
    much_later = made.add(measuring_run("m-20261201-0003"))
    made.strike(made.accepted)
    found = doubts(made.ledger)
    assert later.id in found
    assert second.id not in found
    assert much_later.id not in found


def test_a_superseded_conclusion_stays_and_opens_what_rests_on_it(made: Made) -> None:
    made.add(e.Supersession(subject=made.verdict.id, by=None, reason="a longer soak says otherwise", person="Ada"))
    found = doubts(made.ledger)
    assert found[made.verdict.id][0].words == "replaced by Ada: a longer soak says otherwise"
    assert made.accepted.id in found
    assert made.ledger.find(made.verdict.id) == made.verdict


def test_what_was_believed_then_knows_only_the_doubts_of_then(made: Made) -> None:
    before = made.accepted.time
    made.strike(made.launch)
    then = believed(made.ledger, before)
    assert [held.words for held in then.accepted] == ["local-llamacpp: four-slots accepted by Ada"]
    assert then.accepted[0].doubts == ()
    now = believed(made.ledger, "2999-01-01T00:00:00.000000Z")
    assert len(now.accepted[0].doubts) == 1
    assert "FASTER, +44.5 % (+30.2 to +60.0), text IDENTICAL" in now.measured[0].words
    assert believed(made.ledger, "2000-01-01T00:00:00.000000Z").accepted == ()


@pytest.mark.parametrize(
    ("fact", "struck"),
    [
        ("model_file=/models/m.gguf", True),
        (f"model_file={B}", True),
        (f"model_file={C}", True),
        ("model_file=n", False),
    ],
)
def test_a_model_file_that_falls_opens_what_was_measured_with_it(made: Made, fact: str, struck: bool) -> None:
    run = "m-20261130-0002"
    made.add(measuring_run(run, target="other"))
    before = made.add(model(run))
    other = made.add(model(run, B, name="b.gguf", path="/models/b.gguf", sample_sha256=A))
    mine = made.add(launch(run).model_copy(update={"launch": "one", "arm": None}))
    its = made.add(launch(run).model_copy(update={"launch": "two", "arm": B}))
    made.add(model("m-20261130-0003", sha256=C))  # somebody read the very same file whole later
    made.add(e.Invalidation(subject=None, fact=fact, reason="it is not what its name says", person="Ada"))
    found = doubts(made.ledger)
    assert (before.id in found, mine.id in found) == (struck, struck)
    assert other.id not in found and its.id not in found


def test_a_task_that_falls_opens_its_kernel_verdicts(made: Made) -> None:
    blob = made.ledger.put_blob(b"{}", "application/json")
    kernels = [one for one in every_kind(blob) if isinstance(one, e.KernelVerdict | e.KernelRun)]
    entries = made.ledger.append_all(kernels)
    for one, fact in zip(kernels, ("task_sha256", "device"), strict=True):
        strike = e.Invalidation(subject=None, fact=f"{fact}={getattr(one, fact)}", reason="wrong", person="Ada")
        mark = made.add(strike)
        assert {entry.id for entry in entries} & set(doubts(made.ledger))
        made.strike(mark)
    assert not {entry.id for entry in entries} & set(doubts(made.ledger))


def test_what_follows_an_acceptance_rests_on_it(made: Made) -> None:
    ticket = e.Ticket(
        acceptance=made.accepted.id, target="local-llamacpp", sha256=B, parts=(e.TicketPart(name="a", value="b"),)
    )
    deployment = e.Deployment(
        deployment="d-1", target="local-llamacpp", acceptance=made.accepted.id, ticket=B, outcome="deployed",
        detail="up", away_s=1, person="Ada",
    )  # fmt: skip
    back = e.Rollback(target="local-llamacpp", leaves=A, back_to=made.accepted.id, reason="slower", person="Ada")
    follow = [made.add(ticket), made.add(deployment), made.add(back)]
    other = made.add(deployment.model_copy(update={"acceptance": A, "ticket": None}))
    assert [one.id for one in all_resting_on(made.ledger, made.accepted)] == [one.id for one in follow]
    assert [one.id for one in all_resting_on(made.ledger, follow[0])] == [follow[1].id]
    made.strike(made.launch)
    assert {one.id for one in follow} <= set(doubts(made.ledger)) and other.id not in doubts(made.ledger)


def test_a_mark_falls_with_the_look_that_it_rests_on_and_stands_again_with_it(made: Made) -> None:
    run = "m-20261130-0002"
    made.add(measuring_run(run))
    trial = made.add(made.trial.payload.model_copy(update={"run": run, "launch": "two"}))
    said = made.add(verdict(run, speed="SLOWER", trials=(trial.id,)))
    look = made.add(watch(run, acceptance=made.accepted.id, verdict=said.id, outcome="overturned"))
    mark = made.add(e.Supersession(subject=made.accepted.id, by=look.id, reason="overturned", person="committee watch"))
    assert doubts(made.ledger)[made.accepted.id][0].mark == mark
    strike = made.strike(trial)
    found = doubts(made.ledger)
    assert made.accepted.id not in found and look.id in found
    made.strike(strike)
    assert doubts(made.ledger)[made.accepted.id][0].mark == mark
    by_hand = made.add(e.Supersession(subject=made.accepted.id, by=said.id, reason="slower", person="Ada"))
    made.strike(trial)
    assert [one.mark for one in doubts(made.ledger)[made.accepted.id]] == [by_hand], "a person's mark stays"


def test_what_was_gone_back_from_is_not_believed_any_more(made: Made) -> None:
    second = made.add(acceptance(supersedes=made.accepted.id).model_copy(update={"arm_name": "eight-slots"}))
    ends = "2999-01-01T00:00:00.000000Z"
    for leaves, back_to, words in (
        (second.id, made.accepted.id, ["local-llamacpp: four-slots accepted by Ada"]),
        (made.accepted.id, None, []),
    ):
        made.add(e.Rollback(target="local-llamacpp", leaves=leaves, back_to=back_to, reason="slower", person="Ada"))
        assert [held.words for held in believed(made.ledger, ends).accepted] == words
    then = believed(made.ledger, second.time).accepted
    assert [held.words for held in then] == ["local-llamacpp: eight-slots accepted by Ada"]


def test_a_fact_that_is_none_is_refused(made: Made) -> None:
    with pytest.raises(LedgerError, match="harness_version=VALUE"):
        with_fact(made.ledger, "driver")


@pytest.mark.parametrize(("subject", "fact"), [(None, None), (A, "harness_version=1")])
def test_an_invalidation_strikes_an_entry_or_a_fact(subject: str | None, fact: str | None) -> None:
    with pytest.raises(ValidationError, match="either an entry or a fact"):
        e.Invalidation(subject=subject, fact=fact, reason="r", person="Ada")


def test_a_withheld_launch_cannot_be_known_and_opens_what_its_run_concluded(made: Made) -> None:
    withhold(made.ledger, Wanted(entries=(made.launch.id,)), reason="a token was in its arguments", person="Ada")
    found = doubts(made.ledger)
    assert {made.trial.id, made.verdict.id, made.accepted.id} <= set(found)
    assert "#2, a launch of its run, is withheld" in found[made.accepted.id][0].words


@pytest.mark.parametrize("name", ["run", "verdict", "accepted"])
def test_what_judges_is_never_withheld(made: Made, name: str) -> None:
    with pytest.raises(LedgerError, match="stays"):
        withhold(made.ledger, Wanted(entries=(getattr(made, name).id,)), reason="r", person="Ada")


def test_a_mark_is_never_withheld(made: Made) -> None:
    mark = made.strike(made.launch)
    with pytest.raises(LedgerError, match="is a invalidation and stays"):
        withhold(made.ledger, Wanted(entries=(mark.id,)), reason="r", person="Ada")


def test_a_struck_review_of_a_later_round_opens_the_brief_of_its_run(made: Made) -> None:
    blob = made.ledger.put_blob(b"x", "text/plain")
    run = next(one for one in every_kind(blob) if isinstance(one, e.ReviewRun))
    brief = next(one for one in every_kind(blob) if isinstance(one, e.Brief))
    review = next(one for one in every_kind(blob) if isinstance(one, e.Review))
    made.add(run)
    made.add(run.model_copy(update={"run": "second-20261129-0001", "of_run": run.run}))
    later = made.add(review.model_copy(update={"run": "second-20261129-0001"}))
    written = made.add(brief.model_copy(update={"run": run.run}))
    made.strike(later)
    assert written.id in doubts(made.ledger)
