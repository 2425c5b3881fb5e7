"""The commits of acceptances and rollbacks: which one pins an entry, and whether it is signed. Only reads git.

Git itself signs (`commit.gpgsign`, `gpg.format`, `user.signingkey`) and checks; here its answer is put into words.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from git import GitCommandError, Repo

from committee.accept.message import head_trailer
from committee.repository import open_repository
from ledger.store import Entry

SSH_HEADER = "-----BEGIN SSH SIGNATURE-----"


class Signed(StrEnum):
    """What git says of a commit's signature."""

    GOOD = "good"
    UNTRUSTED = "signed, key not known here"
    UNCHECKED = "signed, cannot be checked here"
    BAD = "BAD"
    NONE = "not signed"


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


def seal_of(folder: Path, entry: Entry) -> Seal | None:
    """The newest commit that pins this entry as the ledger's head; none without one."""
    repo = open_repository(folder)
    if isinstance(repo, str):
        return None
    with repo:
        commit = commit_of(repo, entry)
        return _seal(repo, commit) if commit else None


def commit_of(repo: Repo, entry: Entry) -> str | None:
    """The id of the newest commit in the checked-out history that pins this entry."""
    try:
        found = repo.git.log("--fixed-strings", f"--grep={head_trailer(entry)}", "--format=%H", "-1")
    except GitCommandError:  # no commit yet
        return None
    return str(found).strip() or None


def _seal(repo: Repo, commit: str) -> Seal:
    header, _, _ = str(repo.git.cat_file("commit", commit)).partition("\n\n")
    if "\ngpgsig" not in header:
        return Seal(commit, Signed.NONE, "", "")
    how = "SSH" if SSH_HEADER in header else "GPG"
    answer, key, signer = (
        str(repo.git.log("-1", f"--format={form}", commit)).strip() for form in ("%G?", "%GK", "%GS")
    )
    signed = {"G": Signed.GOOD, "U": Signed.UNTRUSTED, "B": Signed.BAD}.get(answer, Signed.UNCHECKED)
    return Seal(commit, signed, signer or key, how)
