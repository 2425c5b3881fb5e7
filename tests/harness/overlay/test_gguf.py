"""A model file is whole if it is as long as its own header says; anything else gets one sentence."""

import os
from pathlib import Path

import pytest

from harness.overlay.gguf import Whole, look
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
        (b"GGUF" + b"\x03\0\0\0" + b"\xff" * 16, "is not known here"),
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
