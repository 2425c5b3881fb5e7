"""Canonical bytes (RFC 8785) of a value and their SHA-256. The only place where something becomes hashable bytes."""

import hashlib
from typing import Any

import rfc8785


class NotCanonicalError(ValueError):
    """A value has no canonical form (NaN, infinity, an integer beyond 2**53, a non-string key)."""


def canonical_bytes(value: Any) -> bytes:
    """RFC 8785 bytes of a JSON value. Raises NotCanonicalError where there is no such form."""
    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as error:
        raise NotCanonicalError(f"value has no canonical JSON form ({error}); NaN and infinity are refused") from error


def sha256_hex(data: bytes) -> str:
    """SHA-256 of bytes as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 of a JSON value's canonical bytes."""
    return sha256_hex(canonical_bytes(value))
