"""Small model files, made byte by byte: GGUF with any metadata, safetensors with any tensors, a folder of shards."""

import json
import math
import struct
from pathlib import Path
from typing import Any

from harness.overlay.safetensors import BITS

Keys = dict[str, int | str | list[int]]


def gguf_model(keys: Keys, tensors: list[str]) -> bytes:
    """A whole GGUF file of F32 tensors of eight weights."""

    def text(word: str) -> bytes:
        return struct.pack("<Q", len(word.encode())) + word.encode()

    def value(known: int | str | list[int]) -> bytes:
        if isinstance(known, str):
            return struct.pack("<I", 8) + text(known)
        if isinstance(known, list):
            return struct.pack(f"<IIQ{len(known)}I", 9, 4, len(known), *known)
        return struct.pack("<II", 4, known)

    said = b"".join(text(name) + value(known) for name, known in keys.items())
    infos = b"".join(text(name) + struct.pack("<IQIQ", 1, 8, 0, 32 * n) for n, name in enumerate(tensors))
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + said + infos
    return header + b"\0" * (-len(header) % 32) + b"\0" * (32 * len(tensors))


def safetensors_file(tensors: dict[str, tuple[str, list[int]]], **entries: Any) -> bytes:
    """A whole safetensors file; `entries` replace what its header says of a tensor."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, (kind, shape) in tensors.items():
        end = at + math.prod(shape) * BITS[kind] // 8
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, end]}
        at = end
    words = json.dumps(header | entries).encode()
    return struct.pack("<Q", len(words)) + words + b"\0" * at


def sharded(folder: Path, settings: dict[str, Any], shards: list[dict[str, tuple[str, list[int]]]]) -> Path:
    """A folder as a hub keeps it: shards, their index, config.json."""
    folder.mkdir()
    places: dict[str, str] = {}
    for number, tensors in enumerate(shards, start=1):
        name = f"model-{number:05d}-of-{len(shards):05d}.safetensors"
        (folder / name).write_bytes(safetensors_file(tensors))
        places |= dict.fromkeys(tensors, name)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))
    (folder / "config.json").write_text(json.dumps(settings))
    return folder
