"""Exporting one entry as a folder that proves itself: entry, blobs, proof, pins, and the program that checks them."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

from sqlalchemy import Connection, select

from ledger import blobs, reading
from ledger.anchor import Pin
from ledger.batches import stored_tree
from ledger.chain import Entry, Header
from ledger.entries import BlobRef, Withheld
from ledger.errors import LedgerError, NoSuchError
from ledger.plans import blob_refs
from ledger.store import Ledger, newest
from ledger.tombstones import blob_withheld_by

FORMAT = 1  # of bundle.json; check.py goes along, so no reader has to know older ones


@dataclass(frozen=True)
class PinnedObject:
    """A git object whose own id vouches for the pin in its text."""

    pin: Pin
    said: str  # what it is, in words: "commit 1a2b3c4d5e6f"
    type: str  # git's word for the kind of object: "commit" or "blob"
    object: str  # its id, SHA-1 of type, size and content
    content: bytes


@dataclass(frozen=True)
class Exported:
    """Where a bundle was written, and what it rests on."""

    folder: Path
    entry: Entry
    size: int  # entries under the root
    root: str
    pins: tuple[PinnedObject, ...]  # that state this root


def export(ledger: Ledger, wanted: str, folder: Path, pins: Sequence[PinnedObject] = ()) -> Exported:
    """Write the bundle of one entry into a new folder.

    The proof leads to the root of the oldest pin that covers the entry, else to that of the whole ledger as it is now.
    Raises LedgerError for a folder that exists, an entry that does not, or a pin that does not stand on the ledger.
    """
    if folder.exists():
        raise NoSuchError(f"{folder} exists already; name a new folder")
    with ledger.looking() as connection:
        entry = reading.find(connection, wanted)
        size, chosen = _chosen(connection, entry, pins)
        tree = stored_tree(connection)
        root, path = tree.root(size).hex(), tree.inclusion(entry.seq - 1, size)
        for one in chosen:
            if one.pin.root and one.pin.root.root != root:
                raise LedgerError(f"{one.said} states another root over {size} entries; run `verify`")
        (folder / "blobs").mkdir(parents=True)
        listed = _write_payload(connection, entry, folder)
    exported = Exported(folder, entry, size, root, tuple(chosen))
    _write_rest(exported, listed, [one.hex() for one in path])
    return exported


def _write_rest(exported: Exported, listed: list[dict[str, object]], path: list[str]) -> None:
    """bundle.json, the pinned objects and the program."""
    folder, entry = exported.folder, exported.entry
    (folder / "pins").mkdir()
    for one in exported.pins:
        (folder / "pins" / one.object).write_bytes(one.content)
    bundle = {
        "format": FORMAT,
        "id": entry.id,
        "header": {name: getattr(entry, name) for name in Header.__dataclass_fields__},
        "withheld": _words(entry.payload) if isinstance(entry.payload, Withheld) else None,
        "blobs": listed,
        "proof": {"size": exported.size, "root": exported.root, "path": path},
        "pins": [
            {"said": one.said, "type": one.type, "object": one.object, **asdict(one.pin)} for one in exported.pins
        ],
    }
    text = json.dumps(bundle, indent=1, sort_keys=True, ensure_ascii=False)
    (folder / "bundle.json").write_text(text + "\n", encoding="utf-8")
    program = resources.files("ledger.bundle").joinpath("check.py").read_text(encoding="utf-8")
    (folder / "check.py").write_text(program, encoding="utf-8")


def _chosen(connection: Connection, entry: Entry, pins: Sequence[PinnedObject]) -> tuple[int, list[PinnedObject]]:
    """How many entries the proof's tree covers, and the pins that state its root."""
    sizes = [one.pin.root.size for one in pins if one.pin.root and one.pin.root.size >= entry.seq]
    head = newest(connection)
    if not sizes or head is None:
        return head.seq if head else 0, []
    size = min(sizes)
    if size > head.seq:
        raise LedgerError(f"a pin covers {size} entries, but the ledger ends at #{head.seq}; run `verify`")
    return size, [one for one in pins if one.pin.root and one.pin.root.size == size]


def _write_payload(connection: Connection, entry: Entry, folder: Path) -> list[dict[str, object]]:
    """payload.json and the blobs it names; returns what is listed about the blobs."""
    if isinstance(entry.payload, Withheld):
        return []
    stored = connection.execute(select(reading.ENTRY.c.payload).where(reading.ENTRY.c.seq == entry.seq)).scalar_one()
    (folder / "payload.json").write_bytes(stored)
    return [
        _write_blob(connection, ref, folder) for ref in {one.sha256: one for one in blob_refs(entry.payload)}.values()
    ]


def _write_blob(connection: Connection, ref: BlobRef, folder: Path) -> dict[str, object]:
    withheld = blob_withheld_by(connection, ref.sha256)
    if withheld is None:
        with (folder / "blobs" / ref.sha256).open("wb") as out:
            for piece in blobs.pieces(connection, ref.sha256):
                out.write(piece)
    return {**ref.model_dump(), "withheld": None if withheld is None else _words(withheld)}


def _words(withheld: Withheld) -> str:
    return f"tombstone #{withheld.tombstone} of {withheld.person}: {withheld.reason}"
