"""The exact content of a proposal's folder at one moment."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import BlobRef, GitTree, Part, Payload


class RevisionFile(Part):
    """One file of the frozen folder."""

    path: str = Field(description="path inside the folder, with forward slashes")
    blob: BlobRef = Field(description="the file's content")
    executable: bool = Field(default=False, description="whether git's tree holds it as executable")


class Revision(Payload):
    """Reviews and measurements belong to a revision, which is the hash of the folder's exact tree."""

    kind: ClassVar[str] = "revision"

    proposal: str = Field(description="the proposal's id")
    tree: GitTree = Field(description="git tree object id of the folder without the committee's own brief files")
    files: tuple[RevisionFile, ...] = Field(description="every file of the tree, in order of path")
