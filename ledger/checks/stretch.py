"""Proves at speed that a stretch of entries is whole, with its projections and roots; says nothing about what is not.

It is as strict as the checks that name what is wrong, which run when this shows nothing: every header is hashed again,
every payload is hashed and read by its schema, every projection row is computed and compared.
"""

import gc
import json.encoder
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, inspect

from ledger.batches import BATCH, BATCH_PLAN
from ledger.chain import GENESIS
from ledger.checks.form import Read, reading
from ledger.checks.tombstones import withheld
from ledger.inserting import ENTRY_PLAN
from ledger.plans import Plan, as_stored, blob_refs
from ledger.projections import BLOB_USE, filling, table_plans
from ledger.tree import BATCH_ENTRIES, batch_root

PAGE_ENTRIES = 2048  # in memory at once, a multiple of a batch
PLANS = (*table_plans(), BATCH_PLAN)
Values = tuple[Any, ...]
HEX = re.compile("[0-9a-f]{64}")
_text = json.encoder.encode_basestring


@dataclass(frozen=True)
class Proved:
    """A stretch that is whole."""

    last_id: str  # id of its last entry, that of the one before when it is empty
    backwards: tuple[int, ...]  # entries dated before the one they follow
    withheld: tuple[int, ...]  # entries without payload, as their tombstones say


class NotShownError(Exception):
    """Something is not as it was written; which and how is for the other checks to say."""


class Stretch:
    """The entries from `first` to `last`; `first` begins a batch."""

    def __init__(self, connection: Connection, first: int, last: int) -> None:
        self._connection = connection
        self._first, self._last = first, last
        there = set(inspect(connection).get_table_names())
        self._plans = [plan for plan in PLANS if plan.table.name in there]
        self._gone = withheld(connection).entries
        self._sizes = _blob_sizes(connection)
        self._backwards: list[int] = []
        self._withheld: list[int] = []
        self._leaves: list[bytes] = []
        self._id, self._time = self._entry_before()

    def prove(self) -> Proved:
        """Raises NotShownError unless all of it is whole."""
        for low in range(self._first, self._last + 1, PAGE_ENTRIES):
            self._page(low, min(low + PAGE_ENTRIES - 1, self._last))
        return Proved(self._id, tuple(self._backwards), tuple(self._withheld))

    def _entry_before(self) -> tuple[str, str]:
        if self._first == 1:
            return GENESIS, ""
        for seq, entry_id, time, *_rest in _rows(self._connection, ENTRY_PLAN, self._first - 1, self._first - 1):
            if seq == self._first - 1:
                return entry_id, time
        raise NotShownError

    def _page(self, low: int, high: int) -> None:
        entries = _rows(self._connection, ENTRY_PLAN, low, high)
        if len(entries) != high - low + 1:
            raise NotShownError
        rows = {plan.table.name: iter(_rows(self._connection, plan, low, high)) for plan in self._plans}
        for seq, entry in enumerate(entries, start=low):
            if entry[0] != seq or type(entry[0]) is not int:
                raise NotShownError
            self._payload(entry, rows)
            self._header(entry)
            if seq % BATCH_ENTRIES == 0:
                self._batch(seq, rows.get(BATCH.name))
        if any(next(left, None) is not None for left in rows.values()):
            raise NotShownError

    def _batch(self, seq: int, rows: Iterator[Values] | None) -> None:
        """A file of the first release keeps no roots."""
        if rows is not None and next(rows, None) != (seq, batch_root(self._leaves).hex()):
            raise NotShownError
        self._leaves.clear()

    def _header(self, entry: Values) -> None:
        """After the payload, which has shown that the hash of it and the kind can stand in a header as they are."""
        seq, entry_id, time, actor, kind, version, _payload, payload_sha256, previous = entry
        if previous != self._id or type(version) is not int:
            raise NotShownError
        header = (
            f'{{"actor":{_quoted(actor)},"kind":{_quoted(kind)},"payload_sha256":"{payload_sha256}",'
            f'"previous":"{previous}","seq":{seq},"time":{_text(time)},"version":{version}}}'
        )
        hashed = sha256(header.encode()).digest()
        if hashed.hex() != entry_id:
            raise NotShownError
        if time < self._time:
            self._backwards.append(seq)
        self._id, self._time = entry_id, time
        self._leaves.append(sha256(b"\x00" + hashed).digest())

    def _payload(self, entry: Values, rows: dict[str, Iterator[Values]]) -> None:
        seq, entry_id, _time, _actor, kind, version, payload, payload_sha256, _previous = entry
        if payload is None and entry_id in self._gone:
            self._withheld.append(seq)
            if not HEX.fullmatch(payload_sha256):
                raise NotShownError
            return
        if type(payload) is not bytes or sha256(payload).hexdigest() != payload_sha256:
            raise NotShownError
        if entry_id in self._gone:
            raise NotShownError
        read, own, own_values, items, names_blobs = _schema(kind, version)
        value, canonical = read(payload)
        if not canonical:
            raise NotShownError
        found, wanted = next(rows[own], None), (seq, *own_values(value))
        if found != wanted:
            self._or_as_stored(found, wanted)
        for items_of, table, values in items:
            waiting = rows.get(table)
            if waiting is None:  # a file of an earlier release, to which a later one will add this table
                continue
            for number, one in enumerate(items_of(value)):
                found, wanted = next(waiting, None), (seq, number, *values(one))
                if found != wanted:
                    self._or_as_stored(found, wanted)
        if names_blobs:
            self._blobs(seq, value, rows[BLOB_USE.table.name])

    def _or_as_stored(self, found: Values | None, wanted: Values) -> None:
        if found != as_stored(self._connection, wanted):
            raise NotShownError

    def _blobs(self, seq: int, value: Any, waiting: Iterator[Values]) -> None:
        refs = {ref.sha256: ref.size for ref in blob_refs(value)}
        for number, (name, size) in enumerate(refs.items()):
            if next(waiting, None) != (seq, number, name) or self._sizes.get(name) != size:
                raise NotShownError


def prove_stretch(connection: Connection, first: int, last: int) -> Proved | None:
    """What is proved about these entries, none when anything there is not as it was written."""
    collected = gc.isenabled()
    gc.disable()  # tuples by the million and no cycles: looking for cycles would take a tenth of the time
    try:
        return Stretch(connection, first, last).prove()
    except (NotShownError, ValidationError, KeyError, TypeError, ValueError, RecursionError):
        return None
    except connection.dialect.loaded_dbapi.Error:  # text that is none any more, or a page that cannot be read
        return None
    finally:
        if collected:
            gc.enable()


@lru_cache(maxsize=1024)
def _quoted(text: str) -> str:
    """Actors and kinds, of which there are few."""
    return _text(text)


Items = tuple[tuple[Callable[[Any], Sequence[Any]], str, Callable[[Any], Values]], ...]


@cache
def _schema(kind: str, version: int) -> tuple[Read, str, Callable[[Any], Values], Items, bool]:
    """How a payload is read, its table and row, those of its items, and whether it names blobs: flat, for the loop."""
    fills = filling(kind, version)
    items = tuple((items_of, plan.table.name, plan.values) for items_of, plan in fills.items)
    return reading(kind, version), fills.own.table.name, fills.own.values, items, fills.names_blobs


def _blob_sizes(connection: Connection) -> dict[str, int]:
    rows = connection.exec_driver_sql("SELECT sha256, size FROM blob").all()
    return {row[0]: row[1] for row in rows}


def _rows(connection: Connection, plan: Plan, low: int, high: int) -> Sequence[Values]:
    """Plain tuples, as the driver gives them; from after `low` - 1, so that a row between two entries is seen too."""
    cursor = connection.connection.cursor()
    try:
        cursor.execute(_statement(connection, plan), (low - 1, high))
        found = cursor.fetchall()
        return found if not found or type(found[0]) is tuple else list(map(tuple, found))
    finally:
        cursor.close()


def _statement(connection: Connection, plan: Plan) -> str:
    dialect = connection.dialect
    quote, mark = dialect.identifier_preparer.quote, "?" if dialect.paramstyle == "qmark" else "%s"
    columns = ", ".join(quote(name) for name in plan.all_columns)
    keys = ", ".join(column.name for column in plan.table.primary_key.columns)
    return (
        f"SELECT {columns} FROM {quote(plan.table.name)} "  # noqa: S608 - names from the schema
        f"WHERE seq > {mark} AND seq <= {mark} ORDER BY {keys}"
    )
