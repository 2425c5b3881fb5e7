"""The pure judge of a chain: one cause, one name, for chains of any length."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import digest
from ledger.chain import GENESIS, Head, Header
from ledger.checks.chain import REACH, StoredHeader, check_chain
from ledger.findings import FindingKind as Kind
from ledger.findings import Verification


def chain(length: int, clock: tuple[str, ...] = ()) -> list[StoredHeader]:
    """A whole chain of small entries."""
    rows: list[StoredHeader] = []
    for seq in range(1, length + 1):
        time = clock[seq - 1] if clock else f"2026-11-29T00:00:00.{seq:06}Z"
        payload = digest({"number": seq})
        header = Header(seq, time, "test", "parked", 1, payload, rows[-1].id if rows else GENESIS)
        rows.append(StoredHeader(header, header.id(), payload))
    return rows


def names(rows: list[StoredHeader], head: Head | None = None) -> list[tuple[Kind, str]]:
    """Kinds and places of what is found."""
    return [(one.what, one.where) for one in check_chain(rows, head).findings]


def moved(row: StoredHeader, seq: int) -> StoredHeader:
    """The row at another sequence."""
    return replace(row, header=replace(row.header, seq=seq))


@given(st.integers(0, 30))
def test_a_whole_chain_has_no_findings(length: int) -> None:
    judged = check_chain(chain(length), None)
    assert judged.findings == ()
    assert judged.last == length
    assert [one.seq for one in judged.placed] == list(range(1, length + 1))


@given(st.integers(2, 30).flatmap(lambda length: st.tuples(st.just(length), st.integers(1, length - 1))))
def test_any_removed_entry_is_named_with_and_without_its_gap(case: tuple[int, int]) -> None:
    length, seq = case
    rows = chain(length)
    left = rows[: seq - 1] + rows[seq:]
    closed = [moved(row, place) for place, row in enumerate(left, start=1)]
    assert names(left) == [(Kind.REMOVED_ENTRY, f"#{seq}")]
    assert names(closed) == [(Kind.REMOVED_ENTRY, f"#{seq}")]


@given(
    st.integers(2, 30).flatmap(
        lambda length: st.tuples(st.just(length), st.lists(st.integers(1, length), min_size=2, max_size=2, unique=True))
    )
)
def test_any_two_swapped_entries_are_named(case: tuple[int, list[int]]) -> None:
    length, places = case
    low, high = sorted(places)
    rows = chain(length)
    rows[low - 1], rows[high - 1] = moved(rows[high - 1], low), moved(rows[low - 1], high)
    assert names(rows) == [(Kind.REORDERED_ENTRY, f"#{low}"), (Kind.REORDERED_ENTRY, f"#{high}")]


@given(st.integers(1, 30).flatmap(lambda length: st.tuples(st.just(length), st.integers(1, length))))
def test_any_edited_entry_is_named(case: tuple[int, int]) -> None:
    length, seq = case
    rows = chain(length)
    row = rows[seq - 1]
    rows[seq - 1] = replace(row, header=replace(row.header, actor="x"))
    assert names(rows) == [(Kind.EDITED_ENTRY, f"#{seq}")]
    rows[seq - 1] = replace(row, payload_digest="0" * 64)
    assert names(rows) == [(Kind.EDITED_PAYLOAD, f"#{seq}")]


@given(st.integers(2, 30).flatmap(lambda length: st.tuples(st.just(length), st.integers(2, length))))
def test_any_inserted_entry_is_named(case: tuple[int, int]) -> None:
    length, seq = case
    rows = chain(length)
    forged = replace(rows[seq - 2].header, seq=seq, previous=rows[seq - 2].id, actor="x")
    inserted = StoredHeader(forged, forged.id(), forged.payload_sha256)
    rows = [*rows[: seq - 1], inserted, *(moved(row, row.header.seq + 1) for row in rows[seq - 1 :])]
    assert names(rows) == [(Kind.INSERTED_ENTRY, f"#{seq}")]


def test_a_clock_set_back_is_a_warning_only() -> None:
    judged = check_chain(chain(2, ("2026-11-29T12:00:00.000000Z", "2026-11-29T11:00:00.000000Z")), None)
    assert [(one.what, one.where) for one in judged.findings] == [(Kind.CLOCK_BACKWARDS, "#2")]
    assert Verification(2, 0, None, judged.findings).ok


def test_a_chain_that_does_not_begin() -> None:
    header = replace(chain(1)[0].header, previous="f" * 64)
    rows = [StoredHeader(header, header.id(), header.payload_sha256)]
    assert names(rows) == [(Kind.EDITED_ENTRY, "#1")]


def test_an_entry_moved_beyond_reach_is_called_edited() -> None:
    rows = chain(2)
    rows[1] = moved(rows[1], 2 + REACH + 1)
    assert (Kind.EDITED_ENTRY, f"#{2 + REACH + 1}") in names(rows)


def test_a_completely_broken_chain_ends_in_bounded_time() -> None:
    rows = [replace(row, id="0" * 63 + "1") for row in chain(100)]
    assert names(rows).count((Kind.EDITED_ENTRY, "#100")) == 1
    assert len(check_chain(rows, None).findings) == 100
