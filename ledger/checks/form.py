"""Whether a payload's bytes are the canonical form (RFC 8785) of what they say; others read another form differently.

A key twice, for one, is read as its first value by some programs and as its last by others. A schema whose fields are
sorted writes most payloads again as fast as they are read; where that shows nothing, the exact form is computed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from pydantic_core import CoreSchema, SchemaSerializer, SchemaValidator

from ledger.canonical import LARGEST_INTEGER, NotCanonicalError, canonical_bytes
from ledger.chain import from_canonical
from ledger.entries import SCHEMAS

FREE = frozenset({"dict", "any"})  # their keys have no order of their own
WHOLE = ((b".0,", b","), (b".0}", b"}"), (b".0]", b"]"))  # RFC 8785 writes a whole number without a point
LARGE = 1e16  # from here on pydantic writes an exponent where RFC 8785 writes digits
LIMITS: dict[str, dict[str, float]] = {
    "int": {"ge": -LARGEST_INTEGER, "le": LARGEST_INTEGER},
    "float": {"gt": -LARGE, "lt": LARGE},
}
POINT, MINUS = b".0", b"e-"  # seldom there, and looked for first
ODD = (*(one for one, _plain in WHOLE), b"e-5", b"e-6")  # written back as they are, and not as RFC 8785 asks for it


@dataclass(frozen=True)
class Form:
    """How entries of one schema are read, and written again."""

    reader: SchemaValidator
    writer: SchemaSerializer
    free: bool  # whether keys of its own choice can be in it
    floats: bool

    def read(self, payload: bytes) -> tuple[Any, bool]:
        """The typed payload, and whether its bytes are canonical. Raises ValidationError.

        Pydantic writes texts, integers and no space as RFC 8785 asks for it, and of other numbers all but a few.
        """
        value = self.reader.validate_json(payload)
        odd = self.floats and (POINT in payload or MINUS in payload) and any(one in payload for one in ODD)
        if self.free or odd:
            return value, is_canonical(payload)
        written = self.writer.to_json(value)
        if written != payload:
            written = self._again(value)
        return value, written == payload or is_canonical(payload)

    def _again(self, value: Any) -> bytes:
        """Without fields that an earlier version did not write, and with whole numbers as RFC 8785 writes them."""
        written = self.writer.to_json(value, exclude_unset=True)
        for end, plain in WHOLE:
            written = written.replace(end, plain)
        return written


@cache
def form_of(kind: str, version: int) -> Form:
    """The form of one schema; made when it is first met. Raises KeyError for an unknown one."""
    schema = SCHEMAS[kind, version].__pydantic_core_schema__
    types = frozenset(_types(schema))
    ordered = cast(CoreSchema, _sorted(schema))
    reader, writer = (
        SchemaValidator(ordered, None, False),
        SchemaSerializer(ordered, None, False),
    )  # not those made before
    return Form(reader, writer, bool(types & FREE), "float" in types)


def is_canonical(payload: bytes) -> bool:
    """The exact answer, for JSON of any kind."""
    try:
        return canonical_bytes(from_canonical(payload)) == payload
    except (NotCanonicalError, ValueError):
        return False


def _sorted(schema: Any) -> Any:
    """A schema as it is, the fields of each of its models in the order of names, integers as RFC 8785 has them."""
    if isinstance(schema, list | tuple):
        return type(schema)(map(_sorted, schema))
    if not isinstance(schema, dict):
        return schema
    made = {key: _sorted(value) for key, value in schema.items()}
    if made.get("type") == "model-fields":
        made["fields"] = dict(sorted(made["fields"].items()))
    if limits := LIMITS.get(str(made.get("type"))):
        made = limits | made
    return made


def _types(schema: Any) -> Iterator[str]:
    if isinstance(schema, list | tuple):
        for one in schema:
            yield from _types(one)
    elif isinstance(schema, dict):
        if isinstance(schema.get("type"), str):
            yield schema["type"]
        for key, one in schema.items():
            if key not in ("metadata", "default"):
                yield from _types(one)
