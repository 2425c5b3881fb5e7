"""The model files of a ticket: what the measured launches ran with, against what lies on the host now.

A file is read whole once, when a ticket is written; the hash is then taken from the ledger while nobody wrote to it.
"""

import json
from collections.abc import Sequence
from pathlib import PurePosixPath

from harness.hosts.models import ModelSeen
from harness.workflow.models import as_entry
from ledger.canonical import sha256_hex
from ledger.entries import Acceptance, Model, ModelFile
from ledger.store import Ledger

SHOWN = 12  # digits of a hash in a sentence


def model_of(ledger: Ledger, acceptance: Acceptance) -> Model | None:
    """What the accepted arm's launches ran with, as it was stated last; none where it is not on record."""
    found = [model for _, model in ledger.of(Model, run=acceptance.run) if model.arm == acceptance.arm]
    return found[-1] if found else None


def known_files(ledger: Ledger, target: str) -> tuple[ModelSeen, ...]:
    """Files of a target whose whole hash is on record."""
    files = [file for _, model in ledger.of(Model, target=target) for file in model.files if file.sha256]
    return tuple(ModelSeen(**file.model_dump(exclude={"name"})) for file in files)


def content_words(path: str, names: Sequence[dict[str, object]], seen: Sequence[ModelSeen]) -> str:
    """A model as a ticket binds it: a file by its whole content, a folder (`names`) by its files' names and sizes."""
    if names:
        return f"{path} {sha256_hex(json.dumps(names).encode())} (names and sizes of {len(names)} files)"
    whole = {one.path: one.sha256 for one in seen}.get(str(PurePosixPath(path)))
    return f"{path} {whole}" if whole else f"{path} is not there"


def changed_since(measured: Model | None, seen: Sequence[ModelSeen]) -> tuple[str, ...]:
    """One sentence for each file that is not the one that the measured launches ran with."""
    if measured is None:
        return ()
    now = {one.path: one for one in seen}
    return tuple(
        f"model file {file.path} is not the one that was measured: was {_words(file)}, is {_words(now.get(file.path))}"
        for file in measured.files
        if not _same(file, now.get(file.path))
    )


def read_whole(measured: Model | None, seen: Sequence[ModelSeen]) -> Model | None:
    """What was measured, stated once more with hashes of whole files; none where that says nothing new."""
    if measured is None or changed_since(measured, seen):
        return None
    now = {one.path: one for one in seen}
    stated = measured.model_copy(update={"files": tuple(as_entry(now[file.path], {}) for file in measured.files)})
    return None if stated == measured else stated


def _same(file: ModelFile, seen: ModelSeen | None) -> bool:
    if seen is None or (file.bytes, file.sample_sha256) != (seen.bytes, seen.sample_sha256):
        return False
    return file.sha256 is None or file.sha256 == seen.sha256


def _words(one: ModelFile | ModelSeen | None) -> str:
    if one is None:
        return "not there"
    whole = f", whole {one.sha256[:SHOWN]}" if one.sha256 else ""
    return f"{one.bytes} bytes, sample {one.sample_sha256[:SHOWN]}{whole}"
