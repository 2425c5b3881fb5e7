"""Files and folders that other accounts cannot read: made so, and closed where an earlier version left them open.

Standard library only: copied to another host.
"""

import os
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077  # the rights of group and others


def closed_folder(path: Path) -> None:
    """Make it with its parents, or close one that is there; another account's, which cannot be closed, stays."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o7777
    if mode & OTHERS:
        with suppress(PermissionError):
            path.chmod(mode & ~OTHERS)


def write_own(path: Path, content: bytes) -> None:
    """Write a file anew; it can be read by nobody else from the moment it is there."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        path.chmod(0o600)  # one that was there keeps its mode when it is opened
        out.write(content)
