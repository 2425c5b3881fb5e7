"""Cubins that were compiled before, by the hash of everything that made them: source, headers, flags, compiler.

The folder is private to its owner; one that others could write to is not used. What was changed in it is compiled
again.
"""

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from harness.procfs import json_of

COMPILER = ("cuda-core", "cuda-bindings", "nvidia-cuda-nvrtc-cu12")
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
ABSENT = "No module named"  # a compiler that is missing today may be there tomorrow


@dataclass(frozen=True)
class Kept:
    """What the compiler said and made, as its process said it."""

    ok: bool
    words: str
    cubin: bytes


class CubinCache:
    """A folder of results. Losing it costs time and nothing else."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it is made when there is something to keep."""
        self._folder = folder

    def get(self, key: str) -> Kept | None:
        """What was kept under the key, if it is whole."""
        if not self._private():
            return None
        try:
            said: dict[str, Any] = json_of((self._folder / f"{key}.json").read_text(encoding="utf-8"))
            cubin = (self._folder / f"{key}.cubin").read_bytes() if said["ok"] else b""
            whole = said["sha256"] == _sha256([cubin])
            return Kept(bool(said["ok"]), str(said["words"]), cubin) if whole else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, kept: Kept) -> None:
        """Keep a result; where the folder cannot be written nothing is kept."""
        if ABSENT in kept.words:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not self._private():
                return
            said = {"ok": kept.ok, "words": kept.words, "sha256": _sha256([kept.cubin])}
            if kept.ok:
                self._write(f"{key}.cubin", kept.cubin)
            self._write(f"{key}.json", json.dumps(said).encode())
        except OSError:
            return

    def _private(self) -> bool:
        try:
            found = self._folder.stat()
        except OSError:
            return False
        return found.st_uid == os.getuid() and not found.st_mode & OTHERS_WRITE

    def _write(self, name: str, content: bytes) -> None:
        """Whole or not at all."""
        with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
            file.write(content)
        Path(file.name).replace(self._folder / name)


def key_of(asked: dict[str, Any], files: Iterable[tuple[str, bytes]], ours: Iterable[Path]) -> str:
    """The hash of a compilation: what is asked without places, the folder's files, our own files, the compiler."""
    compiler = [f"{name}={_version(name)}" for name in COMPILER]
    head = json.dumps([asked, compiler], sort_keys=True).encode()
    named = [part for name, content in sorted(files) for part in (name.encode(), content)]
    return _sha256([head, *named, *(path.read_bytes() for path in sorted(ours))])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _sha256(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
