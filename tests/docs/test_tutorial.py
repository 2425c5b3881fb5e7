"""docs/tutorial.md is typed as it stands: what it shows must happen. The part with the real server is a system test."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.docs.console import GAP, Reader, Step, blocks, pieces, steps

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
STEPS = steps(PAGE)
COMMAND_LIMIT_S = 90.0  # without a server: about two seconds each, more on a machine with other work
SERVER_LIMIT_S = 900.0  # with it: the longest is two blocks of three launches
STOP_LIMIT_S = 120.0
LEAVING_S = 20.0  # a guardian that has nothing to guard ends by itself after ten
TARGET = "local-llamacpp"


def test_the_page_holds_what_it_promises() -> None:
    typed = " ".join(step.command for step in STEPS)
    for command in "init doctor check review brief measure rank accept log show verify report".split():  # noqa: SIM905
        assert f"committee {command}" in typed
    for command in ("start", "attest", "stop"):
        assert f"harness {command} {TARGET}" in typed


def test_every_shown_line_can_fail() -> None:
    for step in STEPS:
        assert step.command == "cd ws" or step.shown, f"{step.command!r} is shown without any word of its output"
        for line in step.shown:
            assert pieces(line) or line.strip() == GAP, f"{line!r} holds no word that is compared"


def test_every_block_is_run_or_plainly_not() -> None:
    assert {info for info, _ in blocks(PAGE)} == {"console", "console server", "sh"}
    kinds = [step.needs_server for step in STEPS]
    assert kinds == sorted(kinds), "a step without a server comes after one with it, and would see another ledger"


def test_the_part_without_a_server_happens_as_it_is_shown(tmp_path: Path) -> None:
    reader = Reader(tmp_path, COMMAND_LIMIT_S)
    for step in STEPS:
        if not step.needs_server:
            assert reader.follow(step) is None


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """A reader whose production is stopped in the end, whatever happened, with no process left behind."""
    reader = Reader(tmp_path, SERVER_LIMIT_S)
    yield reader
    if (tmp_path / "ws").is_dir():
        stopped = Reader(tmp_path / "ws", STOP_LIMIT_S).follow(Step(f"harness stop {TARGET}", 0, (), True))
        assert stopped is None
    assert left_in(tmp_path) == []


def left_in(folder: Path) -> list[str]:
    """Commands of processes that work below the folder or name it; a guardian that was dismissed has time to end."""
    until = time.monotonic() + LEAVING_S
    while (found := sorted(_commands_in(folder))) and time.monotonic() < until:
        time.sleep(0.2)
    return found


def _commands_in(folder: Path) -> Iterator[str]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # it ended while we looked
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if str(folder) in command or (entry / "cwd").readlink().is_relative_to(folder):
                    yield command


@pytest.mark.system
@pytest.mark.alone
def test_all_of_it_happens_as_it_is_shown(reader: Reader) -> None:
    for step in STEPS:
        assert reader.follow(step) is None
