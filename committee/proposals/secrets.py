"""Looking for secrets in a frozen revision before any byte of it leaves the machine. A secret's text is never shown."""

import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from committee.proposals.complaint import Complaint, error
from committee.vocabulary.proposal import FrozenRevision
from committee.vocabulary.secret_forms import PLAIN, found_in, kinds_in

__all__ = ["kinds_in", "secrets_in"]

KNOWN_SUFFIXES = frozenset({".py", ".toml", ".yaml", ".yml", ".ini", ".go", ".js", ".c", ".cpp", ".h"})
GZIP = b"\x1f\x8b"
GZIP_WINDOW = 31  # zlib's word for a gzip header and the largest window
MOST_UNPACKED_BYTES = 8 << 20  # of one gzip file; what is beyond it is refused, not passed over


def secrets_in(revision: FrozenRevision) -> tuple[Complaint, ...]:
    """One error for each file and line that looks like it holds a secret, sorted by place; names are looked at too."""
    finds = sorted({find for file in revision.files for find in _finds(*file)})
    return tuple(error(f"{path}:{line}" if line else path, sentence) for path, line, sentence in finds)


def _finds(path: str, content: bytes) -> Iterator[tuple[str, int, str]]:
    """The path as it may be shown, line (0: its name, or all of it) and sentence of each find in one file."""
    place, named = _place(path)
    yield from ((place, 0, _sentence("its name", kind)) for kind in named)
    text = _unpacked(content) if content.startswith(GZIP) else content
    if text is None:
        most = MOST_UNPACKED_BYTES >> 20
        yield place, 0, f"it unpacks to more than {most} MiB, too much to look for secrets; leave it out"
    else:
        yield from ((place, line, _sentence("this line", kind)) for line, kind in found_in(text, _suffix(path)))


def _sentence(what: str, kind: str) -> str:
    return f"{what} looks like a secret ({kind}); take it out, and change that secret"


def _place(path: str) -> tuple[str, tuple[str, ...]]:
    """The path with a mark for each part that looks like a secret, and the kinds of those."""
    parts = [(part, kinds_in(part)) for part in PurePosixPath(path).parts]
    shown = "/".join("[a name that is not shown]" if kinds else part for part, kinds in parts)
    return shown, tuple(sorted({kind for _part, kinds in parts for kind in kinds}))


def _unpacked(content: bytes) -> bytes | None:
    """What a gzip file holds, as far as it can be read; none where it is more than the limit."""
    whole, rest = b"", content
    while rest.startswith(GZIP):
        unpacker = zlib.decompressobj(GZIP_WINDOW)
        try:
            whole += unpacker.decompress(rest, MOST_UNPACKED_BYTES + 1 - len(whole))
        except zlib.error:
            break
        if len(whole) > MOST_UNPACKED_BYTES:
            return None
        rest = unpacker.unused_data
    return whole


def _suffix(path: str) -> str:
    """The scanner passes over files by suffix (images, archives); only suffixes that sharpen it are kept."""
    suffix = PurePosixPath(path).suffix.lower()
    return suffix if suffix in KNOWN_SUFFIXES else PLAIN
