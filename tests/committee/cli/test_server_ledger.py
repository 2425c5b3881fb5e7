"""The whole loop in a workspace whose ledger is a database of a real PostgreSQL server, and its refusals."""

import os
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from committee.cli.record import open_ledger
from ledger.entries import Acceptance, Machine, Verdict
from ledger.verify import verify
from tests.committee.cli.yard import PROPOSAL, production, ran, typed, value
from tests.ledger.server import Server, running_server

pytestmark = pytest.mark.system
VARIABLE = "RECORDS_OF_THIS_TEST"
NUMBERS = count(1)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    """A server for this file's tests."""
    with running_server() as running:
        yield running


@pytest.fixture
def database(postgres: Server) -> str:
    """The name of a new empty database."""
    name = f"workspace_{next(NUMBERS)}"
    postgres.make(name)
    return name


@pytest.fixture
def served(ws: Path, postgres: Server, database: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace that names the variable in which the database's URL is."""
    path = ws / "committee.toml"
    path.write_text(f'{path.read_text()}\n[ledger]\nurl_env = "{VARIABLE}"\n', encoding="utf-8")
    target = ws / "targets" / "small.toml"
    slow = target.read_text().replace("token-s = 0.005", "token-s = 0.015")  # plain to see on a busy machine, too
    target.write_text(slow, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, postgres.url(database))
    return ws


@pytest.mark.alone  # two blocks tell nothing beside other tests
def test_the_whole_loop_on_a_server(served: Path, tmp_path: Path) -> None:
    with production(served):
        assert typed(served, "committee", "check", "0001").code == 0
        said = ran(served, "committee", "run", "0001", "--yes")
        assert (said.code, said.err) == (0, ""), said
        verdicts = value(typed(served, "committee", "rank", "0001", "--json"))
        primary = {one["arm_name"]: one["speed"] for one in verdicts if one["primary"]}
        assert primary["fast"] == "FASTER"
        accepted = typed(served, "committee", "accept", "0001", "fast", "--reason", "nobody needs the pause")
        assert accepted.code == 0, accepted
    assert (served / "proposals" / PROPOSAL / "brief.md").exists()
    _read_back(served)
    _proved_outside(served, tmp_path)
    names = sorted(path.name for path in served.glob("records.db*"))
    assert names == ["records.db.head"], "its head is kept here, its entries on the server"


def _read_back(ws: Path) -> None:
    with open_ledger(ws) as ledger:
        ((entry, acceptance),) = ledger.of(Acceptance)
        judged = ledger.of(Verdict, arm=acceptance.arm, primary=True)
        ((_, seen),) = ledger.of(Machine)
        assert (seen.target, seen.host) == ("small", os.uname().nodename)
        assert ledger.path.startswith("postgresql://owner@127.0.0.1:")
    assert value(typed(ws, "committee", "show", str(entry.seq)))["payload"]["arm_name"] == "fast"
    assert f" {entry.id[:12]} " in typed(ws, "committee", "log", "--last", "400").out
    asked = value(typed(ws, "committee", "ask", "setting", "token-s", "--json"))
    assert {one["seq"] for one in asked} >= {one.seq for one, _ in judged}
    assert value(typed(ws, "committee", "ask", "production", "small", "--json"))[0]["seq"] == entry.seq
    assert len(value(typed(ws, "committee", "costs", "0001", "--json"))) == 2
    assert "fast accepted by" in typed(ws, "committee", "as-of", "2100-01-01").out
    assert typed(ws, "committee", "reopened").code == 0
    assert typed(ws, "harness", "attest", "small", "--record").code == 1  # it is down, which is recorded
    assert typed(ws, "committee", "report").code == 0
    assert "nobody needs the pause" in (ws / "report.html").read_text()


def _proved_outside(ws: Path, tmp_path: Path) -> None:
    """The head is pinned in git, everything is recomputed, a bundle proves itself, and a copy is the same chain."""
    anchored = value(typed(ws, "committee", "anchor", "--json"))
    assert typed(ws, "committee", "ledger", "rebuild").code == 0
    said = typed(ws, "committee", "verify")
    assert said.code == 0 and "2 heads pinned in git" in said.out, said
    exported = typed(ws, "committee", "export", "3", "--out", str(tmp_path / "bundle"))
    assert exported.code == 0, exported
    check = ["python3", "-I", str(tmp_path / "bundle" / "check.py")]
    checked = subprocess.run(check, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (0, "ALL HOLDS")
    back = tmp_path / "back.db"
    copied = ran(ws, "committee", "ledger", "copy", f"env:{VARIABLE}", str(back))
    assert copied.code == 0, copied
    outcome = verify(back)
    assert outcome.ok and outcome.head is not None and outcome.head.seq >= anchored["seq"]


def test_each_trouble_with_the_server_is_one_sentence(
    served: Path, postgres: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(url: str | None) -> str:
        if url is None:
            monkeypatch.delenv(VARIABLE)
        else:
            monkeypatch.setenv(VARIABLE, url)
        said = typed(served, "committee", "log")
        assert said.code != 0 and said.out == "" and said.err.count("\n") == 1, said
        assert "s3cret" not in said.err
        return said.err

    assert f"environment variable '{VARIABLE}', which names the ledger's database, is not set" in refused(None)
    assert "holds no URL of a database; begin it with postgresql://" in refused("mysql://owner:s3cret@host/x")
    assert "cannot be reached; check that the server runs" in refused("postgresql://owner:s3cret@127.0.0.1:1/x")
    assert "has no such database; make it with createdb" in refused(postgres.url("nowhere"))
    postgres.run("postgres", "DROP ROLE IF EXISTS reader", "CREATE ROLE reader LOGIN")
    assert "refuses that right" in refused(postgres.url(database, user="reader"))
    monkeypatch.setenv(VARIABLE, postgres.url(database))
    assert typed(served, "committee", "log").code == 0
    assert "refuses that right; let its owner say: GRANT" in refused(postgres.url(database, user="reader"))
    made = "INSERT INTO migration VALUES (9999, 'm9999_later', '2030-01-01T00:00:00.000000Z')"
    postgres.run(database, made)
    assert "was written by a newer version (schema 9999" in refused(postgres.url(database))


def test_an_older_schema_is_brought_up_by_its_owner_only(
    served: Path, postgres: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ledger import migrations
    from ledger.postgres import PostgresServer

    url = postgres.url(database)
    older = PostgresServer(url)
    engine = older.engine()
    with older.rewriting(engine) as connection:
        migrations.upgrade(connection, up_to=5)
        older.settle(connection)
    engine.dispose()
    postgres.run(database, "DROP ROLE IF EXISTS writer", "CREATE ROLE writer LOGIN", "GRANT committee_append TO writer")
    monkeypatch.setenv(VARIABLE, postgres.url(database, user="writer"))
    said = typed(served, "committee", "log")
    assert said.code != 0 and "has schema 5 of an earlier version, and this version's schema" in said.err, said
    assert "let its owner open it once" in said.err
    monkeypatch.setenv(VARIABLE, url)
    assert typed(served, "committee", "log").code == 0
    monkeypatch.setenv(VARIABLE, postgres.url(database, user="writer"))
    assert typed(served, "committee", "park", "x", "--reason", "not understood").code == 0
