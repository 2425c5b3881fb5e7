"""Git's own object ids for a set of files, computed in memory. No repository and no user's index is touched."""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO

from git.objects.fun import tree_to_stream
from gitdb import IStream
from gitdb.db import MemoryDB

FILE_MODE, EXECUTABLE_MODE, FOLDER_MODE = 0o100644, 0o100755, 0o040000


@dataclass(frozen=True)
class TreeFile:
    """One file of a tree, as git sees it."""

    path: str  # with forward slashes, relative to the tree
    content: bytes
    executable: bool = False


def tree_id(files: Iterable[TreeFile]) -> str:
    """Git's tree object id, 40 hexadecimal digits; the same as `git write-tree` of these files in any order."""
    folders: dict[str, dict[str, tuple[bytes, int]]] = {"": {}}
    database = MemoryDB()
    for file in files:
        parent, name = posixpath.split(file.path)
        mode = EXECUTABLE_MODE if file.executable else FILE_MODE
        _folder(folders, parent)[name] = (_store(database, b"blob", file.content), mode)
    for path in sorted(folders, key=lambda folder: folder.count("/") + bool(folder), reverse=True):
        sha = _store(database, b"tree", _tree_bytes(folders[path]))
        if not path:
            return sha.hex()
        parent, name = posixpath.split(path)
        folders[parent][name] = (sha, FOLDER_MODE)
    raise AssertionError("the root folder is always there")


def _folder(folders: dict[str, dict[str, tuple[bytes, int]]], path: str) -> dict[str, tuple[bytes, int]]:
    if path not in folders:
        folders[path] = {}
        _folder(folders, posixpath.dirname(path))
    return folders[path]


def _tree_bytes(entries: dict[str, tuple[bytes, int]]) -> bytes:
    # Git sorts by bytes and compares a folder's name as if it ended in a slash.
    def order(item: tuple[str, tuple[bytes, int]]) -> bytes:
        return item[0].encode() + (b"/" if item[1][1] == FOLDER_MODE else b"")

    out = BytesIO()
    tree_to_stream([(sha, mode, name) for name, (sha, mode) in sorted(entries.items(), key=order)], out.write)
    return out.getvalue()


def _store(database: MemoryDB, kind: bytes, content: bytes) -> bytes:
    stream = database.store(IStream(kind, len(content), BytesIO(content)))
    return bytes(stream.binsha)
