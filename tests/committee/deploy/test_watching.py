"""Looking again: what is measured against what, and what a verdict means for the acceptance, its ticket and belief."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from committee.accept.ticket import check, ticket_of
from committee.deploy.deploying import expired, wanted
from committee.deploy.watching import file_look, order_of
from harness.vocabulary.base import BadFileError
from ledger.belief import believed
from ledger.entries import MeasuringRun, Supersession, Verdict, Watch
from ledger.in_force import Decided, course_of
from ledger.standing import doubts
from ledger.store import LedgerError
from tests.committee.cli.yard import make
from tests.committee.deploy.yard import FAST, SLOW, DeployYard, make_yard

LATER = "9999-01-01T00:00:00.000000Z"


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeployYard]:
    """Two arms accepted, one after the other."""
    made = make_yard(make(tmp_path_factory.mktemp("watching") / "ws"))
    with made.bench.ledger:
        made.accept(FAST, "measure-000001")
        made.accept(SLOW, "measure-000002")
        yield made


def in_force(yard: DeployYard) -> Decided:
    decided = course_of(yard.bench.ledger, "small").now
    assert decided is not None
    return decided


def test_it_is_measured_against_the_baseline_before_it_by_the_criteria_it_was_accepted_by(yard: DeployYard) -> None:
    ledger, place = yard.bench.ledger, yard.bench.workspace
    order, decided = order_of(place, ledger, in_force(yard)), in_force(yard)
    first, second = (run for _, run in ledger.of(MeasuringRun))
    assert order.target.baseline.flags["token-s"] == 0.0005, "as the first acceptance left it"
    assert place.target("small")[0].baseline.flags["token-s"] == 0.009
    assert (order.target_sha256, order.criteria.model_dump(mode="json", by_alias=True)) == (
        second.target_sha256, second.criteria,
    )  # fmt: skip
    assert [item.arm.name for item in order.arms] == ["slow"]
    assert (order.proposal, order.tree) == (decided[1].proposal, decided[1].tree)
    assert order.run not in (first.run, second.run)
    before = course_of(ledger, "small").before(decided[0].seq)
    assert before is not None
    assert order_of(place, ledger, before).target.baseline.flags["token-s"] == 0.005, "as the person wrote it"


def test_a_verdict_of_now_is_filed_and_one_that_contradicts_marks_the_acceptance(yard: DeployYard) -> None:
    ledger, decided = yard.bench.ledger, in_force(yard)
    assert file_look(ledger, decided, "measure-nobody") == (
        "run measure-nobody has no primary verdict on 'slow', so nothing is filed"
    )
    yard.bench.measure("measure-000003", SLOW, load=2)
    held = file_look(ledger, decided, "measure-000003")
    assert isinstance(held, Watch) and held.outcome == "held" and "is FASTER again" in held.detail
    assert decided[0].id not in doubts(ledger) and not ledger.of(Supersession)
    yard.bench.measure("measure-000004", SLOW, load=2, speed="SAME")
    seen = file_look(ledger, decided, "measure-000004")
    assert isinstance(seen, Watch) and seen.outcome == "overturned"
    (entry, last) = ledger.of(Watch)[-1]
    ((_, mark),) = ledger.of(Supersession)
    assert last == seen and (mark.subject, mark.by, mark.person) == (decided[0].id, entry.id, "committee watch")
    evidence = [one.id for one, verdict in ledger.of(Verdict, run="measure-000004") if verdict.arm == SLOW.fingerprint]
    assert evidence == [seen.verdict] and evidence[0] not in doubts(ledger), "the evidence does not fall with it"
    ticket = ticket_of(ledger, decided[0].id)
    assert ticket is not None
    expired = check(yard.bench.workspace, ledger, decided, ticket).expired
    assert any(
        one.startswith(f"acceptance #{decided[0].seq} does not stand: replaced by committee watch: overturned: ")
        for one in expired
    )
    (held_now,) = [one for one in believed(ledger, LATER).accepted if one.entry.id == decided[0].id]
    assert "overturned" in held_now.doubts[-1].words


def test_a_look_that_was_interrupted_is_taken_up_and_an_ordinary_run_is_not(yard: DeployYard) -> None:
    ledger, place, decided = yard.bench.ledger, yard.bench.workspace, in_force(yard)
    yard.bench.measure("measure-000005", SLOW, load=2)
    runs = {run.run for _, run in ledger.of(MeasuringRun)}
    order = order_of(place, ledger, decided)
    assert order.run not in runs, "measured on top of itself, or filed"
    plan = ledger.of(MeasuringRun)[-1][1]
    ledger.append(plan.model_copy(update={"run": order.run, "target_sha256": order.target_sha256}))
    assert order_of(place, ledger, decided).run == order.run


def test_a_look_and_its_mark_are_on_record_together(yard: DeployYard) -> None:
    ledger = yard.bench.ledger
    decided = course_of(ledger, "small").before(in_force(yard)[0].seq)
    assert decided is not None
    yard.bench.measure("measure-000006", FAST, load=2, speed="SAME")
    before = ledger.head()
    with closing(sqlite3.connect(ledger.path)) as other:
        other.execute(
            "CREATE TRIGGER full BEFORE INSERT ON entry WHEN NEW.kind = 'supersession' "
            "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )
        with pytest.raises(LedgerError, match="the disk is full"):
            file_look(ledger, decided, "measure-000006")
        other.execute("DROP TRIGGER full")
    assert ledger.head() == before, "the look is filed with its mark, or not at all"
    seen = file_look(ledger, decided, "measure-000006")
    assert isinstance(seen, Watch) and marked_by(yard, decided) == looks_at(yard, decided)
    ledger.append(seen)  # as an earlier version left it when it was killed in between
    assert len(marked_by(yard, decided)) == 1 and len(looks_at(yard, decided)) == 2
    order_of(yard.bench.workspace, ledger, decided)  # a look begins, whether it may go on or not
    assert marked_by(yard, decided) == looks_at(yard, decided)


def test_a_mark_that_a_look_lacks_counts_before_a_ticket_is_checked(yard: DeployYard) -> None:
    place, ledger, decided = yard.bench.workspace, yard.bench.ledger, in_force(yard)
    lost = ledger.append(overturned(decided))
    assert lost.id not in marked_by(yard, decided)
    assert "does not stand: replaced by committee watch: overturned: it was slower" in str(
        expired(place, ledger, wanted(place, ledger, "small", "Ada"))
    )
    assert lost.id in marked_by(yard, decided)


def overturned(decided: Decided) -> Watch:
    """A look that overturns an acceptance, as an earlier version filed it."""
    entry, acceptance = decided
    return Watch(
        acceptance=entry.id,
        target=acceptance.target,
        arm=acceptance.arm,
        arm_name=acceptance.arm_name,
        run="measure-000007",
        verdict=acceptance.verdicts[0],
        metric="total_tok_s",
        load=2,
        accepted=None,
        seen=None,
        outcome="overturned",
        detail="it was slower",
    )


def looks_at(yard: DeployYard, decided: Decided) -> list[str | None]:
    """Entry hashes of the looks that overturned an acceptance."""
    return [made.id for made, _ in yard.bench.ledger.of(Watch, acceptance=decided[0].id)]


def marked_by(yard: DeployYard, decided: Decided) -> list[str | None]:
    """What its marks say it is replaced by."""
    return [mark.by for _, mark in yard.bench.ledger.of(Supersession, subject=decided[0].id)]


def test_a_target_that_is_gone_is_one_sentence(yard: DeployYard) -> None:
    file = yard.folder / "targets" / "small.toml"
    file.rename(file.with_suffix(".away"))
    try:
        with pytest.raises(BadFileError, match=r"small\.toml"):
            order_of(yard.bench.workspace, yard.bench.ledger, in_force(yard))
    finally:
        file.with_suffix(".away").rename(file)
