"""The ledger's heads that the workspace's git commits pin: what an outsider can hold against a replaced ledger."""

import re
from pathlib import Path

from git import GitCommandError

from committee.accept.message import HEAD_TRAILER
from committee.repository import open_repository
from ledger.store import Head

PIN = re.compile(r"^(\d{1,15}) ([0-9a-f]{64})$")


def pinned_heads(folder: Path) -> tuple[Head, ...]:
    """Every pinned head in the history of the branch that is checked out, newest first; empty without a repository."""
    repo = open_repository(folder)
    if isinstance(repo, str):
        return ()
    with repo:
        try:
            said = repo.git.log(f"--format=%(trailers:key={HEAD_TRAILER},valueonly)")
        except GitCommandError:  # no commit yet
            return ()
    found = (PIN.match(line.strip()) for line in said.splitlines())
    return tuple(Head(int(pin[1]), pin[2]) for pin in found if pin)
