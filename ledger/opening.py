"""What happens before a ledger is read or written: what is there is looked at, made, and brought to this version."""

from sqlalchemy import Engine, select

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
        with database.writing(engine) as connection:
            if connection.execute(select(ENTRY.c.seq).limit(1)).first() is None:
                write_head(beside, EMPTY, utc_now())


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
