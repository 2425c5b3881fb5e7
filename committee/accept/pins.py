"""The ledger's heads and roots that the workspace's git keeps, in trailers of commits and in notes.

What an outsider can hold against a replaced ledger: git names its objects by their content.
"""

from collections.abc import Iterator
from pathlib import Path

from git import Repo

from committee.asking_git import has_reference, history, read, read_bytes
from committee.repository import add_note, git_above, open_repository
from harness.vocabulary.base import BadFileError
from ledger.anchor import HEAD_LINE, ROOT_LINE, Pin, pins_in
from ledger.export import PinnedObject
from ledger.store import Head

NOTES = "ledger"  # refs/notes/ledger; git pushes notes only when told to


def pinned_heads(folder: Path) -> tuple[Head, ...]:
    """Every pinned head in the checked-out branch's history and in the notes; empty without a repository.

    Raises BadFileError where git cannot read them: pins that are not seen must not pass for none.
    """
    return tuple(dict.fromkeys(one.pin.head for one in pinned_objects(folder)))


def pinned_objects(folder: Path) -> tuple[PinnedObject, ...]:
    """The same, each with the git object that states it, newest commit first, then notes."""
    repo = open_repository(folder)
    if isinstance(repo, str):
        if git_above(folder) is not None:
            raise BadFileError(repo)
        return ()
    with repo:
        return (*_trailers(repo), *_notes(repo))


def _trailers(repo: Repo) -> Iterator[PinnedObject]:
    for commit in history(repo, "--fixed-strings", f"--grep={HEAD_LINE}: ", "--format=%H").split():
        content = read_bytes(repo, "cat-file", "commit", commit)
        trailers = read(repo, "log", "-1", f"--format=%(trailers:key={HEAD_LINE})%(trailers:key={ROOT_LINE})", commit)
        for pin in pins_in(trailers):
            yield PinnedObject(pin, f"commit {commit[:12]}", "commit", commit, content)


def _notes(repo: Repo) -> Iterator[PinnedObject]:
    if not has_reference(repo, f"refs/notes/{NOTES}"):
        return
    for line in read(repo, "notes", "--ref", NOTES, "list").splitlines():
        note, _, commit = line.partition(" ")
        content = read_bytes(repo, "cat-file", "blob", note)
        for pin in pins_in(content.decode(errors="replace")):
            yield PinnedObject(pin, f"note {note[:12]} on commit {commit[:12]}", "blob", note, content)


def keep_in_note(repo: Repo, pin: Pin, person: str) -> str:
    """Add a pin to the note on the present commit; returns that commit's id. Raises GitCommandError."""
    return add_note(repo, NOTES, pin.text(), person)
