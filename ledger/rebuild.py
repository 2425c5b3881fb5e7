"""Refilling the projections from the entries, in one transaction. The entries themselves are never touched."""

from pathlib import Path

from sqlalchemy import Connection, func, select

from ledger import batches, reading, sqlite
from ledger.checks.schema import expected_schema
from ledger.errors import LedgerError
from ledger.findings import REPAIRED_BY_REBUILD
from ledger.inserting import insert_rows
from ledger.projections import ROW_TYPES, project, table_of
from ledger.store import Ledger
from ledger.verify import verify


def rebuild(path: Path, *, actor: str) -> int:
    """Empty and refill every projection and put missing triggers back; returns how many entries were projected.

    Raises LedgerError when anything but projections and triggers is wrong: what the projections still say is then
    the last witness of what an entry said.
    """
    wrong = [one for one in verify(path).findings if one.what not in REPAIRED_BY_REBUILD]
    if wrong:
        raise LedgerError(f"{path} cannot be rebuilt, because its entries are not whole: {wrong[0].sentence}")
    with Ledger.open(path, actor=actor) as ledger, ledger.writing() as connection:
        _drop_triggers(connection)
        for table in (*map(table_of, ROW_TYPES), batches.BATCH):
            connection.execute(table.delete())
        count = _refill(connection)
        _restore_triggers(connection)
    return count


def _refill(connection: Connection) -> int:
    count = after = 0
    while page := reading.page(connection, (), after, with_withheld=False):
        insert_rows(connection, (row for entry in page for row in project(entry)))
        count += len(page)
        after = page[-1].seq
    last = connection.execute(select(func.max(reading.ENTRY.c.seq))).scalar() or 0
    insert_rows(connection, batches.full_batches(connection, 0, last))
    return count


def _drop_triggers(connection: Connection) -> None:
    for kind, name in sqlite.schema_of(connection):
        if kind == "trigger" and (kind, name) in expected_schema():
            connection.exec_driver_sql(f'DROP TRIGGER "{name}"')


def _restore_triggers(connection: Connection) -> None:
    for (kind, _name), sql in expected_schema().items():
        if kind == "trigger":
            connection.exec_driver_sql(sql)
