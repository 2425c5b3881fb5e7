"""Reading the ledger once."""

from committee.report.history import History, read_history
from ledger.store import Ledger


def test_everything_is_read_up_to_the_head(ledger: Ledger, history: History) -> None:
    head = ledger.head()
    assert head is not None
    assert (history.head_seq, history.head_id) == (head.seq, head.id)
    assert history.head_time == list(ledger.entries())[-1].time
    assert (len(history.runs), len(history.acceptances), len(history.ends)) == (4, 2, 4)


def test_stamps_are_those_of_the_entries(ledger: Ledger, history: History) -> None:
    entry = next(iter(ledger.entries("measuring_run")))
    first = history.runs[0]
    assert (first.seq, first.id, first.time, first.actor) == (entry.seq, entry.id, entry.time, "test")
    assert first.payload == entry.payload


def test_an_empty_ledger_is_an_empty_history(empty: Ledger) -> None:
    history = read_history(empty)
    assert (history.head_seq, history.head_id, history.head_time, history.runs) == (0, "", "", ())


def test_supersession_is_found_by_the_entrys_id(history: History) -> None:
    old, new = history.acceptances
    assert history.superseded_by(old.id) == new
    assert history.superseded_by(new.id) is None
