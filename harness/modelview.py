"""Which model files these are, told without reading a hundred gigabytes: size, times, and pieces of the content.

Standard library only, as `procview.py`. A file is known by a sample: its size and 64 pieces at even distances. A
sample tells another model, another quantisation or a rewritten header; it does not see a few
bytes changed between two pieces. The time of writing does, and the hash of the whole file, which is read only if asked.
"""

import hashlib
import io
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.overlay.gguf import SPLIT, part_paths

PIECES = 64
PIECE_BYTES = 1 << 16
SAMPLED_BYTES = PIECES * PIECE_BYTES  # 4 MiB; a file up to this size is read whole
MOST_FILES = 256  # of a folder or a split model; more is no model
KEY = ("path", "bytes", "written", "stamp")  # equal in two looks: nobody has written to the file between them

Json = dict[str, Any]


def models(paths: Iterable[str], known: Iterable[Mapping[str, Any]] = (), *, whole: bool = False) -> list[Json]:
    """Each file behind the paths, sorted by path; what is not there is left out.

    `known` are answers of earlier looks: the whole file's hash is taken over where nothing was written since. With
    `whole` a file whose hash is not known is read whole, about a second for each GB.
    """
    hashes = {tuple(one[name] for name in KEY): one["sha256"] for one in known if one["sha256"]}
    found: list[Json] = []
    there: set[Path] = set()
    for named in paths:
        with suppress(OSError):  # what may not be read was not seen
            there |= {*_files(Path(named))}
    for path in sorted(there):
        with suppress(OSError), path.open("rb") as source:
            found.append(_seen(path, source, hashes, whole=whole))
    return found


def _files(path: Path) -> list[Path]:
    """The regular files of a folder, all parts of a split model, or the file itself."""
    if path.is_dir():
        return sorted(one for one in path.iterdir() if one.is_file())[:MOST_FILES]
    if not path.is_file():  # a pipe would be waited for
        return []
    named = SPLIT.fullmatch(path.name)
    parts = part_paths(path, min(int(named[3]), MOST_FILES)) if named else (path,)
    return [one for one in parts if one.is_file()]


def _seen(path: Path, source: io.BufferedReader, hashes: Mapping[tuple[Any, ...], str], *, whole: bool) -> Json:
    found = _state(path)
    size, sha256 = found["bytes"], hashes.get(tuple(found[name] for name in KEY))
    found["sample_sha256"] = _sample(source, size)
    if sha256 is None and (whole or size <= SAMPLED_BYTES):
        source.seek(0)
        sha256 = hashlib.file_digest(source, "sha256").hexdigest()
        if _state(path) != {name: found[name] for name in KEY}:
            sha256 = None  # it was written to meanwhile
    return {**found, "sha256": sha256}


def _state(path: Path) -> Json:
    seen = path.stat()
    second, rest = divmod(seen.st_mtime_ns, 1_000_000_000)
    return {
        "path": str(path),
        "bytes": seen.st_size,
        "written": f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z",
        "stamp": f"{seen.st_ino}:{seen.st_ctime_ns}",
    }


def _sample(source: io.BufferedReader, size: int) -> str:
    """SHA-256 over the size in decimal digits, a line feed, and the pieces in order."""
    digest = hashlib.sha256(f"{size}\n".encode())
    last = max(0, size - PIECE_BYTES)
    places = range(0, size, PIECE_BYTES) if size <= SAMPLED_BYTES else [last * n // (PIECES - 1) for n in range(PIECES)]
    for place in places:
        source.seek(place)
        digest.update(source.read(PIECE_BYTES))
    return digest.hexdigest()
