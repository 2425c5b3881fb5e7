"""A head may be behind, never ahead and never beside."""

from ledger.chain import GENESIS, Head
from ledger.checks.chain import check_chain
from ledger.checks.head import check_head, check_orphans
from ledger.findings import FindingKind as Kind
from tests.ledger.checks.test_chain import chain


def test_heads_on_the_chain() -> None:
    rows = chain(3)
    judged = check_chain(rows, None)
    assert check_head(judged, Head(0, GENESIS), "file") == []
    for row in rows:
        assert check_head(judged, Head(row.header.seq, row.id), "file") == []


def test_a_head_ahead_and_a_head_beside() -> None:
    judged = check_chain(chain(3), None)
    (ahead,) = check_head(judged, Head(5, "f" * 64), "records.db.head")
    assert (ahead.what, ahead.where) == (Kind.CUT_TAIL, "#4-#5")
    assert ahead.sentence.startswith("the ledger ends at #3, but records.db.head names #5")
    (beside,) = check_head(judged, Head(2, "f" * 64), "a pinned head")
    assert (beside.what, beside.where) == (Kind.OFF_HEAD, "#2")


def test_orphans_after_the_end() -> None:
    judged = check_chain(chain(3), None)
    assert check_orphans(judged, {1, 2, 3}) == []
    (found,) = check_orphans(judged, {1, 4})
    assert (found.what, found.where) == (Kind.CUT_TAIL, "#4")
