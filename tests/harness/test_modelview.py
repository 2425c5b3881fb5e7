"""Model files are told apart by a sample, by the time of writing, and whole where they are small or somebody asks."""

import hashlib
import os
from pathlib import Path

from harness.modelview import PIECE_BYTES, PIECES, SAMPLED_BYTES, models

LARGE = SAMPLED_BYTES + (1 << 20)


def large(path: Path, at: int | None = None) -> Path:
    """A file that is not read whole by itself, of zeros but for one byte."""
    content = bytearray(LARGE)
    if at is not None:
        content[at] = 1
    path.write_bytes(content)
    return path


def test_a_small_file_is_read_whole_and_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    os.utime(file, ns=(5, 1_700_000_000_000_000_007))
    (one,) = models([str(file), str(tmp_path / "gone.gguf")])
    assert one["sha256"] == hashlib.sha256(b"GGUF").hexdigest()
    assert one["sample_sha256"] == hashlib.sha256(b"4\nGGUF").hexdigest()
    assert (one["path"], one["bytes"], one["written"]) == (str(file), 4, "2023-11-14T22:13:20.000000007Z")


def test_the_sample_is_the_size_and_pieces_at_even_distances(tmp_path: Path) -> None:
    file = large(tmp_path / "m.gguf", LARGE - 1)
    (one,) = models([str(file)])
    content, last = file.read_bytes(), LARGE - PIECE_BYTES
    places = [last * n // (PIECES - 1) for n in range(PIECES)]
    expected = hashlib.sha256(f"{LARGE}\n".encode() + b"".join(content[at : at + PIECE_BYTES] for at in places))
    assert one["sample_sha256"] == expected.hexdigest()
    assert one["sha256"] is None


def test_first_and_last_bytes_change_the_sample_and_a_gap_is_seen_by_the_whole_hash_alone(tmp_path: Path) -> None:
    gap = PIECE_BYTES + 1
    seen = [models([str(large(tmp_path / "m.gguf", at))], whole=True)[0] for at in (None, 0, LARGE - 1, gap)]
    plain, first, last, between = seen
    assert len({one["sample_sha256"] for one in (plain, first, last)}) == 3
    assert between["sample_sha256"] == plain["sample_sha256"]
    assert len({one["sha256"] for one in seen}) == 4


def test_a_known_hash_is_taken_over_until_somebody_writes_to_the_file(tmp_path: Path) -> None:
    file = large(tmp_path / "m.gguf")
    (one,) = models([str(file)])
    known = {**one, "sha256": "e" * 64}
    assert models([str(file)], [known])[0]["sha256"] == "e" * 64
    assert models([str(file)], [known], whole=True)[0]["sha256"] == "e" * 64
    os.utime(file)
    assert models([str(file)], [known])[0]["sha256"] is None
    assert models([str(file)], [known], whole=True)[0]["sha256"] == hashlib.sha256(bytes(LARGE)).hexdigest()


def test_a_folder_is_all_its_files_and_a_first_part_all_parts(tmp_path: Path) -> None:
    for name in ("a-00001-of-00003.gguf", "a-00002-of-00003.gguf", "config.json"):
        (tmp_path / name).write_bytes(name.encode())
    (tmp_path / "inner").mkdir()
    os.mkfifo(tmp_path / "pipe.gguf")
    assert [Path(one["path"]).name for one in models([str(tmp_path)])] == [
        "a-00001-of-00003.gguf",
        "a-00002-of-00003.gguf",
        "config.json",
    ]
    parts = models([str(tmp_path / "a-00001-of-00003.gguf"), str(tmp_path / "pipe.gguf")])
    assert [Path(one["path"]).name for one in parts] == ["a-00001-of-00003.gguf", "a-00002-of-00003.gguf"]
