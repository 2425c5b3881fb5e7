"""A run or an entry is found by a unique beginning of its id; else one sentence names the candidates."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from committee.cli.naming import entry_named, measuring_run_named, review_run_named
from committee.cli.record import log_lines
from harness.vocabulary.base import BadFileError
from ledger.entries import Parked, ReviewerSeat, ReviewRun
from ledger.store import Ledger, LedgerError

FIRST, SECOND, THIRD = "review-20260101-120000-ab12", "review-20260101-120000-cd34", "review-20260203-080000-ef56"
SEAT = ReviewerSeat(name="a", reviewer_kind="recorded", model="m", label="recorded", timeout_s=60)


def begun(run: str) -> ReviewRun:
    """A review run's beginning."""
    return ReviewRun(run=run, proposal="0001-x", tree="0" * 40, quorum=1, reviewers=(SEAT,), template_sha256="b" * 64)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A ledger of three review runs and enough other entries for two ids that begin alike."""
    with Ledger.open(tmp_path_factory.mktemp("named") / "records.db", actor="test", create=True) as made:
        made.append_all(
            [begun(FIRST), begun(SECOND), begun(THIRD), Parked(subject="x", proposal=None, reason="y", person="z")]
        )
        yield made


@pytest.mark.parametrize("text", [THIRD, THIRD[:-1], "review-202602", "202602", "20260203-08"])
def test_a_unique_beginning_is_the_run(ledger: Ledger, text: str) -> None:
    assert review_run_named(ledger, text) == THIRD


def test_an_ambiguous_beginning_names_its_candidates(ledger: Ledger) -> None:
    with pytest.raises(BadFileError) as caught:
        review_run_named(ledger, "20260101")
    assert str(caught.value) == f"several review runs begin with '20260101': {FIRST}, {SECOND}; give more of one"


@pytest.mark.parametrize("text", ["review-2027", "x", "", "review"])
def test_an_unknown_one_names_what_there_is(ledger: Ledger, text: str) -> None:
    with pytest.raises(BadFileError, match=r"(there is no|several) review runs? .*" + THIRD):
        review_run_named(ledger, text)


def test_where_there_is_none_yet_it_is_said(ledger: Ledger) -> None:
    with pytest.raises(BadFileError, match=r"no measuring run '2026' .*; there is none yet; leave --run away"):
        measuring_run_named(ledger, "2026", "; leave --run away to begin one")


def test_show_takes_numbers_ids_and_runs(ledger: Ledger) -> None:
    entries = list(ledger.entries())
    assert entry_named(ledger, "2").id == entry_named(ledger, entries[1].id[:10]).id == entries[1].id
    assert entry_named(ledger, "review-202602").seq == 3
    with pytest.raises(LedgerError, match=r"no entry '99999'.*there are entries 1 to 4"):
        entry_named(ledger, "99999")
    with pytest.raises(LedgerError, match=r"no entry 'zzz'.*there are entries 1 to 4"):
        entry_named(ledger, "zzz")


def test_entries_that_begin_alike_are_named(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        ledger.append_all([Parked(subject=str(number), proposal=None, reason="y", person="z") for number in range(40)])
        by_first: dict[str, list[str]] = {}
        for entry in ledger.entries():
            by_first.setdefault(entry.id[0], []).append(entry.id[:12])
        first, alike = next((digit, ids) for digit, ids in by_first.items() if len(ids) > 1 and not digit.isdecimal())
        with pytest.raises(LedgerError) as caught:
            entry_named(ledger, first)
        assert all(entry_id in str(caught.value) for entry_id in alike[-5:])
        assert "give more digits" in str(caught.value)


def test_the_log_shows_every_runs_id_whole_on_one_line(ledger: Ledger) -> None:
    head, *lines = log_lines(list(ledger.entries()))
    assert head.split() == ["seq", "time", "kind", "run", "id", "what"]
    assert [run in line for run, line in zip((FIRST, SECOND, THIRD), lines[:3], strict=True)] == [True] * 3
    assert all(line.index("  review-2026") == lines[0].index("  review-2026") for line in lines[:3])
    assert "review-" not in lines[3]
