"""Pure: what an entry is, its header's hash, and the link to the entry before. No input or output."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ledger.canonical import LARGEST_INTEGER, NotCanonicalError, canonical_bytes, sha256_hex
from ledger.entries import SCHEMAS, Payload, parse_payload
from ledger.errors import LedgerError

GENESIS = "0" * 64  # what the first entry names as the one before it


@dataclass(frozen=True)
class Header:
    """What the chain covers. The payload is covered by its hash, so that it can be withheld later."""

    seq: int
    time: str
    actor: str
    kind: str
    version: int
    payload_sha256: str
    previous: str

    def id(self) -> str:
        """SHA-256 of the canonical header. Raises NotCanonicalError for values that no writer here produces."""
        return sha256_hex(canonical_bytes(vars(self)))


@dataclass(frozen=True)
class Entry:
    """One entry as it is read back."""

    seq: int  # 1, 2, 3 ... without gaps
    id: str  # hash of the canonical header; the next entry names it as `previous`
    time: str  # UTC, "2026-11-29T14:20:30.123456Z"
    actor: str  # which program or person wrote it
    kind: str  # which payload schema
    version: int  # which version of that schema
    payload: Payload  # the typed payload
    payload_sha256: str  # hash of the payload's canonical bytes
    previous: str  # id of the entry before, GENESIS for the first


@dataclass(frozen=True)
class Head:
    """The newest entry."""

    seq: int
    id: str


def utc_now() -> str:
    """The present time as entries state it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_canonical(content: bytes) -> Any:
    """The JSON value of canonical bytes, large floats as floats. Raises ValueError for what is no JSON."""
    try:
        return json.loads(content, parse_int=_number)
    except RecursionError as error:
        raise ValueError("it is nested too deeply to be read") from error


def _number(text: str) -> int | float:
    number = int(text)
    return number if abs(number) <= LARGEST_INTEGER else float(text)


def payload_bytes(payload: Payload) -> bytes:
    """A payload's canonical bytes, proved to read back as an equal payload. Raises LedgerError otherwise."""
    return _proved(payload)[0]


def _proved(payload: Payload) -> tuple[bytes, Payload]:
    """Canonical bytes and what reading them gives.

    Made from the values themselves: a dump in JSON mode would turn a NaN inside a free dictionary into null.
    """
    what = f"payload {payload.kind!r} version {payload.version}"
    if SCHEMAS.get((payload.kind, payload.version)) is not type(payload):
        raise LedgerError(f"{what} is not in the registry of entries; add its schema to ledger/entries")
    try:
        content = canonical_bytes(payload.model_dump())
        return content, parse_payload(payload.kind, payload.version, from_canonical(content))
    except (NotCanonicalError, ValueError) as error:
        raise LedgerError(f"{what} cannot be recorded: {' '.join(str(error).split())}") from error


def link(payload: Payload, *, time: str, actor: str, previous: Head | None) -> tuple[Entry, bytes]:
    """The entry that follows `previous`, and its payload's canonical bytes."""
    content, read_back = _proved(payload)
    header = Header(
        seq=previous.seq + 1 if previous else 1,
        time=time,
        actor=actor,
        kind=payload.kind,
        version=payload.version,
        payload_sha256=sha256_hex(content),
        previous=previous.id if previous else GENESIS,
    )
    return Entry(id=header.id(), payload=read_back, **vars(header)), content
