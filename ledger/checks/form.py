"""Whether a payload's bytes are the canonical form (RFC 8785) of what they say; others read another form differently.

A key twice, for one, is read as its first value by some programs and as its last by others. A schema whose fields are
sorted writes most payloads again as fast as they are read; where that shows nothing, the exact form is computed.
"""

from collections.abc import Callable, Iterator
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


Read = Callable[[bytes], tuple[Any, bool]]


@cache
def reading(kind: str, version: int) -> Read:
    """Gives the typed payload, and whether its bytes are canonical; raises ValidationError. Made when a schema is met.

    Pydantic writes texts, integers and no space as RFC 8785 asks for it, and of other numbers all but a few. Raises
    KeyError for an unknown schema.
    """
    schema = SCHEMAS[kind, version].__pydantic_core_schema__
    types = frozenset(_types(schema))
    ordered = cast(CoreSchema, _sorted(schema))
    validate = SchemaValidator(ordered, None, False).validate_json  # not the one made before
    write = SchemaSerializer(ordered, None, False).to_json
    floats = "float" in types

    def free(payload: bytes) -> tuple[Any, bool]:
        return validate(payload), is_canonical(payload)

    def typed(payload: bytes) -> tuple[Any, bool]:
        value = validate(payload)
        if floats and (POINT in payload or MINUS in payload) and any(one in payload for one in ODD):
            return value, is_canonical(payload)
        written = write(value)
        same = written == payload or (floats and _plain(written) == payload) or _plain(_set(value)) == payload
        return value, same or is_canonical(payload)

    def _set(value: Any) -> bytes:
        """Without fields that an earlier version did not write."""
        return write(value, exclude_unset=True)

    return free if types & FREE else typed


def _plain(written: bytes) -> bytes:
    """Whole numbers as RFC 8785 writes them."""
    for end, plain in WHOLE:
        written = written.replace(end, plain)
    return written


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
