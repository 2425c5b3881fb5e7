"""A run as a process of its own session, and the files that it is known by."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness import procfs
from harness.vocabulary.base import BadFileError
from harness.workflow.detached import NotDetached, Terms, detach, keep, under_way
from harness.workflow.drain import Politeness, WhenBusy
from harness.workflow.night import Hours
from harness.workflow.run_files import RunFiles, Wish, known_runs
from tests.harness.workflow.bench_yard import FAST, REFUSED, BenchYard

RUN = "measure-test-000001"


def test_terms_are_words_of_the_command_line() -> None:
    assert Terms().words == ()
    drain = Politeness(WhenBusy.DRAIN, 90.5, users_accept=True)
    said = Terms(Hours.of("22:00-04:00", once=True), drain, take_over=True).words
    expected = "--window 22:00-04:00 --once --when-busy drain --drain-limit-s 90.5 --users-accept --take-over"
    assert " ".join(said) == expected


def test_another_order_of_the_same_run_is_refused(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    files = keep(tmp_path, yard.order(FAST))
    assert keep(tmp_path, yard.order(FAST)) == files
    assert files.order.stat().st_mode & 0o777 == 0o600, "it holds the private variables"
    with pytest.raises(BadFileError, match="has another order"):
        keep(tmp_path, yard.order(REFUSED))
    files.order.write_text(files.order.read_text()[:100])  # a kill left half of it
    keep(tmp_path, yard.order(REFUSED))
    assert yard.order(REFUSED).to_json() == files.order.read_text()


ENTERED = """
import sys, signal
from pathlib import Path
from harness.workflow.run_files import RunFiles
RunFiles(Path({folder!r})).enter({run!r}, "small", "02:00-06:00")
print("entered", flush=True)
signal.pause()
"""


@contextmanager
def entered(files: RunFiles) -> Iterator[subprocess.Popen[str]]:
    """Another process that says it measures the run."""
    code = ENTERED.format(folder=str(files.folder), run=RUN)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "entered\n"
            yield process
        finally:
            process.kill()


def test_a_run_that_is_under_way_is_not_begun_twice(tmp_path: Path) -> None:
    files = RunFiles.of(tmp_path, RUN)
    mine = files.enter(RUN, "small", "")
    assert mine.pid == os.getpid() and mine.alive and under_way(files) == ""
    with entered(files) as process:
        outcome = detach(tmp_path, BenchYard(tmp_path).order(), Terms())
        assert isinstance(outcome, NotDetached) and f"is under way already, pid {process.pid}" in outcome.sentence
    assert under_way(files) == ""


def test_a_process_that_ends_at_once_is_said_in_its_own_words(tmp_path: Path) -> None:
    outcome = detach(tmp_path, BenchYard(tmp_path).order(), Terms())
    assert isinstance(outcome, NotDetached) and "holds no targets/" in outcome.sentence


def test_who_measures_is_known_by_pid_and_start_time(tmp_path: Path) -> None:
    files = RunFiles.of(tmp_path, RUN)
    assert files.runner() is None and known_runs(tmp_path) == ()
    with entered(files) as process:
        runner = files.runner()
        assert runner is not None and runner.alive and runner.window == "02:00-06:00"
        assert (runner.pid, runner.start_time) == (process.pid, procfs.start_time(process.pid))
        process.send_signal(signal.SIGKILL)
    gone = files.runner()
    assert gone is not None and not gone.alive and known_runs(tmp_path) == (RUN,)


def test_a_stronger_wish_stands_and_a_new_start_is_without_one(tmp_path: Path) -> None:
    files = RunFiles.of(tmp_path, RUN)
    files.enter(RUN, "small", "")
    assert files.wish() is None
    files.ask_to_stop(Wish.AFTER_BLOCK)
    assert files.wish() is Wish.AFTER_BLOCK
    files.ask_to_stop(Wish.NOW)
    files.ask_to_stop(Wish.AFTER_BLOCK)
    assert files.wish() is Wish.NOW
    files.enter(RUN, "small", "")
    assert files.wish() is None
