"""Numbered changes of the schema, applied in order and recorded in table `migration`. One shipped is never edited."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, inspect, select

from ledger.chain import utc_now
from ledger.errors import LedgerError
from ledger.migrations.m0001_initial import upgrade as m0001
from ledger.migrations.m0002_tree_and_tombstones import upgrade as m0002
from ledger.migrations.m0003_standing import upgrade as m0003
from ledger.migrations.m0004_imported import upgrade as m0004
from ledger.migrations.m0005_asking import upgrade as m0005
from ledger.migrations.m0006_machine import upgrade as m0006
from ledger.migrations.m0007_deploying import upgrade as m0007
from ledger.migrations.m0008_withdrawal import upgrade as m0008
from ledger.migrations.m0009_questions import upgrade as m0009
from ledger.migrations.m0010_kernel_verdict import upgrade as m0010
from ledger.migrations.m0011_setting_verdict import upgrade as m0011
from ledger.migrations.m0012_kernel_run import upgrade as m0012
from ledger.migrations.m0013_model import upgrade as m0013
from ledger.tables import MigrationRow

REGISTRY_TABLE = MigrationRow.metadata.tables["migration"]


@dataclass(frozen=True)
class Migration:
    """One change of the schema."""

    number: int
    name: str
    upgrade: Callable[[Connection], None]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "m0001_initial", m0001),
    Migration(2, "m0002_tree_and_tombstones", m0002),
    Migration(3, "m0003_standing", m0003),
    Migration(4, "m0004_imported", m0004),
    Migration(5, "m0005_asking", m0005),
    Migration(6, "m0006_machine", m0006),
    Migration(7, "m0007_deploying", m0007),
    Migration(8, "m0008_withdrawal", m0008),
    Migration(9, "m0009_questions", m0009),
    Migration(10, "m0010_kernel_verdict", m0010),
    Migration(11, "m0011_setting_verdict", m0011),
    Migration(12, "m0012_kernel_run", m0012),
    Migration(13, "m0013_model", m0013),
)


def applied(connection: Connection) -> tuple[tuple[int, str], ...]:
    """Numbers and names of the migrations that this database has seen, in order; empty for an empty database."""
    if not inspect(connection).has_table(REGISTRY_TABLE.name):
        return ()
    columns = REGISTRY_TABLE.c
    found = connection.execute(select(columns.number, columns.name).order_by(columns.number))
    return tuple((number, name) for number, name in found)


def refuse_foreign(connection: Connection, where: str) -> None:
    """Raise LedgerError for a database that is not a ledger, or one written by a newer version."""
    tables = inspect(connection).get_table_names()
    if tables and REGISTRY_TABLE.name not in tables:
        raise LedgerError(f"{where} is a database, but not a ledger; name another file")
    seen, newest = applied(connection), MIGRATIONS[-1].number
    if seen and seen[-1][0] > newest:
        raise LedgerError(
            f"{where} was written by a newer version (schema {seen[-1][0]}, this version knows {newest}); "
            "install the newer version to open it"
        )


def refuse_edited(connection: Connection, where: str) -> None:
    """Raise LedgerError when the recorded migrations are not the first ones of this version's list."""
    seen = applied(connection)
    known = tuple((one.number, one.name) for one in MIGRATIONS)
    if seen != known[: len(seen)] or (not seen and inspect(connection).get_table_names()):
        raise LedgerError(f"{where} does not name the migrations that made it; run `verify` on it")


def upgrade(connection: Connection, *, up_to: int = MIGRATIONS[-1].number) -> None:
    """Apply what is missing, up to a number. The caller holds the write transaction."""
    if not inspect(connection).has_table(REGISTRY_TABLE.name):
        REGISTRY_TABLE.create(connection)
    seen = {number for number, _ in applied(connection)}
    for migration in MIGRATIONS:
        if migration.number in seen or migration.number > up_to:
            continue
        migration.upgrade(connection)
        connection.execute(REGISTRY_TABLE.insert().values(number=migration.number, name=migration.name, time=utc_now()))
