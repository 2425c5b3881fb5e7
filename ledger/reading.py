"""Selecting entries: pages in order, by kind and field, by sequence or beginning of the id. It never writes."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from sqlalchemy import Connection, RowMapping, Select, select

from ledger.chain import GENESIS, Entry, from_canonical
from ledger.entries import Payload, parse_payload
from ledger.errors import LedgerError, NoSuchError
from ledger.projections import SHAPES, table_of
from ledger.tables import EntryRow
from ledger.tombstones import withheld_by

P = TypeVar("P", bound=Payload)
ENTRY = table_of(EntryRow)
PAGE_ENTRIES = 500  # read at once, so that a long listing holds no lock and little memory
SHORTEST_PREFIX = 6  # hexadecimal digits; 16 million ids apart


def to_entry(connection: Connection, row: RowMapping) -> Entry:
    """A typed entry from a row of table `entry`; where a tombstone withholds its payload, `Withheld` is the payload.

    Raises LedgerError when its payload cannot be read.
    """
    header = {name: row[name] for name in EntryRow.model_fields if name != "payload"}
    where = f"entry #{row['seq']}"
    if row["payload"] is None:
        withheld = withheld_by(connection, row["id"])
        if withheld is None:
            raise LedgerError(f"{where} has no payload here; run `verify`")
        return Entry(payload=withheld, **header)
    try:
        payload = parse_payload(row["kind"], row["version"], from_canonical(row["payload"]))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise LedgerError(f"{where} cannot be read ({' '.join(str(error).split())}); run `verify`") from error
    return Entry(payload=payload, **header)


def page(connection: Connection, kinds: Sequence[str], after: int, *, with_withheld: bool = True) -> list[Entry]:
    """The next entries above `after`."""
    wanted = select(ENTRY).where(ENTRY.c.seq > after).order_by(ENTRY.c.seq).limit(PAGE_ENTRIES)
    if not with_withheld:
        wanted = wanted.where(ENTRY.c.payload.is_not(None))
    if kinds:
        wanted = wanted.where(ENTRY.c.kind.in_(kinds))
    return _read(connection, wanted)


def of(connection: Connection, schema: type[P], where: Mapping[str, object]) -> list[tuple[Entry, P]]:
    """Entries of a schema whose fields equal `where`: by projected column where there is one, else by payload."""
    unknown = sorted(set(where) - set(schema.model_fields))
    if unknown:
        raise LedgerError(f"kind {schema.kind!r} has no field {unknown[0]!r}; name one of its fields")
    projected = table_of(SHAPES[schema.kind].row)
    columns = sorted(set(where) & set(projected.c.keys()))
    wanted = select(ENTRY).join(projected, projected.c.seq == ENTRY.c.seq).order_by(projected.c.seq)
    if not columns:  # else SQLite would walk every entry of the kind instead of the column's index
        wanted = wanted.where(ENTRY.c.kind == schema.kind, ENTRY.c.version == schema.version)
    for name in columns:
        wanted = wanted.where(projected.c[name] == where[name])
    found = [(entry, entry.payload) for entry in _read(connection, wanted)]
    return [
        (entry, payload)
        for entry, payload in found
        if isinstance(payload, schema) and all(getattr(payload, name) == value for name, value in where.items())
    ]


def by_number(connection: Connection, seqs: Sequence[int]) -> list[Entry]:
    """Entries by their sequence numbers, in order; those that are not there are left out."""
    return _read(connection, select(ENTRY).where(ENTRY.c.seq.in_(seqs)).order_by(ENTRY.c.seq))


def find(connection: Connection, wanted: str) -> Entry:
    """The one entry that a person means."""
    bare = wanted.strip().removeprefix("#").lower()
    if bare.isdecimal() and len(bare) < len(str(2**53)):
        found = _read(connection, select(ENTRY).where(ENTRY.c.seq == int(bare)))
        if found:
            return found[0]
    if wanted.strip().startswith("#") or not SHORTEST_PREFIX <= len(bare) <= len(GENESIS) or not _is_hex(bare):
        raise NoSuchError(f"no entry {wanted!r}; give a sequence number or at least {SHORTEST_PREFIX} digits of an id")
    found = _read(connection, select(ENTRY).where(ENTRY.c.id.startswith(bare)).limit(2))
    if len(found) != 1:
        said = "several entries begin" if found else "no entry begins"
        raise NoSuchError(
            f"{said} with {wanted!r}; " + ("give more digits" if found else "see `log` for what there is")
        )
    return found[0]


def _is_hex(text: str) -> bool:
    return not set(text) - set("0123456789abcdef")


def _read(connection: Connection, wanted: Select[tuple[object, ...]]) -> list[Entry]:
    return [to_entry(connection, row) for row in connection.execute(wanted).mappings().all()]
