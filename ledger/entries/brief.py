"""The fused hypotheses as they were shown to people."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import BlobRef, GitTree, Payload, RunId


class Brief(Payload):
    """A brief says who took part and who is missing, and nothing about order of merit."""

    kind: ClassVar[str] = "brief"

    run: RunId = Field(description="the review run")
    proposal: str = Field(description="the proposal's id")
    tree: GitTree = Field(description="the revision reviewed")
    took_part: tuple[str, ...] = Field(description="reviewers whose reviews are in it")
    excluded: tuple[str, ...] = Field(description="reviewers left out whole")
    hypotheses: tuple[str, ...] = Field(description="ids of every hypothesis in it")
    arms: tuple[str, ...] = Field(description="fingerprints of the arms to measure, sorted, without order of merit")
    markdown: BlobRef = Field(description="brief.md as written")
    html: BlobRef = Field(description="brief.html as written")
