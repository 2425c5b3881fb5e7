"""A model file is whole if it is as long as its own header says; anything else gets one sentence."""

import os
import struct
from pathlib import Path

import pytest

from harness.overlay.gguf import Whole, look, look_at_all
from harness.overlay.steps import Refused
from tests.harness.overlay.ground import Ground, done, gguf


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    return path


def test_a_whole_file_says_what_it_is(tmp_path: Path) -> None:
    found = look(written(tmp_path, gguf(tensors=3)))
    assert isinstance(found, Whole)
    assert (found.architecture, found.tensors, found.context_length) == ("qwen35", 3, 262144)


def _keyed(kind: int, value: bytes) -> bytes:
    """A file without tensors and with one key, `general.alignment`."""
    name = b"general.alignment"
    return b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, len(name)) + name + struct.pack("<I", kind) + value


@pytest.mark.parametrize("short_by", [1, 31, 64])
def test_a_cut_tail_is_seen_from_the_header(tmp_path: Path, short_by: int) -> None:
    whole = len(gguf())
    said = look(written(tmp_path, gguf(short_by=short_by)))
    assert said == f"it has {whole - short_by} bytes and its header asks for {whole}: the file is not whole"


def test_every_shorter_file_is_refused_and_nothing_crashes(tmp_path: Path) -> None:
    content = gguf()
    for size in range(len(content)):
        assert isinstance(look(written(tmp_path, content[:size])), str), size


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"safetensors", "it does not begin like a GGUF file"),
        (b"GGUF" + b"\x09\0\0\0" + b"\0" * 16, "GGUF version 9"),
        (b"GGUF" + b"\x03\0\0\0" + b"\xff" * 16, "no model has so many: it is damaged"),
        (b"GGUF" + b"\x01\0\0\0" + b"\0" * 16, "GGUF version 1 is not known here"),
        (b"GGUF" + b"\0\0\0\x03" + b"\0" * 16, "it is a big-endian GGUF file"),
        (_keyed(8, struct.pack("<Q", 2) + b"32"), "general.alignment is '32' in its header, where a number belongs"),
        (_keyed(5, struct.pack("<i", -32)), "general.alignment is -32 in its header"),
        (
            gguf().replace(b"\x08\0\0\0\x06\0\0\0\0\0\0\0qwen35", b"\x63\0\0\0\x06\0\0\0\0\0\0\0qwen35"),
            "unknown type 99",
        ),
    ],
)
def test_what_is_no_known_header_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    assert said in str(look(written(tmp_path, content)))


def test_an_unknown_number_format_is_refused_because_its_length_cannot_be_known(tmp_path: Path) -> None:
    content = gguf(tensors=1)
    at = content.index(b"blk.0") + len("blk.0") + 4 + 8
    said = look(written(tmp_path, content[:at] + b"\x63\0\0\0" + content[at + 4 :]))
    assert "unknown number format 99" in str(said)


def test_a_model_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    ground = Ground.make(tmp_path / "host")
    (ground.root / "real.gguf").write_bytes(gguf())
    link = ground.root / "link.gguf"
    link.symlink_to(ground.root / "real.gguf")
    with pytest.raises(Refused, match=r"leads to '.*real.gguf'; name that one"):
        done(ground.overlays().apply("run-1", [{"kind": "model", "path": str(link)}]))
    (report,) = done(ground.overlays().apply("run-1", [{"kind": "model", "path": str(ground.root / "real.gguf")}]))
    assert report["report"]["size"] == os.stat(ground.root / "real.gguf").st_size  # noqa: PTH116


def split(tmp_path: Path, parts: int = 3) -> Path:
    """A model of several files; the first of them."""
    for number in range(parts):
        (tmp_path / f"m-{number + 1:05d}-of-{parts:05d}.gguf").write_bytes(gguf(tensors=number, part=(number, parts)))
    return tmp_path / f"m-00001-of-{parts:05d}.gguf"


def test_a_split_model_is_whole_with_all_its_parts(tmp_path: Path) -> None:
    found = look_at_all(split(tmp_path))
    assert isinstance(found, Whole)
    sizes = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert (found.tensors, found.parts, found.size) == (0 + 1 + 2, 3, sizes)
    alone = look_at_all(written(tmp_path, gguf()))
    assert isinstance(alone, Whole) and (alone.parts, alone.size) == (1, len(gguf()))


def test_a_split_model_with_a_part_missing_cut_or_of_another_model_is_refused(tmp_path: Path) -> None:
    first = split(tmp_path)
    second, third = (tmp_path / f"m-0000{number}-of-00003.gguf" for number in (2, 3))
    assert "it is part 2 of 3; name the first part" in str(look_at_all(second))
    content = third.read_bytes()
    third.write_bytes(content[:-1])
    assert str(look_at_all(first)).startswith("part 3 of 3, 'm-00003-of-00003.gguf': it has ")
    third.write_bytes(gguf(part=(1, 3)))
    assert "parts of two models are mixed" in str(look_at_all(first))
    third.unlink()
    assert look_at_all(first) == "part 3 of 3, 'm-00003-of-00003.gguf': it does not exist"
    renamed = first.rename(tmp_path / "m.gguf")
    assert look_at_all(renamed) == "its header says part 1 of 3, which is not what its name says"
    plain = tmp_path / "n-00001-of-00002.gguf"
    plain.write_bytes(gguf())
    assert look_at_all(plain) == "its header says part 1 of 1, which is not what its name says"
    with pytest.raises(Refused, match="which is not what its name says"):
        done(Ground.make(tmp_path / "host").overlays().apply("run-1", [{"kind": "model", "path": str(plain)}]))
