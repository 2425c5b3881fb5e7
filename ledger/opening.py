"""What happens before a ledger is read or written: what is there is looked at, made, and brought to this version."""

from pathlib import Path

from sqlalchemy import Connection, Engine, select

from ledger import migrations
from ledger.chain import utc_now
from ledger.database import Database
from ledger.errors import LedgerError
from ledger.head_file import EMPTY, head_path, write_head
from ledger.projections import table_of
from ledger.tables import EntryRow

ENTRY = table_of(EntryRow)


def prepare(database: Database, engine: Engine, *, create: bool) -> None:
    """Refuse what is no ledger or of a newer version; with `create` make one; apply the migrations that it lacks."""
    with engine.connect() as connection:
        migrations.refuse_foreign(connection, database.said)
        migrations.refuse_edited(connection, database.said)
        seen = migrations.applied(connection)
    if not seen and not create:
        raise LedgerError(f"{database.said} is empty and not a ledger; make one with create=True or name another file")
    database.set_up(engine)
    if len(seen) < len(migrations.MIGRATIONS):
        _bring_up(database, engine, seen[-1][0] if seen else 0)
    beside = database.beside
    if beside and not head_path(beside).exists():
        _say_empty(database, engine, beside)


def _say_empty(database: Database, engine: Engine, beside: Path) -> None:
    """Give an empty ledger its head file. One with entries gets its own with the next of them, and is only read."""
    with engine.connect() as connection:
        if _has_entries(connection):
            return
    with database.writing(engine) as connection:
        if not _has_entries(connection):
            write_head(beside, EMPTY, utc_now())


def _has_entries(connection: Connection) -> bool:
    return connection.execute(select(ENTRY.c.seq).limit(1)).first() is not None


def _bring_up(database: Database, engine: Engine, number: int) -> None:
    """Apply the migrations that a database of this number lacks; 0 has seen none."""
    try:
        with database.said_plainly(), database.rewriting(engine) as connection:
            migrations.upgrade(connection)
            database.settle(connection)
    except LedgerError as error:
        if not number:
            raise
        raise LedgerError(
            f"{database.said} has schema {number} of an earlier version, and this version's schema "
            f"{migrations.MIGRATIONS[-1].number} could not be made ({error}); let its owner open it once"
        ) from error
