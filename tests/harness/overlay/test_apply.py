"""Everything that is refused before a byte is changed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.overlay import apply as apply_module
from harness.overlay.steps import Refused
from tests.harness.overlay.ground import Ground, done, literal

NOBODY = 65534


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground.make(tmp_path / "host")


def refused(ground: Ground, change: dict[str, Any]) -> str:
    before = ground.files()
    with pytest.raises(Refused) as said:
        done(ground.overlays().apply("run-1", [change]))
    assert ground.files() == before
    assert list(ground.state.iterdir()) == []
    return str(said.value)


def test_a_source_of_another_content(ground: Ground) -> None:
    assert "was asked for" in refused(ground, ground.in_place(sha256="0" * 64))


def test_a_source_outside_its_folder(ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "mine.so").write_bytes(b"x")
    assert "does not lie in" in refused(ground, ground.in_place(source=str(tmp_path / "mine.so"), sha256=""))


def test_a_source_that_is_a_link_out_of_its_folder(ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "mine.so").write_bytes(b"x")
    link = ground.sources / "link.so"
    link.symlink_to(tmp_path / "mine.so")
    assert f"leads to {str(tmp_path / 'mine.so')!r}" in refused(ground, ground.in_place(source=str(link), sha256=""))


def test_production_s_file_that_is_a_link(ground: Ground) -> None:
    link = ground.root / "link.so"
    link.symlink_to(ground.kernel)
    assert f"leads to {str(ground.kernel)!r}; name that one" in refused(ground, ground.in_place(path=str(link)))


def test_files_that_are_not_there(ground: Ground) -> None:
    assert "does not exist; correct the target's file" in refused(ground, ground.in_place(path=str(ground.lib / "no")))
    gone = str(ground.sources / "no.so")
    assert f"{gone!r} does not exist" in refused(ground, ground.in_place(source=gone))
    model = {"kind": "model", "path": str(ground.root / "no.gguf")}
    assert "does not exist" in refused(ground, model)


def test_what_is_larger_than_listed(ground: Ground) -> None:
    assert "at most 0 are listed" in refused(ground, ground.in_place(max_mib=0))
    assert "at most 0 are listed" in refused(ground, ground.beside(max_mib=0))


def test_a_disk_without_room(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apply_module, "ROOM_MIB", 1 << 40)
    assert "has no room for" in refused(ground, ground.in_place())


def test_a_copy_that_is_there_already_is_left_alone(ground: Ground) -> None:
    made = ground.root / "lib.committee-run-1"
    made.mkdir()
    assert "is there already; remove it" in refused(ground, ground.beside())
    assert made.is_dir()


def test_a_script_is_never_edited_by_guesses(ground: Ground) -> None:
    ground.script.write_text("twice twice\n")
    assert "'twice' stands 2 times" in refused(ground, ground.edited(literal("twice", "once")))
    assert "'never' stands 0 times" in refused(ground, ground.edited(literal("never", "once")))


def test_edits_are_literal(ground: Ground) -> None:
    ground.script.write_text("a.c \\1 abc\n")
    done(ground.overlays().apply("run-1", [ground.edited(literal("a.c", r"\1\g<0>"))]))
    assert (ground.root / "deploy.committee-run-1.sh").read_text() == "\\1\\g<0> \\1 abc\n"


@contextmanager
def without_roots_rights() -> Iterator[None]:
    """Root may write everywhere; whether the account may is asked of the real user id, so another one is put there."""
    if os.getuid() != 0:
        yield
        return
    os.setresuid(NOBODY, 0, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def test_a_folder_that_cannot_be_written(ground: Ground) -> None:
    ground.lib.chmod(0o555)
    try:
        with without_roots_rights():
            assert "nothing can be written into" in refused(ground, ground.in_place())
    finally:
        ground.lib.chmod(0o755)
