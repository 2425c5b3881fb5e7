"""`evidence/pulled.toml`: which files of a proposal came from the target's host, and what they were then. Pure."""

import json
from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from committee.proposals.complaint import Complaint, warning
from harness.vocabulary.arm import NAME
from harness.vocabulary.base import Value, parse_toml
from harness.vocabulary.changes import SHA256, AbsolutePath
from ledger.canonical import sha256_hex

MANIFEST = "evidence/pulled.toml"


class PulledFile(Value):
    """One file as it stood on the host."""

    into: str = Field(min_length=1, max_length=300, description="path inside the proposal")
    path: AbsolutePath = Field(description="path on the target's host")
    sha256: str = Field(pattern=SHA256, description="hash of its content when it was fetched")
    bytes: int = Field(ge=0, description="its size then, bytes")


class Manifest(Value):
    """Everything that was fetched together."""

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    target: str = Field(pattern=NAME, description="the target whose host it came from")
    file: tuple[PulledFile, ...] = Field(default=(), description="the files, in the order of the target's list")

    def path_of(self, into: str) -> str | None:
        """Where a file of the proposal lies on the host; none if it was not fetched."""
        return next((file.path for file in self.file if file.into == into), None)


def manifest_in(files: Mapping[str, bytes]) -> Manifest | None:
    """The manifest of a revision, none if nothing was fetched into it. Raises BadFileError with one sentence."""
    content = files.get(MANIFEST)
    if content is None:
        return None
    return Manifest.from_mapping(parse_toml(content, MANIFEST, "run `committee pull` again"), MANIFEST)


def as_toml(manifest: Manifest) -> str:
    """The manifest as the file that `manifest_in` reads."""
    lines = [
        "# Written by `committee pull`: what the server compiles, with the hashes it had then.",
        "schema = 1",
        f"target = {quoted(manifest.target)}",
    ]
    for file in manifest.file:
        lines += ["", "[[file]]", f"into = {quoted(file.into)}", f"path = {quoted(file.path)}"]
        lines += [f"sha256 = {quoted(file.sha256)}", f"bytes = {file.bytes}"]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Text as a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def edited_since(files: Mapping[str, bytes]) -> list[Complaint]:
    """A warning for each fetched file that is not in the proposal as it was fetched. Raises BadFileError."""
    manifest = manifest_in(files)
    found: list[Complaint] = []
    for file in manifest.file if manifest else ():
        content = files.get(file.into)
        if content is None:
            found.append(warning(file.into, f"{MANIFEST} says that it was fetched, but it is gone; pull again"))
        elif sha256_hex(content) != file.sha256:
            said = f"it is no longer what was fetched from {file.path!r}; the server compiles another text, pull again"
            found.append(warning(file.into, said))
    return found
