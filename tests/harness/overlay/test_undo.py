"""Files are changed for an arm and are afterwards what they were, wherever the changing was cut off."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.overlay.steps import Refused, write_down
from harness.overlay.undo import JOURNALS
from harness.overlay.values import changed_from_json
from tests.harness.overlay.ground import Ground, done, literal, moved

CALLS = frozenset(
    {"open", "os.link", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.utime", "os.symlink"}
    | {"os.chown", "shutil.rmtree", "shutil.copystat", "shutil.copyfile"}
)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground.make(tmp_path / "host")


def everything(ground: Ground) -> list[dict[str, Any]]:
    """All three kinds at once."""
    copy = ground.root / "lib.committee-run-1"
    edits = (literal("MAXLEN=65536", "MAXLEN=131072"), moved(ground.lib, copy))
    return [ground.in_place(), ground.beside(), ground.edited(*edits)]


def test_in_place_and_back(ground: Ground) -> None:
    before, inode, said = ground.files(), ground.kernel.stat().st_ino, list[tuple[str, str]]()
    overlays = ground.overlays(said)
    (report,) = done(overlays.apply("run-1", [ground.in_place()]))
    assert ground.kernel.read_bytes() == b"another kernel, longer"
    assert ground.kernel.stat().st_mode & 0o777 == 0o640
    assert report["after"]["sha256"] == report["put"] != report["before"]["sha256"]
    assert done(overlays.undo()) == []
    assert ground.files() == before
    assert ground.kernel.stat().st_ino == inode  # the very same file, not a copy
    assert list(ground.state.iterdir()) == []
    assert [what for what, _ in said] == ["files_changed", "files_undone"]


def test_an_overlay_of_the_same_content_leaves_the_file_itself_alone(ground: Ground) -> None:
    source = ground.sources / "kernel.so"
    source.write_bytes(ground.kernel.read_bytes())
    before, seen = ground.files(), ground.kernel.stat()
    ground.kernel.parent.chmod(0o555)  # nothing is written beside it either
    overlays = ground.overlays()
    (report,) = done(overlays.apply("run-1", [ground.in_place()]))
    assert ground.kernel.stat() == seen and list(ground.lib.glob("*committee*")) == []
    assert changed_from_json(report).kind == "in-place" and report["after"]["sha256"] == report["before"]["sha256"]
    assert done(overlays.undo()) == []
    assert (ground.files(), ground.kernel.stat()) == (before, seen)


def test_copies_leave_the_originals_alone(ground: Ground) -> None:
    before = ground.files()
    overlays = ground.overlays()
    copy = ground.root / "lib.committee-run-1"
    done(overlays.apply("run-1", everything(ground)[1:]))
    assert {name: seen for name, seen in ground.files().items() if name in before} == before
    assert (copy / "kernel.so").read_bytes() == b"another kernel, longer"
    assert (copy / "inner" / "more.py").read_text() == "more = 1\n"
    assert (copy / "link").readlink() == Path("inner")
    script = ground.root / "deploy.committee-run-1.sh"
    assert script.stat().st_mode & 0o777 == 0o555
    assert script.read_text() == (
        f'#!/bin/sh\nexport LIB={copy}\nMAXLEN=131072\nexec server --max-model-len $MAXLEN "$@"\n'
    )
    assert done(overlays.undo()) == []
    assert ground.files() == before


def test_a_longer_name_is_another_path(ground: Ground) -> None:
    ground.script.write_text(f"export A={ground.lib} B={ground.lib}2 C={ground.lib}/x D='{ground.lib}'\n")
    done(ground.overlays().apply("run-1", [ground.edited(moved(ground.lib, "/there"))]))
    made = (ground.root / "deploy.committee-run-1.sh").read_text()
    assert made == f"export A=/there B={ground.lib}2 C=/there/x D='/there'\n"


@pytest.mark.parametrize("step", range(16))
def test_given_up_at_any_step_another_guardian_undoes_it(ground: Ground, step: int) -> None:
    before = ground.files()
    steps = ground.overlays().apply("run-1", everything(ground))
    for _ in range(step):
        if next(steps, "end") == "end":
            break
    steps.close()
    assert done(ground.overlays().undo()) == []
    assert ground.files() == before


def dying(work: Callable[[], object], calls: int) -> bool:
    """Do the work in a child that ends at once, as by SIGKILL, at its so many-th call that opens or changes a file.

    True if it ended before that by itself.
    """
    child = os.fork()
    if child == 0:
        left = calls

        def look(event: str, _: object) -> None:
            nonlocal left
            left -= event in CALLS
            if left < 0:
                os._exit(9)

        sys.addaudithook(look)
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_killed_at_any_call_to_the_system_it_is_undone(ground: Ground) -> None:
    before = ground.files()
    for calls in range(1000):
        whole = dying(lambda: done(ground.overlays().apply("run-1", everything(ground))), calls)
        dying(lambda: done(ground.overlays().undo()), 5 * calls % 31)  # the one that undoes it may be killed as well
        said = done(ground.overlays().undo())
        assert (said, ground.files()) == ([], before), f"call {calls}"
        assert not [name for name in JOURNALS if (ground.state / name).exists()]
        if whole:
            break
    assert 40 < calls < 999


def test_what_fails_half_way_is_undone_at_once(ground: Ground) -> None:
    before = ground.files()
    changes = [ground.in_place(), ground.edited(literal("not there", "x"))]
    with pytest.raises(Refused, match=r"'not there' stands 0 times in .*deploy.sh', must be once"):
        done(ground.overlays().apply("run-1", changes))
    assert ground.files() == before
    assert ground.overlays().standing() is None
    assert list(ground.state.iterdir()) == []


def test_without_hard_links_the_copy_is_the_way_back(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    before = ground.files()
    done(ground.overlays().apply("run-1", [ground.in_place()]))
    assert done(ground.overlays().undo()) == []
    assert ground.files() == before


def test_a_file_that_somebody_put_there_meanwhile_is_kept_aside(ground: Ground) -> None:
    before = ground.files()
    done(ground.overlays().apply("run-1", [ground.in_place()]))
    ground.kernel.write_bytes(b"deployed by a person at night")
    (sentence,) = done(ground.overlays().undo())
    aside = ground.lib / "kernel.so.committee-found-run-1"
    assert sentence == f"{str(ground.kernel)!r} was changed by somebody else meanwhile; that file is now {str(aside)!r}"
    assert aside.read_bytes() == b"deployed by a person at night"
    aside.unlink()
    assert ground.files() == before


@pytest.mark.parametrize("harm", ["content", "mode", "time", "gone"])
def test_a_mismatch_is_mended_and_said(ground: Ground, harm: str) -> None:
    before = ground.files()
    done(ground.overlays().apply("run-1", [ground.in_place()]))
    backup = ground.lib / "kernel.so.committee-backup-run-1"
    if harm == "content":
        backup.write_bytes(b"damaged")
    elif harm == "mode":
        backup.chmod(0o777)
    elif harm == "time":
        os.utime(backup, ns=(1, 1))
    else:
        backup.unlink()
    said = done(ground.overlays().undo())
    words = {"content": "its content and its time changed; mended", "mode": "its mode changed; mended"}
    assert [sentence.split(": ")[1] for sentence in said] == [
        word for word in [(words | {"time": "its time changed; mended"}).get(harm)] if word
    ]
    assert ground.files() == before


def test_what_cannot_be_mended_stands_and_says_where_the_copy_is(ground: Ground) -> None:
    done(ground.overlays().apply("run-1", [ground.in_place()]))
    (ground.lib / "kernel.so.committee-backup-run-1").write_bytes(b"damaged")
    (kept,) = (ground.state / "undo").iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(b"damaged too")
    said: list[tuple[str, str]] = []
    with pytest.raises(Refused, match=r"could not be mended: its content and its time changed; its copy is"):
        done(ground.overlays(said).undo())
    assert [what for what, _ in said] == ["files_not_undone"]
    assert kept.exists() and ground.overlays().standing() is not None
    kept.write_bytes(whole)  # a person found it in a backup
    done(ground.overlays().undo())
    assert ground.kernel.read_bytes() == b"the reference kernel"


@pytest.mark.parametrize("name", JOURNALS)
@pytest.mark.parametrize("content", ["", '{"sha256": "', '{"sha256": "x", "journal": {"entries": []}}', "[]", "\x00"])
def test_a_broken_journal_loses_nothing_while_its_copy_is_whole(ground: Ground, name: str, content: str) -> None:
    before = ground.files()
    done(ground.overlays().apply("run-1", everything(ground)))
    (ground.state / name).write_text(content)
    assert done(ground.overlays().undo()) == []
    assert ground.files() == before


def test_both_broken_nothing_is_guessed_and_the_backups_stay(ground: Ground) -> None:
    done(ground.overlays().apply("run-1", [ground.in_place()]))
    for name in JOURNALS:
        (ground.state / name).write_text("half")
    with pytest.raises(Refused, match=r"is not whole .*'\*.committee-backup-\*': put them back by hand, then remove"):
        done(ground.overlays().undo())
    assert (ground.lib / "kernel.so.committee-backup-run-1").read_bytes() == b"the reference kernel"
    assert len(list((ground.state / "undo").iterdir())) == 1


def test_a_journal_half_written_means_that_nothing_was_changed(ground: Ground) -> None:
    before = ground.files()
    (ground.state / "undo.json.new").write_text('{"sha256": "ab')
    assert done(ground.overlays().undo()) == []
    assert ground.files() == before


def test_two_launches_never_change_files_at_once(ground: Ground) -> None:
    done(ground.overlays().apply("run-1", [ground.in_place()]))
    with pytest.raises(Refused, match="files are still changed for an earlier launch"):
        done(ground.overlays().apply("run-2", [ground.edited()]))
    with pytest.raises(Refused, match="files are still changed for 'run-1'; undo that first"):
        ground.overlays().refuse_beside("run-2")
    ground.overlays().refuse_beside("run-1")
    assert ground.kernel.read_bytes() == b"another kernel, longer"


def test_an_original_that_a_person_edits_meanwhile_is_said(ground: Ground) -> None:
    done(ground.overlays().apply("run-1", [ground.edited()]))
    ground.script.write_text("edited\n")
    (sentence,) = done(ground.overlays().undo())
    assert sentence.endswith("was changed by somebody else meanwhile: its content and its time changed")
    assert ground.script.read_text() == "edited\n"


def test_a_journal_that_names_what_was_never_made_here_removes_nothing(ground: Ground) -> None:
    done(ground.overlays().apply("run-1", [ground.edited()]))
    journal = json.loads((ground.state / "undo.json").read_text())["journal"]
    journal["entries"][0]["made"] = str(ground.lib)
    write_down(ground.state / "undo.json", journal)
    with pytest.raises(Refused, match="which was not made here; look at it"):
        done(ground.overlays().undo())
    assert ground.kernel.exists()
