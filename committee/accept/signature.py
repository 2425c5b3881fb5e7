"""The commits of acceptances and rollbacks: which one pins an entry, and whether it is signed. Only reads git.

Git itself signs (`commit.gpgsign`, `gpg.format`, `user.signingkey`) and checks; here its answer is put into words.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from git import Repo

from committee.accept.message import head_trailer
from committee.asking_git import history, read
from committee.repository import git_above, open_repository
from harness.vocabulary.base import BadFileError
from ledger.store import Entry

SSH_HEADER = "-----BEGIN SSH SIGNATURE-----"


class Signed(StrEnum):
    """What git says of a commit's signature."""

    GOOD = "good"
    UNTRUSTED = "signed, key not known here"
    UNCHECKED = "signed, cannot be checked here"
    BAD = "BAD"
    NONE = "not signed"
    UNREAD = "git cannot be read here"


@dataclass(frozen=True)
class Seal:
    """One commit that pins an entry."""

    commit: str
    signed: Signed
    by: str  # who, or with which key; empty where git does not say
    how: str  # SSH or GPG; empty without a signature

    @property
    def words(self) -> str:
        """In a line of the log."""
        said = f"{self.signed}{f' ({self.how})' if self.how else ''}{f' by {self.by}' if self.by else ''}"
        return f"commit {self.commit[:12]} {said}"

    def as_json(self) -> dict[str, str]:
        """Plain values."""
        return {"id": self.commit, "signature": self.signed.value, "by": self.by, "how": self.how}


@dataclass(frozen=True)
class Unread:
    """Whether a commit pins an entry cannot be said."""

    words: str  # why, in a line of the log

    def as_json(self) -> dict[str, str]:
        """Plain values, under the same keys."""
        return {"id": "", "signature": Signed.UNREAD.value, "by": "", "how": "", "said": self.words}


def seal_of(folder: Path, entry: Entry) -> Seal | Unread | None:
    """The newest commit that pins this entry as the ledger's head; none without one."""
    repo = open_repository(folder)
    if isinstance(repo, str):
        return Unread(repo) if git_above(folder) is not None else None
    with repo:
        try:
            commit = commit_of(repo, entry)
            return _seal(repo, commit) if commit else None
        except BadFileError as error:
            return Unread(str(error))


def commit_of(repo: Repo, entry: Entry) -> str | None:
    """The id of the newest commit in the checked-out history that pins this entry. Raises BadFileError."""
    return history(repo, "--fixed-strings", f"--grep={head_trailer(entry)}", "--format=%H", "-1").strip() or None


def _seal(repo: Repo, commit: str) -> Seal:
    header, _, _ = read(repo, "cat-file", "commit", commit).partition("\n\n")
    if "\ngpgsig" not in header:
        return Seal(commit, Signed.NONE, "", "")
    how = "SSH" if SSH_HEADER in header else "GPG"
    answer, key, signer = (
        read(repo, "log", "-1", f"--format={form}", commit).strip() for form in ("%G?", "%GK", "%GS")
    )
    signed = {"G": Signed.GOOD, "U": Signed.UNTRUSTED, "B": Signed.BAD}.get(answer, Signed.UNCHECKED)
    return Seal(commit, signed, signer or key, how)
