"""Pure: how a payload's fields become the columns of a row, worked out once a schema from its types.

A column holds the field of its name; `x_sha256` is the hash of blob `x`; `interval_low_pct` is field `low_pct` of part
`interval`, null when there is no such part.
"""

import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from operator import attrgetter, itemgetter
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, Table
from sqlmodel import SQLModel

from ledger.entries import BlobRef, Part

Getter = Callable[[Any], tuple[object, ...]]


@dataclass(frozen=True)
class Plan:
    """How rows of one table are filled from one schema."""

    table: Table
    columns: tuple[str, ...]  # in the order of the values, without seq and item
    values: Getter  # a payload, or an item of its list, to these values

    @property
    def all_columns(self) -> tuple[str, ...]:
        """Key and values."""
        return (*(column.name for column in self.table.primary_key.columns), *self.columns)


@dataclass(frozen=True, slots=True)
class Row:
    """One projection row."""

    plan: Plan
    values: tuple[object, ...]  # as `plan.all_columns`

    def as_dict(self) -> dict[str, object]:
        """Column -> value."""
        return dict(zip(self.plan.all_columns, self.values, strict=True))


def table_of(row_type: type[SQLModel]) -> Table:
    """The SQLAlchemy table behind a row type."""
    return row_type.metadata.tables[str(row_type.__tablename__)]


def as_stored(connection: Connection, values: tuple[object, ...]) -> tuple[object, ...]:
    """Projected values as the database can hold them: PostgreSQL's text has no NUL, so U+FFFD stands in its place.

    The payload's bytes keep the character.
    """
    if connection.dialect.name != "postgresql" or not any(isinstance(one, str) and "\0" in one for one in values):
        return values
    return tuple(one.replace("\0", "\ufffd") if isinstance(one, str) else one for one in values)


def plan_of(row_type: type[SQLModel], filled_from: Any) -> Plan:
    """The plan for a table, filled from parts of a type, or from plain values into its one column."""
    keys = {"seq", "item"}
    columns = [name for name in row_type.model_fields if name not in keys]
    if not (isinstance(filled_from, type) and issubclass(filled_from, BaseModel)):
        (column,) = columns
        return Plan(table_of(row_type), (column,), lambda value: (value,))
    names, getters = _getters(filled_from, columns)
    return Plan(table_of(row_type), tuple(columns), _ordered(names, _joined(getters), columns))


def item_type(schema: type[BaseModel], field: str) -> Any:
    """What a list field of a schema holds: a part's type, or the type of a plain value."""
    if field in schema.model_fields:
        held = schema.model_fields[field].annotation
    else:  # computed from the fields, not recorded by itself
        held = typing.get_type_hints(getattr(schema, field).fget)["return"]
    inner = typing.get_args(held)[0]
    return typing.get_args(inner)[0] if typing.get_origin(inner) is typing.Annotated else inner


def _getters(schema: type[BaseModel], columns: list[str]) -> tuple[tuple[str, ...], list[Getter]]:
    """Columns in the order of the getters: own fields first, then each part's, then what this schema does not have."""
    own = [name for name in columns if name in schema.model_fields]
    names, getters = [*own], [_fields(own)] if own else []
    left = [name for name in columns if name not in own]
    for field, part in _parts(schema):
        inner = [name.removeprefix(f"{field}_") for name in left if name.startswith(f"{field}_")]
        if not inner:
            continue
        inner_names, inner_getters = _getters(part, inner)
        names += [f"{field}_{name}" for name in inner_names]
        getters.append(_inside(field, len(inner_names), _joined(inner_getters)))
        left = [name for name in left if name not in names]
    if left:
        nothing = (None,) * len(left)
        getters.append(lambda _value: nothing)
    return (*names, *left), getters


def _ordered(names: tuple[str, ...], getter: Getter, wanted: list[str]) -> Getter:
    """The same values in the order of the table's columns, so that every schema of a table gives equal rows."""
    if list(names) == wanted:
        return getter
    order = itemgetter(*(names.index(name) for name in wanted))
    return lambda value: order(getter(value))


def _fields(names: list[str]) -> Getter:
    if len(names) == 1:
        only = attrgetter(names[0])
        return lambda value: (only(value),)
    return attrgetter(*names)


def _inside(field: str, count: int, getter: Getter) -> Getter:
    part, nothing = attrgetter(field), (None,) * count

    def values(value: Any) -> tuple[object, ...]:
        found = part(value)
        return nothing if found is None else getter(found)

    return values


def _joined(getters: list[Getter]) -> Getter:
    if len(getters) == 1:
        return getters[0]
    first, rest = getters[0], _joined(getters[1:])
    return lambda value: first(value) + rest(value)


def _parts(schema: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    for name, field in schema.model_fields.items():
        for kind in (field.annotation, *typing.get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, Part):
                yield name, kind


def blob_refs(value: BaseModel) -> Iterator[BlobRef]:
    """Every reference to a blob anywhere inside a payload or part, in order of fields."""
    for name in _fields_with_blobs(type(value)):
        found = getattr(value, name)
        if found is not None:
            yield from _refs(found)


def _refs(value: object) -> Iterator[BlobRef]:
    if isinstance(value, BlobRef):
        yield value
    elif isinstance(value, BaseModel):
        yield from blob_refs(value)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _refs(one)


def can_name_blobs(schema: type[BaseModel]) -> bool:
    """Whether a payload of this schema has a place for a reference to a blob."""
    return bool(_fields_with_blobs(schema))


@cache
def _fields_with_blobs(schema: type[BaseModel]) -> tuple[str, ...]:
    return tuple(name for name, field in schema.model_fields.items() if _reaches_blob(field.annotation))


def _reaches_blob(kind: Any) -> bool:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return issubclass(kind, BlobRef) or bool(_fields_with_blobs(kind))
    return any(_reaches_blob(one) for one in typing.get_args(kind))
