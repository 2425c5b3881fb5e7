"""Every way to damage a ledger gets its own name, and only that name."""

# ruff: noqa: S608 - statements are made of names that stand in this file

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from ledger.chain import Head, link, utc_now
from ledger.errors import LedgerError
from ledger.findings import FindingKind as Kind
from ledger.head_file import head_path, read_head, write_head
from ledger.inserting import insert_rows
from ledger.projections import project
from ledger.store import ENTRY, Ledger
from ledger.verify import verify
from tests.ledger.examples import launch, verdict
from tests.ledger.tampering import HEADER, flip, forge, found, tamper, unguarded

SWAP = (
    "UPDATE entry SET seq = -1 WHERE seq = {0}",
    "UPDATE entry SET seq = {0} WHERE seq = {1}",
    "UPDATE entry SET seq = {1} WHERE seq = -1",
)


def test_a_whole_ledger_is_ok(full: Path) -> None:
    outcome = verify(full)
    assert outcome.findings == ()
    assert (outcome.ok, outcome.entries, outcome.blobs) == (True, 20, 2)
    assert outcome.head == read_head(full)


def test_an_empty_ledger_is_ok(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    Ledger.open(path, actor="test", create=True).close()
    outcome = verify(path)
    assert (outcome.ok, outcome.entries, outcome.head) == (True, 0, None)


@pytest.mark.parametrize("seq", [1, 12, 20])
def test_one_flipped_byte_of_a_payload(full: Path, seq: int) -> None:
    with unguarded(full) as plain:
        (payload,) = plain.execute("SELECT payload FROM entry WHERE seq = ?", (seq,)).fetchone()
        plain.execute("UPDATE entry SET payload = ? WHERE seq = ?", (flip(payload, len(payload) // 2), seq))
    assert found(full) == [(Kind.EDITED_PAYLOAD, f"#{seq}")]


@pytest.mark.parametrize("value", ["NULL", "'text'"])
def test_a_payload_of_another_kind_of_value(full: Path, value: str) -> None:
    tamper(full, f"UPDATE entry SET payload = {value} WHERE seq = 3")
    assert found(full) == [(Kind.EDITED_PAYLOAD, "#3")]


@pytest.mark.parametrize(
    "change",
    [
        "time = '2026-01-01T00:00:00.000000Z'",
        "actor = 'somebody else'",
        "kind = 'verdict'",
        "version = 2",
        "version = 'x'",
        f"payload_sha256 = '{'0' * 64}'",
        f"previous = '{'0' * 63}1'",
        f"id = '{'0' * 63}1'",
    ],
)
@pytest.mark.parametrize("seq", [1, 9, 20])
def test_one_edited_header_column(full: Path, change: str, seq: int) -> None:
    tamper(full, f"UPDATE entry SET {change} WHERE seq = {seq}")
    assert found(full) == [(Kind.EDITED_ENTRY, f"#{seq}")]


def test_a_flipped_byte_that_is_no_text_any_more(full: Path) -> None:
    tamper(full, "UPDATE entry SET actor = CAST(x'74ff7374' AS TEXT) WHERE seq = 2")
    assert found(full) == [(Kind.EDITED_ENTRY, "#2")]


def test_header_and_payload_edited_are_both_named(full: Path) -> None:
    tamper(full, "UPDATE entry SET actor = 'x', payload = CAST('{}' AS BLOB) WHERE seq = 9")
    assert found(full) == [(Kind.EDITED_ENTRY, "#9"), (Kind.EDITED_PAYLOAD, "#9")]


@pytest.mark.parametrize("seq", [1, 9, 19])
def test_an_entry_edited_together_with_its_id(full: Path, seq: int) -> None:
    with unguarded(full) as plain:
        plain.execute("UPDATE entry SET actor = 'x' WHERE seq = ?", (seq,))
        forge(plain, seq)
    assert found(full) == [(Kind.EDITED_ENTRY, f"#{seq}")]


def test_the_last_entry_edited_together_with_its_id_is_seen_by_the_head_file(full: Path) -> None:
    with unguarded(full) as plain:
        plain.execute("UPDATE entry SET actor = 'x' WHERE seq = 20")
        forge(plain, 20)
    assert found(full) == [(Kind.OFF_HEAD, "#20")]


@pytest.mark.parametrize("seq", [1, 9, 19])
def test_a_removed_entry(full: Path, seq: int) -> None:
    tamper(full, f"DELETE FROM entry WHERE seq = {seq}")
    assert found(full) == [(Kind.REMOVED_ENTRY, f"#{seq}")]


def test_a_removed_run_of_entries(full: Path) -> None:
    tamper(full, "DELETE FROM entry WHERE seq BETWEEN 4 AND 7")
    assert found(full) == [(Kind.REMOVED_ENTRY, "#4-#7")]


@pytest.mark.parametrize("seq", [1, 9])
def test_a_removed_entry_whose_gap_was_closed(full: Path, seq: int) -> None:
    tamper(full, f"DELETE FROM entry WHERE seq = {seq}", *_renumber(seq + 1, 20, -1))
    assert found(full) == [(Kind.REMOVED_ENTRY, f"#{seq}")]


@pytest.mark.parametrize(("first", "second"), [(5, 6), (2, 17), (19, 20), (1, 2)])
def test_two_swapped_entries(full: Path, first: int, second: int) -> None:
    tamper(full, *(one.format(first, second) for one in SWAP))
    assert found(full) == [(Kind.REORDERED_ENTRY, f"#{first}"), (Kind.REORDERED_ENTRY, f"#{second}")]


@pytest.mark.parametrize("forged", [True, False])
@pytest.mark.parametrize("seq", [2, 9, 20])
def test_an_inserted_entry(full: Path, seq: int, forged: bool) -> None:
    with unguarded(full) as plain:
        for statement in reversed(_renumber(seq, 20, 1)):
            plain.execute(statement)
        _copy_entry(plain, seq - 1, seq)
        if forged:
            forge(plain, seq)
    assert found(full) == [(Kind.INSERTED_ENTRY, f"#{seq}")]


def test_an_entry_put_at_the_end_without_the_chain(full: Path) -> None:
    with unguarded(full) as plain:
        _copy_entry(plain, 20, 21)
    assert found(full) == [(Kind.INSERTED_ENTRY, "#21")]


@pytest.mark.parametrize("with_projections", [True, False])
@pytest.mark.parametrize("count", [1, 5])
def test_a_cut_tail(full: Path, count: int, with_projections: bool) -> None:
    _cut(full, 20 - count, with_projections)
    where = "#20" if count == 1 else "#16-#20"
    assert found(full) == [(Kind.CUT_TAIL, where)]


def test_a_cut_tail_without_the_head_file_is_seen_by_its_projections(full: Path) -> None:
    _cut(full, 18, with_projections=False)
    head_path(full).unlink()
    assert found(full) == [(Kind.MISSING_HEAD, "records.db.head"), (Kind.CUT_TAIL, "#19-#20")]


def test_everything_removed(full: Path) -> None:
    _cut(full, 0, with_projections=True)
    assert found(full) == [(Kind.CUT_TAIL, "#1-#20")]


def test_an_older_copy_put_back(full: Path, tmp_path: Path) -> None:
    older = full.read_bytes()
    with Ledger.open(full, actor="test") as ledger:
        ledger.append(verdict())
    full.write_bytes(older)
    assert found(full) == [(Kind.CUT_TAIL, "#21")]


def test_an_older_copy_with_its_head_file_is_seen_by_a_pinned_head_only(full: Path) -> None:
    older, older_head = full.read_bytes(), head_path(full).read_bytes()
    with Ledger.open(full, actor="test") as ledger:
        pinned = ledger.append(verdict())
    full.write_bytes(older)
    head_path(full).write_bytes(older_head)
    assert verify(full).ok
    outcome = verify(full, pinned=(Head(pinned.seq, pinned.id),))
    assert [(one.what, one.where) for one in outcome.findings] == [(Kind.CUT_TAIL, "#21")]


def test_a_head_file_behind_is_no_finding(full: Path) -> None:
    with Ledger.open(full, actor="test") as ledger:
        write_head(full, Head(5, ledger.find("5").id), "2026-11-29T00:00:00.000000Z")
    assert found(full) == []


def test_a_head_file_on_another_chain(full: Path) -> None:
    write_head(full, Head(20, "f" * 64), "2026-11-29T00:00:00.000000Z")
    assert found(full) == [(Kind.OFF_HEAD, "#20")]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"seq": "x", "id": 1}', '{"seq": 3, "id": "abc"}', "\x00\xff", "[" * 4000]
)
def test_a_head_file_that_cannot_be_read(full: Path, text: str) -> None:
    head_path(full).write_text(text, encoding="latin-1")
    assert found(full) == [(Kind.EDITED_HEAD, "records.db.head")]


def test_no_head_file(full: Path) -> None:
    head_path(full).unlink()
    assert found(full) == [(Kind.MISSING_HEAD, "records.db.head")]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ("UPDATE launch SET ready_s = 2.5", "launch #13"),
        ("UPDATE launch SET ready_s = NULL", "launch #13"),
        ("UPDATE launch SET block = 'x'", "launch #13"),
        ("UPDATE verdict SET speed = 'SLOWER'", "verdict #16"),
        ('UPDATE verdict SET "primary" = 0', "verdict #16"),
        ("UPDATE trial_metric SET value = value + 1e-9", "trial_metric #15 item 0"),
        ("UPDATE blob_use SET sha256 = 'x' WHERE seq = 2", "blob_use #2 item 0"),
    ],
)
def test_an_edited_projection(full: Path, change: str, where: str) -> None:
    tamper(full, change)
    assert found(full) == [(Kind.EDITED_PROJECTION, where)]


def test_a_removed_projection(full: Path) -> None:
    tamper(full, "DELETE FROM gate", "DELETE FROM verdict_trial WHERE item = 1")
    assert found(full) == [
        (Kind.MISSING_PROJECTION, "gate #14"),
        (Kind.MISSING_PROJECTION, "verdict_trial #16 item 1"),
    ]


@pytest.mark.parametrize("item", [-1, 99])
def test_a_chunk_put_beside_those_of_a_blob(full: Path, item: int) -> None:
    with unguarded(full) as plain:
        (sha256,) = plain.execute("SELECT sha256 FROM blob WHERE chunks = 3").fetchone()
        plain.execute("INSERT INTO blob_chunk VALUES (?, ?, x'00')", (sha256, item))
    outcome = verify(full)
    assert [(one.what, one.where) for one in outcome.findings] == [(Kind.EDITED_BLOB, f"blob {sha256[:12]}")]
    assert outcome.findings[0].sentence == f"blob {sha256[:12]} has 3 chunks, and 1 more were put beside them"


@pytest.mark.parametrize("seq", ["'x'", "2.5", "x'00'"])
def test_a_projection_of_what_is_no_sequence(full: Path, seq: str) -> None:
    tamper(full, f"INSERT INTO blob_use VALUES ({seq}, 0, 'x')")
    where = {"x'00'": "#b'\\x00'"}.get(seq, f"#{seq}")
    assert found(full) == [(Kind.EXTRA_PROJECTION, where)]


def test_a_sequence_far_behind_the_others_costs_no_memory(full: Path) -> None:
    tamper(full, f"UPDATE entry SET seq = {2**63 - 1} WHERE seq = 20")
    assert (Kind.REMOVED_ENTRY, f"#20-#{2**63 - 2}") in found(full)


@pytest.mark.parametrize(("seq", "where"), [(3, "parked #3"), (0, "#0")])
def test_an_added_projection(full: Path, seq: int, where: str) -> None:
    tamper(full, f"INSERT INTO parked VALUES ({seq}, 'x', NULL, 'x', 'x')")
    assert found(full) == [(Kind.EXTRA_PROJECTION, where)]


def test_a_flipped_byte_of_a_blob(full: Path) -> None:
    with unguarded(full) as plain:
        sha256, content = plain.execute("SELECT sha256, content FROM blob_chunk WHERE item = 1").fetchone()
        plain.execute("UPDATE blob_chunk SET content = ? WHERE item = 1", (flip(content, 20),))
    assert found(full) == [(Kind.EDITED_BLOB, f"blob {sha256[:12]}")]


@pytest.mark.parametrize("change", ["size = size + 1", "chunks = 1", "chunks = 'x'"])
def test_an_edited_blob_row(full: Path, change: str) -> None:
    with unguarded(full) as plain:
        (sha256,) = plain.execute("SELECT sha256 FROM blob WHERE chunks = 3").fetchone()
        plain.execute(f"UPDATE blob SET {change} WHERE chunks = 3")
    assert found(full) == [(Kind.EDITED_BLOB, f"blob {sha256[:12]}")]


def test_a_chunk_of_the_same_size_with_another_byte(full: Path) -> None:
    with unguarded(full) as plain:
        sha256, content = plain.execute("SELECT sha256, content FROM blob_chunk WHERE item = 1").fetchone()
        other = zlib.compress(flip(zlib.decompress(content), 20))
        plain.execute("UPDATE blob_chunk SET content = ? WHERE item = 1", (other,))
    assert found(full) == [(Kind.EDITED_BLOB, f"blob {sha256[:12]}")]


def test_an_entry_that_states_another_size_of_its_blob(full: Path) -> None:
    with Ledger.open(full, actor="test") as ledger:
        ref = ledger.put_blob(b"four", "text/plain")
        wrong = launch(log=ref.model_copy(update={"size": 5}))
        entry, content = link(wrong, time=utc_now(), actor="test", previous=ledger.head())
        with ledger.writing() as connection:
            columns = {name: getattr(entry, name) for name in HEADER}
            connection.execute(ENTRY.insert().values(**columns, id=entry.id, payload=content))
            insert_rows(connection, project(entry))
    assert found(full) == [(Kind.EDITED_BLOB, f"blob {ref.sha256[:12]}")]


@pytest.mark.parametrize("change", ["DELETE FROM migration", "UPDATE migration SET name = 'm0001_other'"])
def test_a_damaged_list_of_migrations(full: Path, change: str) -> None:
    tamper(full, change)
    assert found(full) == [(Kind.CHANGED_SCHEMA, "migration")]
    with pytest.raises(LedgerError, match="does not name the migrations that made it; run `verify`"):
        Ledger.open(full, actor="test", create=True)


def test_a_chunk_replaced_by_other_content(full: Path) -> None:
    tamper(full, "UPDATE blob_chunk SET content = (SELECT content FROM blob_chunk WHERE item = 2) WHERE item = 1")
    assert [what for what, _where in found(full)] == [Kind.EDITED_BLOB]


@pytest.mark.parametrize(
    "change",
    [
        ("DELETE FROM blob_chunk WHERE sha256 = '{0}'",),
        ("DELETE FROM blob WHERE sha256 = '{0}'",),
        ("DELETE FROM blob_chunk WHERE sha256 = '{0}'", "DELETE FROM blob WHERE sha256 = '{0}'"),
    ],
)
def test_a_missing_blob_that_entries_refer_to(full: Path, change: tuple[str, ...]) -> None:
    with unguarded(full) as plain:
        (sha256,) = plain.execute("SELECT sha256 FROM blob_use LIMIT 1").fetchone()
        for one in change:
            plain.execute(one.format(sha256))
    assert found(full) == [(Kind.MISSING_BLOB, f"blob {sha256[:12]}")]


def test_a_missing_row_of_an_unused_blob_is_seen_by_its_chunks(full: Path) -> None:
    tamper(full, "DELETE FROM blob WHERE chunks = 3")
    assert [what for what, _where in found(full)] == [Kind.MISSING_BLOB]


def test_a_removed_trigger(full: Path) -> None:
    with closing(sqlite3.connect(full)) as plain:
        plain.execute("DROP TRIGGER entry_no_update")
    assert found(full) == [(Kind.MISSING_TRIGGER, "entry_no_update")]


def test_a_trigger_that_guards_no_longer(full: Path) -> None:
    with closing(sqlite3.connect(full)) as plain:
        plain.execute("DROP TRIGGER entry_no_update")
        plain.execute("CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry BEGIN SELECT 1; END")
    assert found(full) == [(Kind.MISSING_TRIGGER, "entry_no_update")]


def test_something_added_to_the_schema(full: Path) -> None:
    with closing(sqlite3.connect(full)) as plain:
        plain.execute("CREATE TABLE notes (text)")
    assert found(full) == [(Kind.CHANGED_SCHEMA, "notes")]


def test_a_chained_entry_that_no_schema_reads(full: Path) -> None:
    with unguarded(full) as plain:
        _copy_entry(plain, 20, 21)
        plain.execute("UPDATE entry SET previous = (SELECT id FROM entry WHERE seq = 20), version = 9 WHERE seq = 21")
        forge(plain, 21)
    assert found(full) == [(Kind.UNREADABLE_PAYLOAD, "#21")]


def test_a_second_writer_that_did_not_read_the_head_forked_the_chain(full: Path) -> None:
    with unguarded(full) as plain:
        _copy_entry(plain, 20, 21)
        plain.execute("INSERT INTO not_applied SELECT 21, arm, arm_name, target, run, reason, person FROM not_applied")
        forge(plain, 21)
    assert found(full) == [(Kind.FORKED_ENTRY, "#21")]


def test_several_damages_are_all_named(full: Path) -> None:
    tamper(full, "UPDATE entry SET actor = 'x' WHERE seq = 3", "DELETE FROM entry WHERE seq = 7", "DELETE FROM parked")
    assert set(found(full)) == {
        (Kind.EDITED_ENTRY, "#3"),
        (Kind.REMOVED_ENTRY, "#7"),
        (Kind.MISSING_PROJECTION, "parked #19"),
    }


def test_verify_leaves_the_file_as_it_is(full: Path) -> None:
    before = full.read_bytes(), head_path(full).read_bytes()
    verify(full)
    assert (full.read_bytes(), head_path(full).read_bytes()) == before


def test_a_damaged_page_is_a_finding(full: Path) -> None:
    content = bytearray(full.read_bytes())
    size = int.from_bytes(content[16:18], "big")
    content[size * 2 : size * 3] = b"\xff" * size
    full.write_bytes(bytes(content))
    outcome = verify(full)
    assert not outcome.ok
    assert outcome.findings[0].what is Kind.DAMAGED_FILE


@pytest.mark.parametrize("content", [b"", b"not a database, only some words " * 40])
def test_a_file_that_is_no_ledger(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "records.db"
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"not a (ledger|database)"):
        verify(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="there is no ledger at"):
        verify(tmp_path / "records.db")


def _renumber(low: int, high: int, by: int) -> list[str]:
    return [f"UPDATE entry SET seq = {seq + by} WHERE seq = {seq}" for seq in range(low, high + 1)]


def _copy_entry(plain: sqlite3.Connection, source: int, seq: int) -> None:
    plain.execute(
        "INSERT INTO entry SELECT ?, ?, time, actor, kind, version, payload, payload_sha256, previous "
        "FROM entry WHERE seq = ?",
        (seq, "e" * 64, source),
    )


def _cut(path: Path, last: int, with_projections: bool) -> None:
    with unguarded(path) as plain:
        tables = [name for (name,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
        for table in tables:
            columns = {row[1] for row in plain.execute(f"PRAGMA table_info({table})").fetchall()}
            if table == "entry" or (with_projections and "seq" in columns):
                plain.execute(f"DELETE FROM {table} WHERE seq > ?", (last,))
