"""Dated entries in seven categories: nothing left out, and marked with what it became."""

from dataclasses import replace

from committee.report.entries import Category, DatedEntry, claims_of, dated_entries
from committee.report.history import History, read_history
from committee.report.runs import RunView, run_views
from committee.report.standing import missing
from ledger.entries import TargetState
from ledger.store import Ledger
from tests.committee.report.sample import KNOBS, TARGET, Effect, Plan, append_run, state


def said(entry: DatedEntry, label: str) -> str:
    """The text of one fact."""
    return next(fact.text for fact in entry.facts if fact.label == label)


def test_the_seven_categories_are_always_there(history: History, views: tuple[RunView, ...]) -> None:
    found = dated_entries(history, views)
    assert list(found) == list(Category)
    counts = {category.name: len(entries) for category, entries in found.items()}
    assert counts == {
        "MEASUREMENTS": 3, "ACCEPTANCES": 2, "REVIEWS": 1, "EXCLUSIONS": 1, "PRODUCTION": 4, "PARKED": 2, "VOID": 1,
    }  # fmt: skip


def test_entries_stand_newest_first(history: History, views: tuple[RunView, ...]) -> None:
    for entries in dated_entries(history, views).values():
        assert [entry.seq for entry in entries] == sorted((entry.seq for entry in entries), reverse=True)


def test_a_superseded_acceptance_is_kept_and_marked(history: History, views: tuple[RunView, ...]) -> None:
    newest, oldest = dated_entries(history, views)[Category.ACCEPTANCES]
    assert (newest.kept, newest.marks) == (False, ("not yet started with: production has not been started with it",))
    assert oldest.kept
    assert oldest.marks[0].startswith("superseded by parallel-8 on 20")
    assert said(oldest, "reason") == "clears the 10 % written beforehand, text identical"


def test_an_overturned_measurement_is_kept_and_marked(history: History, views: tuple[RunView, ...]) -> None:
    later, early, knobs = dated_entries(history, views)[Category.MEASUREMENTS]
    assert any(mark.startswith("ubatch-1024: overturned by the run of") for mark in early.marks)
    assert not any("overturned" in mark for mark in later.marks)
    assert knobs.run is not None and knobs.run.discarded == 2
    assert said(knobs, "without production") == "6.2 min"


def test_measurements_of_an_older_baseline_carry_one_mark(history: History, views: tuple[RunView, ...]) -> None:
    knobs = dated_entries(history, views)[Category.MEASUREMENTS][-1]
    assert [mark for mark in knobs.marks if mark.startswith("measured before")] == [
        mark for mark in knobs.marks if "parallel-4" in mark
    ]


def test_a_void_run_keeps_its_launches_and_says_why(history: History, views: tuple[RunView, ...]) -> None:
    (void,) = dated_entries(history, views)[Category.VOID]
    assert (void.kept, void.marks) == (True, ("void: supports no verdict",))
    assert void.run is not None
    assert len(void.run.points) == 12
    assert said(void, "end").startswith("void: placebo_differs: the placebo's interval")


def test_a_review_names_who_took_part_and_who_is_missing(history: History, views: tuple[RunView, ...]) -> None:
    (review,) = dated_entries(history, views)[Category.REVIEWS]
    assert said(review, "took part") == "glm (recorded), minimax (recorded), gemma (small CPU model)"
    assert said(review, "left out whole") == "agent (live)"
    assert said(review, "quorum") == "3 complete reviews, 2 needed"
    assert len(claims_of(history, views, review)) == 5


def test_a_missed_quorum_is_marked(history: History) -> None:
    alone = replace(history, reviews=history.reviews[:1], briefs=())
    (review,) = dated_entries(alone, ())[Category.REVIEWS]
    assert (review.marks, said(review, "brief")) == (("quorum not reached",), "none")


def test_an_exclusion_says_its_reason(history: History, views: tuple[RunView, ...]) -> None:
    (exclusion,) = dated_entries(history, views)[Category.EXCLUSIONS]
    assert said(exclusion, "reason") == "did_not_start"
    assert said(exclusion, "what happened") == "the command ended with 127 before it wrote anything"


def test_production_down_and_back_is_one_entry_a_run(history: History, views: tuple[RunView, ...]) -> None:
    found = dated_entries(history, views)[Category.PRODUCTION]
    assert {entry.title for entry in found} == {f"{TARGET}: taken down → restored"}
    assert {entry.marks for entry in found} == {()}
    assert missing(history) == ()


def test_production_that_did_not_come_back_is_an_alarm(empty: Ledger) -> None:
    empty.append(state("measure-20260804-knobs", "taken_down", "SIGTERM sent"))
    history = read_history(empty)
    assert [(item.seen.payload.target, item.alarm) for item in missing(history)] == [(TARGET, True)]
    (entry,) = dated_entries(history, ())[Category.PRODUCTION]
    assert entry.marks == ("not shown to be back",)
    back = TargetState(
        target=TARGET, state="up", by="a person", run=None, pid=1, start_time=1, url=None, evidence="listening"
    )
    empty.append(back)
    after = read_history(empty)
    assert missing(after) == ()
    newest, down = dated_entries(after, ())[Category.PRODUCTION]
    assert newest.marks == () and down.marks[0].startswith("up again by 20")


def test_a_run_without_an_end_says_so(history: History) -> None:
    running = replace(history, ends=(), verdicts=())
    found = dated_entries(running, run_views(running))[Category.MEASUREMENTS]
    assert len(found) == 4
    assert said(found[0], "end").startswith("no end is recorded")


def test_a_stopped_run_stands_with_the_void_ones(empty: Ledger) -> None:
    append_run(empty, Plan(run="measure-run-one", proposal=KNOBS, effects={"one": Effect()}, end="stopped"))
    history = read_history(empty)
    (stopped,) = dated_entries(history, run_views(history))[Category.VOID]
    assert stopped.marks == ("stopped: supports no verdict",)


def test_a_later_round_of_a_review_is_named_as_one(history: History, views: tuple[RunView, ...]) -> None:
    (first,) = history.review_runs
    again = first.payload.model_copy(
        update={"run": "second-000001", "round": "second_look", "of_run": first.payload.run}
    )
    both = replace(history, review_runs=(first, replace(first, payload=again)))
    titles = [entry.title for entry in dated_entries(both, views)[Category.REVIEWS]]
    assert sorted(titles) == [KNOBS, f"{KNOBS} (second look)"]
