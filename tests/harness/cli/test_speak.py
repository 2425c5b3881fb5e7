"""Exit codes and sentences of the command line: 0 good, 1 a negative answer, 2 not understood, 130 stopped."""

import asyncio
import errno
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from harness.cli.app import app
from harness.cli.speak import EXPECTED, fail, guarded_main, reader_gone, run_interruptible
from harness.hosts.local import GuardianError
from harness.vocabulary.base import BadFileError
from ledger.canonical import NotCanonicalError
from ledger.errors import NoSuchError
from ledger.store import LedgerError


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (BadFileError("'x.toml' is not valid TOML"), 2, "'x.toml' is not valid TOML"),
        (LedgerError("x holds other entries now"), 1, "x holds other entries now"),
        (NoSuchError("there is no ledger at x"), 2, "there is no ledger at x"),
        (GuardianError("the guardian is gone"), 1, "the guardian is gone"),
        (NotCanonicalError("NaN is refused"), 1, "NaN is refused"),
        (OSError(errno.ENOENT, "No such file or directory", "x.md"), 2, "'x.md' cannot be used (No such file or"),
    ],
)
def test_an_expected_error_is_one_sentence(
    error: Exception, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def app() -> None:
        raise error

    with pytest.raises(SystemExit) as ended:
        guarded_main(app)
    assert ended.value.code == code
    said = capsys.readouterr()
    assert said.err.startswith(words) and said.err.count("\n") == 1 and said.out == ""


def test_every_expected_error_is_named_as_its_class_is() -> None:
    kinds = (BadFileError, NoSuchError, LedgerError, GuardianError, NotCanonicalError)
    assert set(EXPECTED) == {f"{kind.__module__}.{kind.__qualname__}" for kind in kinds}


def test_what_is_no_expected_error_keeps_its_traceback() -> None:
    def app() -> None:
        raise ValueError("a fault of ours")

    with pytest.raises(ValueError, match="a fault of ours"):
        guarded_main(app)


def test_a_fault_of_ours_keeps_its_traceback() -> None:
    def app() -> None:
        raise OSError(errno.EIO, "no file is named")

    with pytest.raises(OSError, match="no file is named"):
        guarded_main(app)


def test_a_negative_answer_exits_with_one() -> None:
    assert fail("no").exit_code == 1
    assert fail("no", 2).exit_code == 2


def test_stopped_work_ends_with_its_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    async def stopped() -> None:
        raise asyncio.CancelledError

    with pytest.raises(typer.Exit) as ended:
        run_interruptible(stopped(), "finished blocks are kept")
    assert ended.value.exit_code == 130
    assert capsys.readouterr().err == "finished blocks are kept\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("tells", "answer", "stands", "code"),
    [(True, 1, False, 130), (False, 1, False, 130), (True, 0, False, 0), (True, 2, False, 2), (True, 1, True, 1)],
    ids=str,
)
def test_a_person_s_stop_does_not_end_like_a_negative_answer(
    number: signal.Signals, tells: bool, answer: int, stands: bool, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether the work makes a value of its stop, as a measuring run does, or is just cancelled; what stands stays."""

    async def work() -> str:
        signal.raise_signal(number)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if not tells:
                raise
        return "blocks are kept"

    def app() -> None:
        raise fail(run_interruptible(work(), "blocks are kept"), answer, stands=stands)

    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command()(app)
    with pytest.raises(SystemExit) as ended:
        guarded_main(partial(alone, []))
    assert ended.value.code == code and capsys.readouterr().err.splitlines()[-1] == "blocks are kept"


@pytest.mark.parametrize("error", [GuardianError("it does not answer"), LedgerError("the disk is full")], ids=str)
def test_an_expected_error_after_a_stop_is_no_mere_stop(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    async def work() -> None:
        signal.raise_signal(signal.SIGINT)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise error from None

    with pytest.raises(SystemExit) as ended:
        guarded_main(lambda: run_interruptible(work()))
    assert ended.value.code == 1 and capsys.readouterr().err.splitlines()[-1] == str(error)


@pytest.mark.parametrize(
    ("number", "system", "gone"),
    [
        (errno.EPIPE, "posix", True), (errno.EPIPE, "nt", True), (errno.EINVAL, "nt", True),
        (errno.EINVAL, "posix", False), (errno.ENOSPC, "nt", False),
    ],
)  # fmt: skip
def test_a_pipe_without_a_reader_is_known_on_every_system(number: int, system: str, gone: bool) -> None:
    assert reader_gone(OSError(number, "no"), system) is gone


def test_a_negative_answer_that_nobody_stopped_stays_one() -> None:
    async def work() -> str:
        return "no"

    def app() -> None:
        raise fail(run_interruptible(work()))

    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command()(app)
    with pytest.raises(SystemExit) as ended:
        guarded_main(partial(alone, []))
    assert ended.value.code == 1


@pytest.mark.parametrize(("timed", "loop"), [(True, "uvloop"), (False, "asyncio.unix_events")])
def test_only_what_measures_times_runs_on_uvloop(timed: bool, loop: str) -> None:
    async def where() -> str:
        return type(asyncio.get_running_loop()).__module__

    assert run_interruptible(where(), timed=timed) == loop


SAYS = "import os, sys\nfrom harness.cli.speak import fail, guarded_main, say\n"


@pytest.mark.parametrize(("unbuffered", "words"), [("", "sys.stdout.write('x')"), ("1", "say('x')")])
def test_output_that_cannot_be_written_is_one_sentence(unbuffered: str, words: str) -> None:
    command = [sys.executable, "-c", SAYS + f"guarded_main(lambda: {words})"]
    surroundings = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("wb") as full:
        told = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False, env=surroundings)
    sentence = "what there is to say cannot be written (No space left on device); make room where it goes\n"
    assert (told.returncode, told.stderr.decode()) == (1, sentence)


def buffered() -> dict[str, str]:
    """Surroundings in which Python keeps output back, as it does on most machines."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


COMMAND = """
import typer
from harness.cli.speak import print_json
app = typer.Typer()
@app.command()
def command(json: bool = False) -> None:
    print_json([])
guarded_main(app)
"""


@pytest.mark.parametrize("app", ["guarded_main(lambda: sys.stdout.write('x'))", COMMAND])
def test_a_reader_that_goes_away_is_no_fault(app: str) -> None:
    """Whether what was said is flushed by the command or at the end: nothing is on standard error."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", SAYS + app, "--json"]
    told = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False, env=buffered())
    os.close(writing)
    assert told.stderr == b""


@pytest.mark.parametrize(
    ("app", "status"),
    [
        ("guarded_main(lambda: (say('x'), os._exit(os.open('/', os.O_RDONLY))))", 3),
        ("guarded_main(lambda: os._exit(fail('no', 2).exit_code))", 2),
    ],
)
def test_a_closed_stream_is_taken_by_no_file_and_the_exit_code_still_answers(app: str, status: int) -> None:
    shell = ["sh", "-c", 'exec "$0" -c "$1" <&- >&- 2>&-', sys.executable, SAYS + app]
    assert subprocess.run(shell, timeout=60, check=False).returncode == status


@pytest.mark.parametrize("words", [["doctor", "--workspace", "\udcff"], ["kernel", "check", "\udcff"]])
def test_a_word_that_is_no_text_is_said_to_be_none(words: list[str]) -> None:
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert f"'root {words[0]}': '\\udcff' is no text (it is not UTF-8)" in done.output
