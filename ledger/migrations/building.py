"""What migrations are written with: columns in short form, and the guards that refuse change and removal.

What these give for SQLite is pinned by a test, because migrations that were shipped rest on it.
"""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Connection, Float, Integer, String, Table

INTEGER = Integer().with_variant(BigInteger(), "postgresql")  # SQLite's integers have 64 bits by themselves
TYPES: dict[str, Any] = {"text": String(), "int": INTEGER, "big": BigInteger(), "float": Float(), "bool": Boolean()}


def column(written: str) -> Column[object]:
    """A column from `name[:type][?][!]`: text unless a type is given, `?` may be null, `!` is indexed."""
    bare = written.rstrip("?!")
    name, _, type_name = bare.partition(":")
    marks = written[len(bare) :]
    return Column(name, TYPES[type_name or "text"], nullable="?" in marks, index="!" in marks or None)


def guard(connection: Connection, table: Table) -> None:
    """Refuse UPDATE, DELETE and replacing on a table.

    SQLite needs the third trigger because INSERT OR REPLACE removes a row without asking the trigger on DELETE.
    """
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
