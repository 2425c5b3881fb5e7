"""A safetensors model is whole if every file is as long as its header says; anything else gets one sentence."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from harness.overlay.safetensors import LONGEST_HEADER, Whole, look, look_at_all
from tests.harness.overlay.models import safetensors_file, sharded

TWO = {"a.weight": ("BF16", [4, 8]), "b.weight": ("F8_E4M3", [16])}
SHARDS: list[dict[str, tuple[str, list[int]]]] = [{"a": ("F16", [8])}, {"b": ("F16", [8]), "c": ("F32", [])}]


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    return path


def test_a_whole_file_says_its_tensors_and_their_bytes(tmp_path: Path) -> None:
    content = safetensors_file(TWO)
    found = look(written(tmp_path, content))
    assert found == Whole((("a.weight", "BF16"), ("b.weight", "F8_E4M3")), 64 + 16, len(content))


def test_every_shorter_file_is_refused_and_a_longer_one_too(tmp_path: Path) -> None:
    content = safetensors_file(TWO)
    for size in range(0, len(content), 17):
        assert isinstance(look(written(tmp_path, content[:size])), str), size
    said = look(written(tmp_path, content[:-1]))
    assert said == f"it has {len(content) - 1} bytes and its header asks for {len(content)}: the file is not whole"
    assert "is not whole" in str(look(written(tmp_path, content + b"more")))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"GGUF" + b"\0" * 40, "it does not begin like a safetensors file"),
        (struct.pack("<Q", LONGEST_HEADER + 1) + b"{}", "no length of a header"),
        (struct.pack("<Q", 500) + b"{}", "its header alone asks for 508"),
        (struct.pack("<Q", 2) + b"{{", "its header is no JSON"),
        (struct.pack("<Q", 2) + b"[]", "its header is no JSON object"),
    ],
)
def test_what_is_no_header_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    assert said in str(look(written(tmp_path, content)))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"dtype": "Q9", "shape": [4, 8], "data_offsets": [0, 64]}, "unknown number format 'Q9'"),
        ({"dtype": "BF16", "shape": [4, -8], "data_offsets": [0, 64]}, "no shape and place"),
        ({"dtype": "BF16", "shape": [1] * 17, "data_offsets": [0, 2]}, "no shape and place"),
        ({"dtype": "BF16", "shape": [4, 4], "data_offsets": [0, 64]}, "has 64 bytes where its shape asks for 32"),
        ({"dtype": "BF16", "shape": [4, 8], "data_offsets": [8, 72]}, "begins at byte 8 of the data where 0 is next"),
        ("nothing", "unknown number format None"),
    ],
)
def test_a_directory_that_cannot_be_right_is_said(tmp_path: Path, entry: Any, said: str) -> None:
    assert said in str(look(written(tmp_path, safetensors_file(TWO, **{"a.weight": entry}))))


def test_shards_are_whole_together_by_folder_index_or_any_of_them(tmp_path: Path) -> None:
    folder = sharded(tmp_path / "model", {}, SHARDS)
    found = look_at_all(folder)
    assert isinstance(found, Whole)
    assert ([name for name, _ in found.tensors], found.weight_bytes, found.parts) == (["a", "b", "c"], 36, 2)
    assert look_at_all(folder / "model-00002-of-00002.safetensors") == found
    assert look_at_all(folder / "model.safetensors.index.json") == found


def test_shards_that_are_missing_cut_or_mixed_are_said(tmp_path: Path) -> None:
    folder = sharded(tmp_path / "model", {}, SHARDS)
    second = folder / "model-00002-of-00002.safetensors"
    whole = second.read_bytes()
    second.write_bytes(whole[:-1])
    assert str(look_at_all(folder)).startswith(f"shard {second.name!r}: it has {len(whole) - 1} bytes")
    second.write_bytes(safetensors_file({"b": ("F16", [8])}))
    assert "holds other tensors than the index says" in str(look_at_all(folder))
    second.unlink()
    assert str(look_at_all(folder)) == f"shard {second.name!r}: it does not exist, and the index names it"
    (folder / "model.safetensors.index.json").unlink()
    assert "which lists them, is not there" in str(look_at_all(folder))


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ("{", "no JSON object"),
        ("[]", "no JSON object"),
        ("{}", "no weight_map"),
        (json.dumps({"weight_map": {"a": "../../other.safetensors"}}), "no safetensors file beside it"),
        (json.dumps({"weight_map": {"a": 5}}), "names 5"),
    ],
)
def test_an_index_that_names_no_shards_is_said(tmp_path: Path, index: str, said: str) -> None:
    folder = sharded(tmp_path / "model", {}, SHARDS)
    (folder / "model.safetensors.index.json").write_text(index)
    assert said in str(look_at_all(folder))


def test_a_folder_without_a_model_or_with_several_is_said(tmp_path: Path) -> None:
    assert look_at_all(tmp_path) == "it holds no safetensors file"
    for name in ("a", "b"):
        (tmp_path / f"{name}.safetensors").write_bytes(safetensors_file(TWO))
    assert "2 files could be the model" in str(look_at_all(tmp_path))


def test_extents_of_thousands_of_digits_are_one_sentence(tmp_path: Path) -> None:
    header = '{"a": {"dtype": "F16", "shape": [1EXTENT, 1EXTENT], "data_offsets": [0, 16]}}'.replace(
        "EXTENT", "0" * 4000
    )
    said = look(written(tmp_path, struct.pack("<Q", len(header)) + header.encode() + b"\0" * 16))
    assert said == "tensor 'a' has no shape and place that can be read: its directory is damaged"
