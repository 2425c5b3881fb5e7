"""A ledger on a real server keeps every guarantee: chain, both locks on change, names of damage, copying."""

import os
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from ledger import entries as e
from ledger.anchor import anchor
from ledger.chain import Head
from ledger.copying import copy_ledger
from ledger.errors import LedgerError
from ledger.findings import FindingKind as Kind
from ledger.head_file import head_path, read_head
from ledger.rebuild import rebuild
from ledger.store import Ledger
from ledger.verify import verify
from ledger.withhold import Wanted, withhold
from tests.ledger.examples import full_ledger
from tests.ledger.server import Server
from tests.ledger.test_processes import WRITER

pytestmark = pytest.mark.system
NUMBERS = count(1)
LIMIT_S = 120


@pytest.fixture(scope="module")
def pristine_database(server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with one entry of every kind and two blobs, copied from a file."""
    path = full_ledger(tmp_path_factory.mktemp("source") / "records.db")
    name = f"pristine_{next(NUMBERS)}"  # made again where a worker comes back to this file
    copy_ledger(path, server.make(name))
    return name


@pytest.fixture
def database(server: Server, pristine_database: str) -> str:
    """The name of a copy that one test may damage."""
    name = f"copy_{next(NUMBERS)}"
    server.copy(pristine_database, name)
    return name


def found(server: Server, database: str) -> list[tuple[Kind, str]]:
    """What verify says is wrong, and where."""
    return [(one.what, one.where) for one in verify(server.url(database)).findings]


def parked(subject: str = "stack cache") -> e.Parked:
    """A small payload."""
    return e.Parked(subject=subject, proposal=None, reason="not understood", person="Ada")


def test_a_copied_ledger_is_whole_and_goes_on(server: Server, database: str, tmp_path: Path) -> None:
    beside = tmp_path / "records"
    with Ledger.open(server.url(database), actor="ada", beside=beside) as ledger:
        entry = ledger.append(parked("a \0 in the middle"))
        assert entry.seq == 21
        assert read_head(beside) == Head(21, entry.id) == ledger.head()
        assert ledger.find("21").payload == parked("a \0 in the middle")
        anchor(ledger)
    outcome = verify(server.url(database), beside=beside)
    assert (outcome.ok, outcome.findings, outcome.entries, outcome.blobs) == (True, (), 22, 2)
    back = tmp_path / "back.db"
    assert copy_ledger(server.url(database), back).head == outcome.head == verify(back).head


def test_a_name_is_held_by_one_machine_at_a_time(server: Server, pristine_database: str) -> None:
    url = server.url(pristine_database)
    with Ledger.open(url, actor="ada") as here, Ledger.open(url, actor="bo") as there:
        with here.claimed("run-1") as first, there.claimed("run-1") as second, there.claimed("run-2") as other:
            assert (first, second, other) == (True, False, True)
        with there.claimed("run-1") as later:
            assert later


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET actor = 'x'",
        "DELETE FROM gate",
        "TRUNCATE parked",
        "UPDATE head SET seq = 1",
        "DELETE FROM head",
    ],
)
def test_the_owner_is_refused_by_triggers(server: Server, database: str, statement: str) -> None:
    for before in ("SELECT 1", "SET session_replication_role = replica"):
        with pytest.raises(Exception, match="append-only"):
            server.run(database, before, statement)
    assert found(server, database) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET actor = 'x'",
        "DELETE FROM gate",
        "TRUNCATE parked",
        "DROP TABLE gate",
        "DELETE FROM head",
        "ALTER TABLE entry DISABLE TRIGGER ALL",
        "INSERT INTO migration VALUES (99, 'x', 'x')",
    ],
)
def test_the_appending_role_has_no_such_right(server: Server, database: str, statement: str) -> None:
    with pytest.raises(Exception, match=r"permission denied|must be owner"):
        server.run(database, "SET ROLE committee_append", statement)


def test_a_user_with_the_role_appends_and_cannot_rebuild(server: Server, database: str) -> None:
    server.run(database, "DROP ROLE IF EXISTS clerk", "CREATE ROLE clerk LOGIN")
    url = server.url(database, user="clerk")
    with pytest.raises(LedgerError, match="refuses that right; let its owner say: GRANT committee_append TO your_user"):
        Ledger.open(url, actor="clerk").append(parked())
    server.run(database, "GRANT committee_append TO clerk")
    with Ledger.open(url, actor="clerk") as ledger:
        assert ledger.append(parked()).seq == 21
        with pytest.raises(LedgerError, match="refuses that right"):
            withhold(ledger, Wanted(("3",)), reason="why", person="Clerk")
    assert verify(url).ok
    with pytest.raises(LedgerError, match="refuses that right"):
        rebuild(url, actor="clerk")


DAMAGES = {
    "UPDATE entry SET actor = 'x' WHERE seq = 9": (Kind.EDITED_ENTRY, "#9"),
    "UPDATE entry SET payload = NULL WHERE seq = 9": (Kind.EDITED_PAYLOAD, "#9"),
    "DELETE FROM entry WHERE seq = 9": (Kind.REMOVED_ENTRY, "#9"),
    "DELETE FROM entry WHERE seq > 18": (Kind.CUT_TAIL, "#19-#20"),
    "UPDATE head SET id = repeat('f', 64)": (Kind.OFF_HEAD, "#20"),
    "UPDATE head SET seq = 18, id = (SELECT id FROM entry WHERE seq = 18)": (Kind.INSERTED_ENTRY, "#19-#20"),
    "DELETE FROM gate": (Kind.MISSING_PROJECTION, "gate #14"),
    "DROP TRIGGER entry_no_update ON entry": (Kind.MISSING_TRIGGER, "entry_no_update"),
    "GRANT DELETE ON entry TO committee_append": (Kind.CHANGED_SCHEMA, "entry"),
    "CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN OLD; END$$": (
        Kind.CHANGED_SCHEMA,
        "ledger_refuse",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_damage_has_its_name(server: Server, database: str, damage: str) -> None:
    if damage.startswith(("DROP", "GRANT", "CREATE")):
        server.run(database, damage)
    else:
        server.tamper(database, damage)
    assert DAMAGES[damage] in found(server, database)


def test_a_swap_an_edited_blob_and_a_fork(server: Server, database: str) -> None:
    swap = (
        "UPDATE entry SET seq = -1 WHERE seq = 5",
        "UPDATE entry SET seq = 5 WHERE seq = 6",
        "UPDATE entry SET seq = 6 WHERE seq = -1",
    )
    server.tamper(database, *swap, "UPDATE blob_chunk SET content = '\\x00' WHERE item = 1")
    kinds = {what for what, _where in found(server, database)}
    assert kinds == {Kind.REORDERED_ENTRY, Kind.EDITED_BLOB}


@pytest.mark.parametrize("item", [-1, 99])
def test_a_chunk_put_beside_those_of_a_blob(server: Server, database: str, item: int) -> None:
    added = f"SELECT sha256, {item}, CAST('\\x00' AS BYTEA)"
    server.tamper(database, f"INSERT INTO blob_chunk {added} FROM blob WHERE chunks = 3")
    assert [what for what, _where in found(server, database)] == [Kind.EDITED_BLOB]


def test_tables_are_refilled_and_guards_put_back(server: Server, database: str) -> None:
    server.tamper(database, "DELETE FROM gate", "UPDATE launch SET ready_s = 2.5")
    server.run(database, "DROP TRIGGER gate_no_delete ON gate")
    assert len(found(server, database)) == 3
    assert rebuild(server.url(database), actor="ada") == 20
    assert found(server, database) == []


def test_a_secret_goes_from_the_tables(server: Server, database: str, tmp_path: Path) -> None:
    with Ledger.open(server.url(database), actor="ada") as ledger:
        ref = ledger.put_blob(b"sk-live", "text/plain")
        ledger.append(parked("sk-live"))
        wanted = Wanted(("21",), (ref.sha256,))
        assert [withhold(ledger, wanted, reason="a key", person="Ada").before for _time in range(2)] == [False, True]
        assert isinstance(ledger.find("21").payload, e.Withheld)
    held = server.run(database, "SELECT COUNT(*) FROM entry WHERE position('sk-live' in encode(payload, 'escape')) > 0")
    assert held[0][0] == 0
    assert [what for what, _where in found(server, database)] == [Kind.WITHHELD, Kind.WITHHELD]
    assert copy_ledger(server.url(database), tmp_path / "copy.db").entries == 22


def test_an_older_copy_put_back_is_seen_and_not_written_over(server: Server, database: str, tmp_path: Path) -> None:
    beside, older = tmp_path / "records", f"{database}_older"
    server.copy(database, older)
    with Ledger.open(server.url(database), actor="ada", beside=beside) as ledger:
        ledger.append(parked())
    outcome = verify(server.url(older), beside=beside)
    assert [(one.what, one.where) for one in outcome.findings] == [(Kind.CUT_TAIL, "#21")]
    with (
        Ledger.open(server.url(older), actor="ada", beside=beside) as ledger,
        pytest.raises(LedgerError, match="tail was cut"),
    ):
        ledger.append(parked())


def test_many_processes_make_one_chain_and_a_kill_leaves_whole_entries(server: Server) -> None:
    name = f"many_{next(NUMBERS)}"
    url = server.make(name)
    with Ledger.open(url, actor="test", create=True):
        pass
    argv = [sys.executable, "-c", WRITER.replace("Path(sys.argv[1])", "sys.argv[1]"), url]
    writers = [
        subprocess.Popen([*argv, f"writer-{number}", "6"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for number in range(4)
    ]
    with subprocess.Popen([*argv, "victim", "9999"], stdout=subprocess.PIPE, text=True) as victim:
        assert victim.stdout is not None
        acknowledged = [line for line, _number in zip(victim.stdout, range(5), strict=False)]
        os.kill(victim.pid, signal.SIGKILL)
    for writer in writers:
        _out, errors = writer.communicate(timeout=LIMIT_S)
        assert (writer.returncode, errors) == (0, "")
    outcome = verify(url)
    assert outcome.ok, outcome.findings
    assert outcome.entries >= max(4 * 6 * 5, int(acknowledged[-1]))
    assert outcome.entries % 5 == 0
    assert server.run(name, "SELECT seq FROM head")[0][0] == outcome.entries


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql://owner@127.0.0.1:1/none", "cannot be reached; check that the server runs"),
        ("postgresql:/", "that is no URL; write postgresql://"),
        (
            "postgresql://owner@127.0.0.1:1/x?password_file=/no/such/file",
            "password file .* cannot be read",
        ),
    ],
)
def test_addresses_that_lead_nowhere(url: str, words: str) -> None:
    with pytest.raises(LedgerError, match=words):
        Ledger.open(url, actor="ada")


def test_other_databases(server: Server, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="has no such database; make it with createdb"):
        Ledger.open(server.url("nowhere"), actor="ada")
    other = f"other_program_{next(NUMBERS)}"
    url = server.make(other)
    with pytest.raises(LedgerError, match="is empty and not a ledger"):
        Ledger.open(url, actor="ada")
    server.run(other, "CREATE TABLE cats (name TEXT)")
    with pytest.raises(LedgerError, match="is a database, but not a ledger"):
        Ledger.open(url, actor="ada", create=True)
    secret = tmp_path / "password"
    secret.write_text("hidden\n")
    with pytest.raises(LedgerError) as refused:
        Ledger.open(f"postgresql://owner@127.0.0.1:{server.port}/nowhere?password_file={secret}", actor="ada")
    assert "hidden" not in str(refused.value)


def test_a_file_beside_is_only_named_where_one_is_wanted(server: Server, database: str, tmp_path: Path) -> None:
    beside = tmp_path / "records"
    assert [what for what, _where in found(server, database)] == []
    named = verify(server.url(database), beside=beside)
    assert [one.what for one in named.findings] == [Kind.MISSING_HEAD]
    assert not head_path(beside).exists()
