"""Freezing a proposal's folder into a revision, and storing one in the ledger.

A symbolic link is refused wherever it points: a revision is what leaves the machine; it holds content, never a path
to content. The executable bit counts, as in git; empty folders do not, as in git.
"""

import os
import stat
import unicodedata
from pathlib import Path

from committee.proposals.tree import TreeFile, tree_id
from committee.vocabulary.proposal import FrozenRevision
from harness.vocabulary.base import BadFileError

WRITTEN_BY_THE_COMMITTEE = frozenset({"brief.md", "brief.html"})
MAX_FILE_BYTES = 2 * 1024 * 1024  # evidence is read by people and models; a longer file is a dump to be cut first
MAX_TOTAL_BYTES = 16 * 1024 * 1024  # eight times the longest file: a folder, not an archive
MAX_FILES = 500  # a kernel with its headers and evidence stays well below
MAX_DEPTH = 8  # folders inside folders; deeper is a copied source tree
MAX_NAME_BYTES = 200  # below every file system's own limit, so that a copy can always be written


def freeze(folder: Path) -> FrozenRevision:
    """The folder's exact content and its git tree id. Raises BadFileError with one sentence."""
    if folder.is_symlink() or not folder.is_dir():
        raise BadFileError(f"{str(folder)!r} is not a folder of its own; name the proposal's folder itself")
    files: list[TreeFile] = []
    total = 0
    for path in _walk(folder, folder, 0):
        file = _read(path, path.relative_to(folder).as_posix())
        files.append(file)
        total += len(file.content)
        if total > MAX_TOTAL_BYTES or len(files) > MAX_FILES:
            raise BadFileError(
                f"{str(folder)!r} holds more than {MAX_TOTAL_BYTES} bytes or {MAX_FILES} files; "
                "keep only what the reviewers need"
            )
    if not files:
        raise BadFileError(f"{str(folder)!r} is empty; make a proposal with `committee new SLUG`")
    ordered = tuple(sorted((file.path, file.content) for file in files))
    executable = frozenset(file.path for file in files if file.executable)
    return FrozenRevision(folder.resolve().name, tree_id(files), ordered, executable)


def _walk(folder: Path, top: Path, depth: int) -> list[Path]:
    """Every file below `folder`, in order of name; refuses what is neither a plain file nor a plain folder."""
    if depth > MAX_DEPTH:
        raise BadFileError(f"{str(folder)!r} lies more than {MAX_DEPTH} folders deep; flatten it")
    found: list[Path] = []
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise BadFileError(f"{str(folder)!r} cannot be read ({error.strerror}); check its rights") from error
    for entry in entries:
        if folder == top and entry.name in WRITTEN_BY_THE_COMMITTEE:
            continue
        _check_name(entry.name, folder)
        path = Path(entry.path)
        if entry.is_symlink():
            raise BadFileError(f"{str(path)!r} is a symbolic link; put the file itself into the proposal")
        if entry.is_dir(follow_symlinks=False):
            found.extend(_walk(path, top, depth + 1))
        elif entry.is_file(follow_symlinks=False):
            found.append(path)
        else:
            raise BadFileError(f"{str(path)!r} is neither a file nor a folder; remove it from the proposal")
    return found


def _check_name(name: str, folder: Path) -> None:
    """Git refuses `.git`; control, invisible and undecodable characters could hide what a name is."""
    hidden = any(unicodedata.category(character).startswith("C") for character in name)
    if hidden or {"\\", ":"} & set(name) or len(name.encode(errors="replace")) > MAX_NAME_BYTES:
        raise BadFileError(f"{str(folder)!r} holds the name {name!r}, which cannot be kept safely; rename it")
    if name.rstrip(" .").lower() in (".git", "git~1"):
        raise BadFileError(f"{str(folder / name)!r} is git's own; a proposal is a plain folder, remove it")


def _read(path: Path, relative: str) -> TreeFile:
    """One file's bytes as they are now. Opened so that a link or a pipe put there meanwhile is not followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise BadFileError(f"{str(path)!r} cannot be read ({error.strerror}); check its rights") from error
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(opened.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise BadFileError(f"{str(path)!r} is not a plain file; remove it from the proposal")
        content = opened.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise BadFileError(f"{str(path)!r} is larger than {MAX_FILE_BYTES} bytes; cut it to what matters")
    return TreeFile(relative, content, bool(status.st_mode & stat.S_IXUSR))
