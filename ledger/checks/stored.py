"""Reading rows as they stand, untyped, so that a damaged value is compared and not converted."""

from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, Table, select, type_coerce
from sqlalchemy.types import NullType

from ledger.canonical import sha256_hex
from ledger.chain import Entry, Header, from_canonical
from ledger.checks.chain import StoredHeader
from ledger.entries import parse_payload
from ledger.projections import table_of
from ledger.tables import EntryRow

ENTRY = table_of(EntryRow)
BATCH_ROWS = 1000  # rows in memory at once
Row = dict[str, object]


def raw_rows(connection: Connection, table: Table, *where: ColumnElement[bool]) -> Iterator[Row]:
    """Rows in order of their key, values as the database gives them."""
    columns = [type_coerce(column, NullType()).label(column.name) for column in table.columns]
    wanted = select(*columns).where(*where).order_by(*table.primary_key.columns)
    for row in connection.execution_options(yield_per=BATCH_ROWS).execute(wanted).mappings():
        yield dict(row)


def stored_header(row: Row) -> StoredHeader:
    """The chain's view of a row of table `entry`."""
    payload = row["payload"]
    header = Header(**{name: row[name] for name in Header.__dataclass_fields__})  # type: ignore[arg-type]
    return StoredHeader(header, str(row["id"]), sha256_hex(payload) if isinstance(payload, bytes) else "")


def stored_entry(row: Row, seq: int) -> Entry:
    """The typed entry at the place it was written at. Raises ValueError when no schema reads its payload."""
    value = from_canonical(bytes(row["payload"]))  # type: ignore[call-overload]
    payload = parse_payload(str(row["kind"]), int(str(row["version"])), value)
    header = {name: row[name] for name in EntryRow.model_fields if name != "payload"}
    return Entry(**(header | {"seq": seq, "payload": payload}))  # type: ignore[arg-type]
