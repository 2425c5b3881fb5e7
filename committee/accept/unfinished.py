"""Decisions that are on record and that git does not hold (yet): which one has to be finished or taken back first.

A decision is recorded before it is committed, and a commit can fail or be interrupted. Deciding on top of one that was
never committed would leave a ledger and a git history that tell two courses.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from git import GitCommandError, Repo

from committee.accept.baseline import accepted_head, put
from committee.accept.signature import commit_of
from committee.repository import committed_text
from ledger.entries import Acceptance, Rollback
from ledger.in_force import course_of
from ledger.store import Ledger

DECIDING = "deciding"  # the name that whoever accepts or rolls back holds: both write the overlay and commit
PULL = "if it was decided in another clone, `git pull` brings its commit here; otherwise"  # a ledger may be shared


def decided_by_another(holder: str) -> str:
    """The sentence for a workspace in which another process decides at this moment."""
    return f"{holder} accepts or rolls back in this workspace at this moment; wait for its end, then try again"


def open_decision(ledger: Ledger, repo: Repo, overlay: Path, target: str, arm: str) -> str | None:
    """What must be finished or taken back before `arm` (a fingerprint) can be accepted, or none.

    An acceptance of the same change is no obstacle: it is finished, or decided anew on newer evidence.
    Raises BadFileError.
    """
    at_head = head_named(repo, overlay)
    course = course_of(ledger, target)
    for entry, rollback in ledger.of(Rollback, target=target)[-1:]:
        newest = course.changes[-1].seq == entry.seq
        if newest and at_head == rollback.leaves and commit_of(repo, entry) is None:
            return (
                f"the rollback of {target!r} (entry {entry.seq}) is on record, but git still holds the baseline that "
                f"it leaves; {PULL} finish it with `committee rollback {target} --reason TEXT`"
            )
    if course.now is None:
        return None
    entry, acceptance = course.now
    if acceptance.arm == arm or at_head == entry.id or commit_of(repo, entry) is not None:
        return None
    return (
        f"{acceptance.arm_name!r} is accepted for {target!r} (entry {entry.seq}), but git here has no commit of it; "
        f"{PULL} accept it again, which makes the commit only, or take it back with "
        f"`committee rollback {target} --reason TEXT`"
    )


def head_named(repo: Repo, overlay: Path) -> str | None:
    """The entry that the overlay names as it is committed at HEAD. Raises BadFileError where git cannot be read."""
    text = committed_text(repo, overlay)
    return None if text is None else accepted_head(text)


def put_committed_back(repo: Repo, overlay: Path) -> str:
    """Where the overlay is missing, or names another entry than HEAD's does: put HEAD's version back; words about it.

    It was deleted, or an acceptance was killed whose git went on and committed. One that cannot be read is a person's
    work and stays. Raises BadFileError, OSError.
    """
    text = committed_text(repo, overlay)
    on_disk = _on_disk_named(overlay) if overlay.is_file() else ""
    if text is None or on_disk == accepted_head(text):
        return ""
    if on_disk is None:
        return f"; {overlay.name!r} cannot be read and is left as it is: correct it, or take git's with `git checkout`"
    put_back(repo, overlay, f"{text}\n".encode())
    return f"; {overlay.name!r} was not as git holds it and is put back"


def put_interrupted_back(ledger: Ledger, repo: Repo, overlay: Path, target: str) -> None:
    """Where an acceptance was killed after it had written its overlay and before its commit: put HEAD's version back.

    Raises BadFileError, OSError.
    """
    newest = ledger.of(Acceptance, target=target)[-1:]
    if not newest or not overlay.is_file():
        return
    entry = newest[0][0]
    if _on_disk_named(overlay) == entry.id and head_named(repo, overlay) != entry.id:
        text = committed_text(repo, overlay)
        put_back(repo, overlay, None if text is None else f"{text}\n".encode())


def put_back(repo: Repo, overlay: Path, content: bytes | None, also: Sequence[Path] = ()) -> None:
    """The overlay as it was, none for no such file, and nothing staged of it and of `also`. Raises OSError."""
    put(overlay, content)
    with suppress(GitCommandError):  # an index that cannot be written now; the next commit writes it anew
        repo.git.reset("--quiet", "--", str(overlay), *map(str, also))


def _on_disk_named(overlay: Path) -> str | None:
    return accepted_head(overlay.read_text(encoding="utf-8", errors="replace"))
