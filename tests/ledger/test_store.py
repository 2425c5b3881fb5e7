"""Opening, appending, reading and refusing."""

# ruff: noqa: S608 - statements are made of names that stand in this file

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger import entries as e
from ledger.canonical import sha256_hex
from ledger.chain import GENESIS
from ledger.head_file import head_path, read_head, write_head
from ledger.migrations import MIGRATIONS
from ledger.projections import ROW_TYPES
from ledger.store import Entry, Head, Ledger, LedgerError
from ledger.verify import verify
from tests.ledger.examples import RUN, acceptance, every_kind, launch, verdict
from tests.ledger.tampering import tamper


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a new ledger goes."""
    return tmp_path / "records.db"


def parked(subject: str = "stack cache") -> e.Parked:
    """A small payload."""
    return e.Parked(subject=subject, proposal=None, reason="not understood", person="Ada")


def test_entries_chain_from_the_first(path: Path) -> None:
    with Ledger.open(path, actor="ada", create=True) as ledger:
        assert ledger.head() is None
        first = ledger.append(parked("one"))
        second, third = ledger.append_all((parked("two"), parked("three")))
        assert [entry.seq for entry in (first, second, third)] == [1, 2, 3]
        assert (first.previous, second.previous, third.previous) == (GENESIS, first.id, second.id)
        assert (first.actor, first.kind, first.version) == ("ada", "parked", 1)
        assert ledger.head() == Head(3, third.id) == read_head(path)
        assert list(ledger.entries()) == [first, second, third]


def test_an_entry_and_what_names_it_are_appended_together_or_not_at_all(place: Path | str) -> None:
    def marks(made: Entry) -> e.Supersession:
        return e.Supersession(subject=made.id, by=None, reason="a second look", person="Ada")

    def fails(made: Entry) -> e.Supersession:
        raise RuntimeError(f"killed after {made.seq}")

    with Ledger.open(place, actor="ada", create=True) as ledger:
        with pytest.raises(RuntimeError, match="killed after 1"):
            ledger.append_with(parked(), fails)
        assert ledger.head() is None
        first, second = ledger.append_with(parked(), marks)
        assert (second.seq, second.previous, second.payload) == (2, first.id, marks(first))
        assert list(ledger.entries()) == [first, second] and ledger.head() == Head(2, second.id)


def test_appending_nothing_changes_nothing(place: Path | str) -> None:
    with Ledger.open(place, actor="ada", create=True) as ledger:
        assert ledger.append_all(()) == ()
        assert ledger.head() is None


def test_every_kind_comes_back_as_it_went_in(place: Path | str) -> None:
    with Ledger.open(place, actor="ada", create=True) as ledger:
        payloads = every_kind(ledger.put_blob(b"words", "text/plain"))
        written = ledger.append_all(payloads)
    with Ledger.open(place, actor="bob") as ledger:
        assert tuple(ledger.entries()) == written
        assert tuple(entry.payload for entry in ledger.entries()) == payloads
    assert {payload.kind for payload in payloads} == {kind for kind, _version in e.SCHEMAS}


def test_one_bad_payload_stops_all_of_them(place: Path | str) -> None:
    bad = e.Arm(fingerprint="a" * 64, name="x", target="t", proposal=None, definition={"x": float("nan")}, origins=())
    with Ledger.open(place, actor="ada", create=True) as ledger:
        with pytest.raises(LedgerError, match=r"payload 'arm' version 1 cannot be recorded: .*NaN"):
            ledger.append_all((parked(), bad))
        assert ledger.head() is None


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), -float("inf"), 2**53 + 1, "\ud800", b"bytes", {1: "x"}, {"deep": [float("nan")]}],
)
def test_what_has_no_canonical_form_is_refused_inside_a_free_dictionary(place: Path | str, value: object) -> None:
    arm = e.Arm(fingerprint="a" * 64, name="x", target="t", proposal=None, definition={"x": value}, origins=())
    with Ledger.open(place, actor="ada", create=True) as ledger, pytest.raises(LedgerError, match="cannot be recorded"):
        ledger.append(arm)


def test_a_payload_built_around_its_schema_is_refused(place: Path | str) -> None:
    wrong = e.Metric.model_construct(metric="total_tok_s", load=0, value=float("nan"), samples=1)
    trial = e.Trial.model_construct(
        launch="x", run=RUN, protocol="ladder", metrics=(wrong,), reason=None, detail="", requests=None
    )
    with Ledger.open(place, actor="ada", create=True) as ledger, pytest.raises(LedgerError, match="cannot be recorded"):
        ledger.append(trial)


@pytest.mark.parametrize("reason", ["died", None])
def test_a_trial_has_metrics_or_a_reason_and_never_both(reason: str | None) -> None:
    metric = e.Metric(metric="total_tok_s", load=4, value=80.0, samples=2)
    with pytest.raises(ValueError, match="metrics or a reason, never both and never neither"):
        e.Trial(launch="x", run=RUN, protocol="ladder", metrics=(metric,) if reason else (), reason=reason, detail="x")


def test_a_payload_outside_the_registry_is_refused(place: Path | str) -> None:
    class Rumour(e.Payload):
        kind = "rumour"

    with (
        Ledger.open(place, actor="ada", create=True) as ledger,
        pytest.raises(LedgerError, match="not in the registry"),
    ):
        ledger.append(Rumour())


def test_a_payload_under_a_borrowed_name_is_refused(path: Path) -> None:
    class Borrowed(e.Parked):
        """Has every field of the registered kind, and is not it."""

    borrowed = Borrowed.model_validate(parked().model_dump())
    with Ledger.open(path, actor="ada", create=True) as ledger, pytest.raises(LedgerError, match="not in the registry"):
        ledger.append(borrowed)


def test_a_payload_that_names_an_unknown_blob_is_refused(place: Path | str) -> None:
    unknown = e.BlobRef(sha256="a" * 64, size=1, media_type="text/plain")
    with Ledger.open(place, actor="ada", create=True) as ledger:
        with pytest.raises(LedgerError, match="blob aaaaaaaaaaaa, which is not stored; put_blob it first"):
            ledger.append(launch(log=unknown))
        known = ledger.put_blob(b"log", "text/plain")
        with pytest.raises(LedgerError, match="has 4 bytes; it has 3"):
            ledger.append(launch(log=known.model_copy(update={"size": 4})))


def test_entries_by_kind_and_after(place: Path | str) -> None:
    with Ledger.open(place, actor="ada", create=True) as ledger:
        ledger.append_all((parked(), verdict(), parked(), acceptance()))
        assert [entry.seq for entry in ledger.entries("parked", "acceptance")] == [1, 3, 4]
        assert [entry.seq for entry in ledger.entries("parked", after=1)] == [3]
        assert list(ledger.entries("trial")) == []


def test_long_listings_come_in_pages(place: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger.reading.PAGE_ENTRIES", 3)
    with Ledger.open(place, actor="ada", create=True) as ledger:
        ledger.append_all([parked(str(number)) for number in range(10)])
        assert [entry.seq for entry in ledger.entries()] == list(range(1, 11))


def test_of_filters_by_column_and_by_payload_field(place: Path | str) -> None:
    with Ledger.open(place, actor="ada", create=True) as ledger:
        ledger.append_all((launch(RUN, 0), launch(RUN, 1), launch("m-20261130-0002", 0)))
        assert [one.block for _entry, one in ledger.of(e.Launch, run=RUN)] == [0, 1]
        assert [entry.seq for entry, _one in ledger.of(e.Launch, block=0)] == [1, 3]
        argv = ("server", "--n-parallel", "4")
        assert len(ledger.of(e.Launch, argv=argv, run=RUN)) == 2
        assert ledger.of(e.Launch, argv=("other",)) == []
        assert len(ledger.of(e.Launch, reason=None)) == 3
        with pytest.raises(LedgerError, match="kind 'launch' has no field 'runs'"):
            ledger.of(e.Launch, runs=RUN)


def test_find_by_sequence_and_by_beginning_of_the_id(place: Path | str) -> None:
    with Ledger.open(place, actor="ada", create=True) as ledger:
        entries = ledger.append_all([parked(str(number)) for number in range(12)])
        last = entries[-1]
        for wanted in ("12", "#12", " #12 ", last.id, last.id[:6], last.id[:6].upper()):
            assert ledger.find(wanted) == last
        for wanted in ("13", "#13", "0", "-1", "", "#", last.id[:5] + "g", "xyz", "f" * 64, "f" * 65, "9" * 30):
            with pytest.raises(LedgerError, match="no entry"):
                ledger.find(wanted)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("payload = NULL", "entry #3 has no payload here; run `verify`"),
        ("version = 9", r"entry #3 cannot be read \(no schema for kind .* version 9; .*\); run `verify`"),
    ],
)
def test_an_entry_that_cannot_be_read_says_so(full: Path, change: str, words: str) -> None:
    tamper(full, f"UPDATE entry SET {change} WHERE seq = 3")
    with Ledger.open(full, actor="ada") as ledger:
        with pytest.raises(LedgerError, match=words):
            ledger.find("3")
        assert ledger.find("4").seq == 4


def test_find_refuses_a_beginning_that_several_share(place: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger.reading.SHORTEST_PREFIX", 0)
    with Ledger.open(place, actor="ada", create=True) as ledger:
        entries = ledger.append_all([parked(str(number)) for number in range(30)])
        shared = next(digit for digit in "abcdef" if sum(entry.id.startswith(digit) for entry in entries) > 1)
        with pytest.raises(LedgerError, match="several entries begin with"):
            ledger.find(shared)


def test_an_append_after_another_writer_chains_to_the_new_head(place: Path | str) -> None:
    with Ledger.open(place, actor="ada", create=True) as one, Ledger.open(place, actor="bob") as other:
        first = one.append(parked("one"))
        second = other.append(parked("two"))
        third = one.append(parked("three"))
    assert (second.previous, third.previous) == (first.id, second.id)


def test_a_closed_ledger_refuses_everything(place: Path | str) -> None:
    ledger = Ledger.open(place, actor="ada", create=True)
    ledger.close()
    ledger.close()
    for use in (lambda: ledger.append(parked()), ledger.head, lambda: ledger.put_blob(b"", "text/plain")):
        with pytest.raises(LedgerError, match="is closed; open it again"):
            use()


def test_nothing_recorded_can_be_changed_or_removed(full: Path) -> None:
    with closing(sqlite3.connect(full)) as plain:
        tables = [name for (name,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
        assert len(tables) == len(ROW_TYPES) + 5  # entry, blob, blob_chunk, batch, migration
        filled = [table for table in tables if plain.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]]
        assert len(filled) >= 35
        for table in filled:
            column = plain.execute(f"PRAGMA table_info({table})").fetchall()[0][1]
            for statement in (
                f"UPDATE {table} SET {column} = {column}",
                f"DELETE FROM {table}",
                f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
            ):
                with pytest.raises(sqlite3.IntegrityError, match=f"table {table} is append-only"):
                    plain.execute(statement)
    assert verify(full).ok


def test_an_empty_actor_is_refused(path: Path) -> None:
    with pytest.raises(LedgerError, match="non-empty actor"):
        Ledger.open(path, actor=" ", create=True)


def test_a_missing_file_is_not_made_by_chance(path: Path) -> None:
    with pytest.raises(LedgerError, match="there is no ledger at"):
        Ledger.open(path, actor="ada")
    assert not path.exists()


def test_an_empty_file_becomes_a_ledger_only_when_asked(path: Path) -> None:
    path.touch()
    with pytest.raises(LedgerError, match="is empty and not a ledger"):
        Ledger.open(path, actor="ada")
    Ledger.open(path, actor="ada", create=True).close()
    assert verify(path).ok


def test_a_folder_and_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="is a folder"):
        Ledger.open(tmp_path, actor="ada", create=True)
    with pytest.raises(LedgerError, match="cannot be opened; check that the folder exists"):
        Ledger.open(tmp_path / "no" / "records.db", actor="ada", create=True)


def test_a_file_that_is_not_a_database(path: Path) -> None:
    path.write_bytes(b"these are only words " * 200)
    with pytest.raises(LedgerError, match="is not a database"):
        Ledger.open(path, actor="ada", create=True)


def test_another_programs_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("CREATE TABLE cats (name)")
    with pytest.raises(LedgerError, match="is a database, but not a ledger"):
        Ledger.open(path, actor="ada", create=True)


def test_a_ledger_of_a_newer_version(full: Path) -> None:
    with closing(sqlite3.connect(full)) as plain:
        plain.execute("INSERT INTO migration VALUES (?, 'm0999_future', '')", (len(MIGRATIONS) + 1,))
        plain.commit()
    for use in (lambda: Ledger.open(full, actor="ada"), lambda: verify(full)):
        with pytest.raises(LedgerError, match=r"written by a newer version .* install the newer version"):
            use()


def test_another_writer_that_never_lets_go(full: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger.sqlite.BUSY_TIMEOUT_S", 0.05)
    with Ledger.open(full, actor="ada") as ledger, closing(sqlite3.connect(full, isolation_level=None)) as plain:
        plain.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="is held by another writer"):
            ledger.append(parked())
        assert ledger.find("20").seq == 20
        plain.execute("ROLLBACK")
        assert ledger.append(parked()).seq == 21


def test_a_full_disk(full: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.open(full, actor="ada") as ledger:
        connect = sqlite3.connect

        def small(*args: object, **options: object) -> sqlite3.Connection:
            plain: sqlite3.Connection = connect(*args, **options)  # type: ignore[call-overload]
            plain.execute("PRAGMA max_page_count = 1")
            return plain

        monkeypatch.setattr("ledger.sqlite.sqlite3.connect", small)
        with pytest.raises(LedgerError, match="disk is full; make room and try again"):
            ledger.put_blob(os.urandom(3 << 20), "application/octet-stream")
        monkeypatch.undo()
        assert ledger.append(parked()).seq == 21
    assert verify(full).ok


def test_a_cut_tail_is_not_written_over(full: Path) -> None:
    older = full.read_bytes()
    with Ledger.open(full, actor="ada") as ledger:
        ledger.append(parked())
    full.write_bytes(older)
    with Ledger.open(full, actor="ada") as ledger:
        with pytest.raises(LedgerError, match=r"ends at #20, but its head file names entry #21 .* tail was cut"):
            ledger.append(parked())
        assert ledger.head() == Head(20, ledger.find("20").id)


def test_an_unreadable_head_file_stops_appending(full: Path) -> None:
    head_path(full).write_text("{")
    with Ledger.open(full, actor="ada") as ledger, pytest.raises(LedgerError, match=r"head file .* cannot be read"):
        ledger.append(parked())


def test_a_head_file_left_behind_is_brought_forward_by_the_next_append(full: Path) -> None:
    with Ledger.open(full, actor="ada") as ledger:
        write_head(full, Head(1, ledger.find("1").id), "2026-11-29T00:00:00.000000Z")
        entry: Entry = ledger.append(parked())
    assert read_head(full) == Head(21, entry.id)
    assert sorted(one.name for one in full.parent.iterdir()) == ["records.db", "records.db.head"]


def test_contents_are_stored_with_the_entries_that_name_them_or_not_at_all(path: Path) -> None:
    small, empty, large = b"words", b"", bytes(range(256)) * 9000
    contents = (small, empty, large, small)
    refs = [e.BlobRef(sha256=sha256_hex(content), size=len(content), media_type="text/plain") for content in contents]
    launches = [launch(RUN, number, ref) for number, ref in enumerate(refs)]
    with Ledger.open(path, actor="ada", create=True) as ledger:
        bad = launch(RUN, 9, refs[0].model_copy(update={"sha256": "a" * 64}))
        with pytest.raises(LedgerError, match="aaaaaaaaaaaa, which is not stored"):
            ledger.append_all((*launches, bad), contents)
        with pytest.raises(LedgerError):
            ledger.read_blob(refs[0].sha256)
        assert ledger.append_after(1, launches, contents) is None and ledger.head() is None
        written = ledger.append_after(0, launches, contents)
        assert written is not None and len(written) == 4
        assert [ledger.read_blob(ref.sha256) for ref in refs] == list(contents)
        assert ledger.append_after(0, (parked(),)) is None
        assert ledger.append_after(4, (parked(),), (small,)) is not None
    assert verify(path).ok
