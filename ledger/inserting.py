"""Putting linked entries with their projections into the tables, many rows a statement. The caller holds the lock."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from ledger import batches, blobs
from ledger.chain import Entry, Head, link, utc_now
from ledger.entries import Payload
from ledger.plans import Plan, as_stored, blob_refs
from ledger.projections import Row, project, table_of
from ledger.tables import EntryRow

MOST_PARAMETERS = 16_000  # in one statement; the protocol ends at 65,535
ENTRY_COLUMNS = tuple(EntryRow.model_fields)
ENTRY_PLAN = Plan(table_of(EntryRow), tuple(name for name in ENTRY_COLUMNS if name != "seq"), lambda _value: ())


def insert_entries(
    connection: Connection, payloads: Sequence[Payload], actor: str, head: Head | None
) -> tuple[Entry, ...]:
    """Link, insert and project payloads after `head`; nothing of them stays if one cannot be recorded."""
    entries: list[Entry] = []
    stored: list[Row] = []
    for payload in payloads:
        entry, content = link(payload, time=utc_now(), actor=actor, previous=head)
        entries.append(entry)
        stored.append(entry_row(entry, content))
        head = Head(entry.seq, entry.id)
    blobs.check_refs(connection, [ref for entry in entries for ref in blob_refs(entry.payload)])
    insert_rows(connection, stored)
    insert_rows(connection, (row for entry in entries for row in project(entry)))
    if entries:
        insert_rows(connection, batches.full_batches(connection, entries[0].seq - 1, entries[-1].seq))
    return tuple(entries)


def entry_row(entry: Entry, content: bytes | None) -> Row:
    """An entry's own row."""
    return Row(ENTRY_PLAN, tuple(content if name == "payload" else getattr(entry, name) for name in ENTRY_COLUMNS))


def insert_rows(connection: Connection, rows: Iterable[Row]) -> None:
    """Insert rows as they are, table by table."""
    by_plan: dict[Plan, list[tuple[object, ...]]] = defaultdict(list)
    for row in rows:
        by_plan[row.plan].append(row.values)
    for plan, values in by_plan.items():
        if connection.dialect.name == "postgresql":
            _insert_many(connection, plan, [as_stored(connection, one) for one in values])
        else:
            connection.exec_driver_sql(f"{_begin(connection, plan)} ({', '.join('?' * len(values[0]))})", values)


def _insert_many(connection: Connection, plan: Plan, rows: Sequence[tuple[object, ...]]) -> None:
    """Many rows a statement: PostgreSQL's driver would send each by itself and wait."""
    width = len(plan.all_columns)
    for low in range(0, len(rows), MOST_PARAMETERS // width):
        part = rows[low : low + MOST_PARAMETERS // width]
        marks = ", ".join([f"({', '.join(['%s'] * width)})"] * len(part))
        connection.exec_driver_sql(f"{_begin(connection, plan)} {marks}", tuple(one for row in part for one in row))


def _begin(connection: Connection, plan: Plan) -> str:
    quote = connection.dialect.identifier_preparer.quote
    columns = ", ".join(quote(name) for name in plan.all_columns)
    return f"INSERT INTO {quote(plan.table.name)} ({columns}) VALUES"
