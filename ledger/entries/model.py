"""The model files that launches ran with, seen when the first of them was ready: what was measured rests on them."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Part, Payload, RunId, Sha256


class ModelFile(Part):
    """One file of a model."""

    path: str = Field(description="where it lies on the host")
    name: str = Field(description="the last part of its path")
    bytes: int = Field(ge=0, description="its size")
    written: str = Field(description="when it was last written to, UTC, as the host's file system says")
    stamp: str = Field(description="inode and time of change: with the rest it tells a file that was touched since")
    sample_sha256: Sha256 = Field(description="hash of its size and of 64 pieces of it at even distances")
    sha256: Sha256 | None = Field(
        description="hash of the whole file, none where nobody has read it whole since it was written"
    )


class Model(Payload):
    """Holds for launches of its run with the same arm (or without one) from this entry on, up to the next such entry.

    An acceptance reads the files whole and states them once more, with the whole files' hashes.
    """

    kind: ClassVar[str] = "model"

    run: RunId = Field(description="the measuring run")
    target: str = Field(description="the target's name")
    launch: str = Field(description="the first launch that was seen with them")
    arm: Sha256 | None = Field(description="the arm's fingerprint, none for baseline and placebo")
    files: tuple[ModelFile, ...] = Field(min_length=1, description="its files, sorted by path")
