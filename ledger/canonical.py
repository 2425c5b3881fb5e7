"""Canonical bytes (RFC 8785) of a value and their SHA-256. The only place where something becomes hashable bytes.

Plain values are written here, because every append waits for it; numbers and keys of an unusual kind go to the
library `rfc8785`, and a property test holds the two together.
"""

import hashlib
import json.encoder
from typing import Any

import rfc8785

LARGEST_INTEGER = 2**53 - 1  # the largest integer that RFC 8785 writes as one
PLAIN_FLOATS = (1e-4, 1e16)  # between these Python and ECMAScript write a broken number with the same characters
CONSTANTS = {None: "null", True: "true", False: "false"}
_text = json.encoder.encode_basestring


class NotCanonicalError(ValueError):
    """A value has no canonical form (NaN, infinity, an integer beyond 2**53, a non-string key)."""


def canonical_bytes(value: Any) -> bytes:
    """RFC 8785 bytes of a JSON value. Raises NotCanonicalError where there is no such form."""
    try:
        return _written(value).encode()
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise NotCanonicalError(f"value has no canonical JSON form ({error}); NaN and infinity are refused") from error


def _written(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return _text(value)
    if value is None or kind is bool:
        return CONSTANTS[value]
    if kind is float:
        return _float(value)
    if kind is dict and _plain_keys(value):
        return "{" + ",".join([f"{_text(key)}:{_written(value[key])}" for key in sorted(value)]) + "}"
    if kind is list or kind is tuple:
        return "[" + ",".join([_written(one) for one in value]) + "]"
    if kind is int and -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
        return int.__repr__(value)
    return rfc8785.dumps(value).decode()


def _plain_keys(value: dict[Any, Any]) -> bool:
    """Whether all keys are ASCII text, whose order by characters is the one that RFC 8785 asks for."""
    try:
        return "".join(value).isascii()
    except TypeError:  # a key that is no text
        return False


def _float(value: float) -> str:
    size = abs(value)
    if PLAIN_FLOATS[0] <= size < PLAIN_FLOATS[1]:
        if value != int(value):
            return float.__repr__(value)
        if size <= LARGEST_INTEGER:
            return int.__repr__(int(value))
    return rfc8785.dumps(value).decode()


def sha256_hex(data: bytes) -> str:
    """SHA-256 of bytes as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 of a JSON value's canonical bytes."""
    return sha256_hex(canonical_bytes(value))
