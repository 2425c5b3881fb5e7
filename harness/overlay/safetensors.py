"""Is a model in safetensors files whole? Each file's own header says how long it must be, an index names the files.

Standard library only. Format: https://github.com/huggingface/safetensors#format: eight bytes, little-endian, say how
long the JSON header is; each tensor has a number format, a shape and its place behind the header, without gaps.
"""

import json
import math
import re
from pathlib import Path
from typing import Any, NamedTuple

LONGEST_HEADER = 100_000_000  # bytes; the format's own limit
LARGEST_INDEX = 64 << 20  # bytes of an index of shards
MOST_DIMENSIONS = 16
LARGEST = 1 << 63  # of an extent or a place: no disk holds more bytes
INDEX = ".safetensors.index.json"
SHARD = re.compile(r"(.+)-\d{5}-of-\d{5}\.safetensors")
BITS = {
    **dict.fromkeys(("F4",), 4),
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"), 8),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 16),
    **dict.fromkeys(("U32", "I32", "F32"), 32),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 64),
}


class Whole(NamedTuple):
    """A model of one or several files, each as long as its header says."""

    tensors: tuple[tuple[str, str], ...]  # name and number format of each
    weight_bytes: int  # of all tensors
    size: int  # bytes, of all files
    parts: int = 1


def look(path: Path) -> Whole | str:
    """One file, or one sentence why it is not whole."""
    try:
        size = path.stat().st_size
        with path.open("rb") as source:
            length = int.from_bytes(source.read(8), "little")
            if size < 8 or not 2 <= length <= LONGEST_HEADER:
                return "it does not begin like a safetensors file: its first eight bytes are no length of a header"
            if length > size - 8:
                return f"it has {size} bytes and its header alone asks for {8 + length}: the file is not whole"
            header = json.loads(source.read(length))
    except OSError as error:
        return error.strerror or "it cannot be read"
    except (ValueError, RecursionError):
        return "its header is no JSON: the file is damaged, or no safetensors file"
    return _held(header, size, 8 + length)


def look_at_all(path: Path) -> Whole | str:
    """A file, a folder or an index: every shard must be there, whole, and hold the tensors that the index says."""
    found = _index_or_file(path)
    if isinstance(found, str):
        return found
    if not found.name.endswith(INDEX):
        return look(found)
    places = _weight_map(found)
    if isinstance(places, str):
        return f"{found.name!r}: {places}"
    shards = sorted(set(places.values()))
    seen: list[Whole] = []
    for shard in shards:
        other = found.with_name(shard)
        whole = look(other) if other.is_file() else "it does not exist, and the index names it"
        if isinstance(whole, str):
            return f"shard {shard!r}: {whole}"
        if {name for name, _ in whole.tensors} != {name for name, place in places.items() if place == shard}:
            return f"shard {shard!r} holds other tensors than the index says: files of two models are mixed"
        seen.append(whole)
    tensors = tuple(tensor for whole in seen for tensor in whole.tensors)
    return Whole(tensors, sum(one.weight_bytes for one in seen), sum(one.size for one in seen), len(seen))


def _index_or_file(path: Path) -> Path | str:
    """The index that governs this path, or the one file that it is."""
    if path.is_dir():
        for pattern in (f"model{INDEX}", "model.safetensors", f"*{INDEX}", "*.safetensors"):
            found = sorted(path.glob(pattern))
            if len(found) > 1:
                return f"{len(found)} files could be the model; name the index or the file itself"
            if found:
                return _index_or_file(found[0])
        return "it holds no safetensors file"
    shard = SHARD.fullmatch(path.name)
    if shard is None:
        return path
    index = path.with_name(f"{shard[1]}{INDEX}")
    return (
        index if index.is_file() else f"it is one of several files and {index.name!r}, which lists them, is not there"
    )


def _weight_map(index: Path) -> dict[str, str] | str:
    """File of each tensor, as the index says."""
    try:
        if index.stat().st_size > LARGEST_INDEX:
            return f"it is larger than {LARGEST_INDEX} bytes, which no index is"
        places = json.loads(index.read_bytes()).get("weight_map")
    except OSError as error:
        return error.strerror or "it cannot be read"
    except (ValueError, AttributeError, RecursionError):
        return "it is no JSON object, so it names no shards"
    if not isinstance(places, dict) or not places:
        return "it has no weight_map, so it names no shards"
    for place in places.values():
        if not isinstance(place, str) or "/" in place or "\\" in place or not place.endswith(".safetensors"):
            return f"it names {place!r}, which is no safetensors file beside it"
    return places


def _held(header: Any, size: int, begins: int) -> Whole | str:
    """Every tensor's bytes one behind the other up to the end of the file."""
    if not isinstance(header, dict):
        return "its header is no JSON object"
    found: list[tuple[int, int, str, str]] = []
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        place = _place(name, entry)
        if isinstance(place, str):
            return place
        found.append((*place, name, entry["dtype"]))
    end = 0
    for begin, until, name, _ in sorted(found):
        if begin != end:
            return f"tensor {name!r} begins at byte {begin} of the data where {end} is next: its directory is damaged"
        end = until
    if begins + end != size:
        return f"it has {size} bytes and its header asks for {begins + end}: the file is not whole"
    return Whole(tuple((name, kind) for _, _, name, kind in found), end, size)


def _place(name: str, entry: Any) -> tuple[int, int] | str:
    """Begin and end of one tensor in the data, or why its entry cannot be right."""
    entry = entry if isinstance(entry, dict) else {}
    kind, shape, offsets = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if not isinstance(kind, str) or kind not in BITS:
        return f"tensor {name!r} has the unknown number format {kind!r}, so its length cannot be known"
    if not _naturals(shape) or not _naturals(offsets) or len(offsets) != 2 or len(shape) > MOST_DIMENSIONS:
        return f"tensor {name!r} has no shape and place that can be read: its directory is damaged"
    begin, end = offsets
    if (end - begin) * 8 != math.prod(shape) * BITS[kind]:
        return f"tensor {name!r} has {end - begin} bytes where its shape asks for {math.prod(shape) * BITS[kind] // 8}"
    return begin, end


def _naturals(value: Any) -> bool:
    return isinstance(value, list) and all(type(one) is int and 0 <= one <= LARGEST for one in value)
