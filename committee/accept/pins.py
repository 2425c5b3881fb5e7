"""The ledger's heads and roots that the workspace's git keeps, in trailers of commits and in notes.

What an outsider can hold against a replaced ledger: git names its objects by their content.
"""

from collections.abc import Iterator
from pathlib import Path

from git import GitCommandError, Repo

from committee.repository import add_note, open_repository
from ledger.anchor import HEAD_LINE, Pin, pins_in
from ledger.export import PinnedObject
from ledger.store import Head

NOTES = "ledger"  # refs/notes/ledger; git pushes notes only when told to


def pinned_heads(folder: Path) -> tuple[Head, ...]:
    """Every pinned head in the checked-out branch's history and in the notes; empty without a repository."""
    return tuple(dict.fromkeys(one.pin.head for one in pinned_objects(folder)))


def pinned_objects(folder: Path) -> tuple[PinnedObject, ...]:
    """The same, each with the git object that states it, newest commit first, then notes."""
    repo = open_repository(folder)
    if isinstance(repo, str):
        return ()
    with repo:
        return (*_trailers(repo), *_notes(repo))


def _trailers(repo: Repo) -> Iterator[PinnedObject]:
    try:
        found = repo.git.log("--fixed-strings", f"--grep={HEAD_LINE}: ", "--format=%H").split()
    except GitCommandError:  # no commit yet
        return
    for commit in found:
        content = repo.odb.stream(bytes.fromhex(commit)).read()
        trailers = repo.git.log("-1", f"--format=%(trailers:key={HEAD_LINE})%(trailers:key=Ledger-Root)", commit)
        for pin in pins_in(trailers):
            yield PinnedObject(pin, f"commit {commit[:12]}", "commit", commit, content)


def _notes(repo: Repo) -> Iterator[PinnedObject]:
    try:
        listed = repo.git.notes("--ref", NOTES, "list").splitlines()
    except GitCommandError:  # no notes yet
        return
    for note, _, commit in (line.partition(" ") for line in listed):
        content = repo.odb.stream(bytes.fromhex(note)).read()
        for pin in pins_in(content.decode(errors="replace")):
            yield PinnedObject(pin, f"note {note[:12]} on commit {commit[:12]}", "blob", note, content)


def keep_in_note(repo: Repo, pin: Pin, person: str) -> str:
    """Add a pin to the note on the present commit; returns that commit's id. Raises GitCommandError."""
    return add_note(repo, NOTES, pin.text(), person)
