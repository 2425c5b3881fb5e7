"""Is a model file whole? Its own header says how long it must be (lesson S8), and of how many files the model is.

Standard library only. Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3,
little-endian.
"""

import re
import struct
from pathlib import Path
from typing import BinaryIO, NamedTuple

MAGIC = b"GGUF"
MOST = 10_000_000  # keys, tensors, entries of one array: more is not a model's header
LONGEST_TEXT = 16 << 20  # bytes of one text, e.g. a chat template
LONGEST_LIST = 4096  # entries of a list of numbers that is kept, such as one a block; longer ones are vocabularies
ARRAY, TEXT = 9, 8
SPLIT = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.gguf")  # as llama.cpp's gguf-split names the files of one model
MOST_PARTS = 1000
WHOLE_NUMBERS = {0: False, 1: True, 2: False, 3: True, 4: False, 5: True, 7: False, 10: False, 11: True}  # signed?
SCALAR_BYTES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
# Number format -> (weights in a block, bytes of a block), as in ggml's table of types.
BLOCKS = {
    **{0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34)},
    **{10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292)},
    **{16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82)},
    **{23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2)},
    **{9: (32, 40), 34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18)},
}


class Whole(NamedTuple):
    """What the header says of a file that is as long as it must be."""

    architecture: str
    tensors: int
    context_length: int | None  # tokens, as the metadata says; none where it says nothing
    header_bytes: int
    size: int  # bytes, of all files
    parts: int = 1  # files of the model, as the header says
    part: int = 1  # which of them this is, from 1


class Contents(NamedTuple):
    """All of a whole file's header that says how large the model's parts are."""

    whole: Whole
    known: dict[str, int | str]  # whole numbers and texts of the metadata
    lists: dict[str, tuple[int, ...]]  # short lists of whole numbers, such as one a block
    tensors: tuple[tuple[str, int], ...]  # name and number format of each


def look(path: Path) -> Whole | str:
    """The header of a whole file, or one sentence why it is not one."""
    found = read_contents(path)
    return found if isinstance(found, str) else found.whole


def read_contents(path: Path) -> Contents | str:
    """The whole header of a whole file, or one sentence why it is not one."""
    try:
        with path.open("rb") as source:
            header = _Header(source, path.stat().st_size)
            seen = header.read()
    except (struct.error, EOFError, UnicodeDecodeError):
        return "its header ends too early or is not readable: the file is not whole"
    except (OSError, ValueError) as error:
        return str(error)
    return seen if isinstance(seen, str) else Contents(seen, header.known, header.lists, tuple(header.tensors))


def look_at_all(path: Path) -> Whole | str:
    """As `look`, of every file of a model that is split: whole only if each is there, whole, and what its name says."""
    first = look(path)
    named = SPLIT.fullmatch(path.name)
    if isinstance(first, str) or (first.parts == 1 and named is None):
        return first
    if named is None or int(named[3]) != first.parts or int(named[2]) != first.part or first.parts > MOST_PARTS:
        return f"its header says part {first.part} of {first.parts}, which is not what its name says"
    if first.part != 1:
        return f"it is part {first.part} of {first.parts}; name the first part, an engine finds the others by it"
    found = [first]
    for number, other in enumerate(part_paths(path, first.parts)[1:], start=2):
        seen = look(other) if other.is_file() else "it does not exist"
        if isinstance(seen, str):
            return f"part {number} of {first.parts}, {other.name!r}: {seen}"
        if (seen.part, seen.parts) != (number, first.parts):
            return f"{other.name!r} says that it is part {seen.part} of {seen.parts}; parts of two models are mixed"
        found.append(seen)
    return first._replace(tensors=sum(one.tensors for one in found), size=sum(one.size for one in found))


def part_paths(first: Path, parts: int) -> tuple[Path, ...]:
    """The files of a model that is split, after the name of its first."""
    named = SPLIT.fullmatch(first.name)
    if parts == 1 or named is None:
        return (first,)
    return tuple(first.with_name(f"{named[1]}-{number:05d}-of-{named[3]}.gguf") for number in range(1, parts + 1))


class _Header:
    """One pass over a header. Raises EOFError, struct.error or ValueError for what is none."""

    def __init__(self, source: BinaryIO, size: int) -> None:
        self.source, self.size = source, size
        self.known: dict[str, int | str] = {}
        self.lists: dict[str, tuple[int, ...]] = {}
        self.tensors: list[tuple[str, int]] = []

    def read(self) -> Whole | str:
        """Magic, version, metadata and the tensor directory to its end, then the length."""
        if self._take(4) != MAGIC:
            return "it does not begin like a GGUF file"
        version, tensors, keys = struct.unpack("<IQQ", self._take(20))
        if version not in (2, 3) and int.from_bytes(version.to_bytes(4, "little"), "big") in (2, 3):
            return (
                "it is a big-endian GGUF file, which engines on this kind of machine do not load; fetch the other one"
            )
        if version not in (2, 3):
            return f"GGUF version {version} is not known here"
        if max(tensors, keys) > MOST:
            return f"its header counts {tensors} tensors and {keys} keys, and no model has so many: it is damaged"
        for _ in range(keys):
            name = self._text()
            (kind,) = struct.unpack("<I", self._take(4))
            value = self._value(kind)
            if isinstance(value, tuple):
                self.lists[name] = value
            elif value is not None:
                self.known[name] = value
        ends = [self._tensor() for _ in range(tensors)]
        header = self.source.tell()
        step = self._number("general.alignment", 32) or 1
        needed = -(-header // step) * step + max(ends, default=0)
        if self.size < needed:
            return f"it has {self.size} bytes and its header asks for {needed}: the file is not whole"
        architecture = str(self.known.get("general.architecture", ""))
        context = self.known.get(f"{architecture}.context_length")
        known = context if isinstance(context, int) else None
        parts, part = self._number("split.count", 0) or 1, self._number("split.no", 0) + 1
        return Whole(architecture, tensors, known, header, self.size, parts, part)

    def _number(self, key: str, otherwise: int) -> int:
        value = self.known.get(key, otherwise)
        if isinstance(value, str) or value < 0:
            raise ValueError(f"{key} is {value!r:.40} in its header, where a number belongs: it is damaged")
        return value

    def _take(self, count: int) -> bytes:
        piece = self.source.read(count) if 0 <= count <= LONGEST_TEXT else b""
        if len(piece) != count:
            raise EOFError
        return piece

    def _text(self) -> str:
        (length,) = struct.unpack("<Q", self._take(8))
        return self._take(length).decode("utf-8")

    def _value(self, kind: int, depth: int = 0) -> int | str | tuple[int, ...] | None:
        """One metadata value; whole numbers, short lists of them and texts are kept, the rest is only passed over."""
        if kind == TEXT:
            return self._text()
        if kind == ARRAY and depth < 3:
            inner, count = struct.unpack("<IQ", self._take(12))
            if count > MOST:
                raise EOFError
            if inner in WHOLE_NUMBERS and count <= LONGEST_LIST:
                return self._numbers(inner, count)
            if inner in SCALAR_BYTES:
                self._skip(count * SCALAR_BYTES[inner])
            else:
                for _ in range(count):
                    self._value(inner, depth + 1)
            return None
        if kind not in SCALAR_BYTES:
            raise ValueError(f"its header holds a value of the unknown type {kind}")
        piece = self._take(SCALAR_BYTES[kind])
        return (
            int.from_bytes(piece, "little", signed=WHOLE_NUMBERS[kind]) if kind in WHOLE_NUMBERS.keys() - {7} else None
        )

    def _numbers(self, kind: int, count: int) -> tuple[int, ...]:
        size, signed = SCALAR_BYTES[kind], WHOLE_NUMBERS[kind]
        piece = self._take(count * size)
        return tuple(
            int.from_bytes(piece[at : at + size], "little", signed=signed) for at in range(0, len(piece), size)
        )

    def _skip(self, count: int) -> None:
        if self.source.tell() + count > self.size:
            raise EOFError
        self.source.seek(count, 1)

    def _tensor(self) -> int:
        """Where one tensor's data ends, bytes after the start of the data."""
        name = self._text()
        (dimensions,) = struct.unpack("<I", self._take(4))
        if dimensions > 8:
            raise EOFError
        shape = struct.unpack(f"<{dimensions}Q", self._take(8 * dimensions))
        kind, offset = struct.unpack("<IQ", self._take(12))
        self.tensors.append((name, kind))
        weights = 1
        for extent in shape:
            weights *= extent
        of_block, bytes_of_block = BLOCKS.get(kind, (0, 0))
        if not of_block:
            raise ValueError(f"a tensor has the unknown number format {kind}, so its length cannot be known")
        return int(offset) + -(-weights // of_block) * bytes_of_block
