"""What migrations are written with: columns in short form, and the guards that refuse change and removal.

What these give for SQLite is pinned by a test, because migrations that were shipped rest on it.
"""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Connection, Float, Integer, String, Table

INTEGER = Integer().with_variant(BigInteger(), "postgresql")  # SQLite's integers have 64 bits by themselves
TYPES: dict[str, Any] = {"text": String(), "int": INTEGER, "big": BigInteger(), "float": Float(), "bool": Boolean()}

REFUSE_BODY = (
    "BEGIN RAISE EXCEPTION USING MESSAGE = 'table ' || TG_TABLE_NAME || ' is append-only, ' || TG_OP || ' refused'; END"
)


def column(written: str) -> Column[object]:
    """A column from `name[:type][?][!]`: text unless a type is given, `?` may be null, `!` is indexed."""
    bare = written.rstrip("?!")
    name, _, type_name = bare.partition(":")
    marks = written[len(bare) :]
    return Column(name, TYPES[type_name or "text"], nullable="?" in marks, index="!" in marks or None)


def guard(connection: Connection, table: Table) -> None:
    """Refuse UPDATE, DELETE and replacing (on PostgreSQL: emptying) on a table."""
    if connection.dialect.name == "postgresql":
        _guard_on_a_server(connection, table.name)
    else:
        _guard_in_a_file(connection, table)


def guard_names(connection: Connection, table: Table) -> tuple[str, ...]:
    """The names of a table's guards."""
    if connection.dialect.name == "postgresql":
        return tuple(guards_of(table.name))
    return tuple(f"{table.name}_no_{what}" for what in ("update", "delete", "replace"))


def _guard_in_a_file(connection: Connection, table: Table) -> None:
    """SQLite needs the third trigger because INSERT OR REPLACE removes a row without asking the trigger on DELETE."""
    name = table.name
    same = " AND ".join(f"{column.name} = NEW.{column.name}" for column in table.primary_key)
    for action, when in (
        ("UPDATE", ""),
        ("DELETE", ""),
        ("INSERT", f"WHEN EXISTS (SELECT 1 FROM {name} WHERE {same}) "),  # noqa: S608 - names from this package
    ):
        what = "REPLACE" if when else action
        connection.exec_driver_sql(
            f"CREATE TRIGGER {name}_no_{what.lower()} BEFORE {action} ON {name} {when}BEGIN "
            f"SELECT RAISE(ABORT, 'table {name} is append-only, {what} refused'); END"
        )


def guards_of(table: str) -> dict[str, str]:
    """PostgreSQL's triggers for a table: name and words, as the server itself gives them back."""
    each = f"ON {table} FOR EACH"
    return {
        f"{table}_no_update": f"BEFORE UPDATE {each} ROW EXECUTE FUNCTION ledger_refuse()",
        f"{table}_no_delete": f"BEFORE DELETE {each} ROW EXECUTE FUNCTION ledger_refuse()",
        f"{table}_no_truncate": f"BEFORE TRUNCATE {each} STATEMENT EXECUTE FUNCTION ledger_refuse()",
    }


def _guard_on_a_server(connection: Connection, table: str) -> None:
    """ALWAYS: also for a session that says it is a replica."""
    connection.exec_driver_sql(
        f"CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $${REFUSE_BODY}$$"
    )
    for name, words in guards_of(table).items():
        connection.exec_driver_sql(f"CREATE TRIGGER {name} {words}")
        connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")
