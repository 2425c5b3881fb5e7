"""How the command line speaks: one sentence for an error, exit codes, JSON on request, and Ctrl-C handled once."""

import asyncio
import errno
import io
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn, TextIO, TypeVar, cast

import typer
from rich.console import Console

from harness.cli.interrupt import SENTENCE
from harness.cli.terminal import one_line, shown

T = TypeVar("T")
GOOD, NEGATIVE, USAGE = 0, 1, 2
INTERRUPTED = 130  # a person's stop; also what the parser of words makes of Ctrl-C
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # what no fault of ours brings about
# Expected errors and the exit code of each, by name: what was never loaded cannot have been raised, and loading it only
# to be able to catch it would cost every command a second. A test holds each name to its class.
EXPECTED = {
    "harness.vocabulary.base.BadFileError": USAGE,
    "ledger.errors.NoSuchError": USAGE,
    "ledger.errors.LedgerError": NEGATIVE,
    "harness.hosts.connection.GuardianError": NEGATIVE,
    "ledger.canonical.NotCanonicalError": NEGATIVE,
}

out = Console()
err = Console(stderr=True)


def say(sentence: str, style: str | None = None) -> None:
    """Print one line: never wrapped (a path must stay one word), never read as markup or as control codes."""
    out.print(one_line(sentence), style=style, markup=False, highlight=False, soft_wrap=True)


def say_text(text: str) -> None:
    """Print a text of many lines (a prompt, a patch, a file), its line breaks as they are and its tabs as columns."""
    out.print(shown(text), markup=False, highlight=False, soft_wrap=True)


class Failure(typer.Exit):
    """The end of a command whose sentence stands on standard error already."""

    def __init__(self, sentence: str, code: int, *, stands: bool = False) -> None:
        super().__init__(code)
        self.sentence = sentence
        self.stands = stands  # also where a person has asked to stop: production is down


def fail(sentence: str, code: int = NEGATIVE, *, stands: bool = False) -> Failure:
    """Print one sentence on standard error; raise what this returns. What `stands` is not taken for a person's stop."""
    with suppress(OSError):  # where nobody can be told, the exit code still says it
        err.print(one_line(sentence), style="red", markup=False, highlight=False, soft_wrap=True)
    return Failure(sentence, code, stands=stands)


class _Watched:
    """Standard output, and whether anything was written to it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.written = False

    def write(self, text: str) -> int:
        """Pass it on."""
        self.written = True
        return self.stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def _answered() -> Iterator[None]:
    """Where --json was asked for and a command ends with a sentence alone, that is the one JSON value."""
    if "--json" not in sys.argv[1:]:
        yield
        return
    before, watched = sys.stdout, _Watched(sys.stdout)
    sys.stdout = cast(TextIO, watched)
    try:
        yield
    except SystemExit as ended:
        failure = ended.__cause__ or ended.__context__
        said = failure.sentence if isinstance(failure, Failure) else SENTENCE if ended.code == INTERRUPTED else ""
        if said and not watched.written:
            with suppress(OSError):
                print_json_line({"error": said})
        raise
    finally:
        sys.stdout = before


@dataclass
class _Stop:
    """Whether a person has asked the command to stop."""

    asked: bool = False


STOP: ContextVar[_Stop | None] = ContextVar("stop", default=None)  # of the command line that runs


@contextmanager
def _told_apart() -> Iterator[None]:
    """What a person's stop kept from its end does not end like a negative answer, unless that stands."""
    stop = _Stop()
    token = STOP.set(stop)
    try:
        yield
    except SystemExit as ended:
        failure = ended.__cause__ or ended.__context__
        if stop.asked and ended.code == NEGATIVE and not (isinstance(failure, Failure) and failure.stands):
            ended.code = INTERRUPTED
        raise
    finally:
        STOP.reset(token)


def guarded_main(app: Callable[[], None]) -> None:
    """Run a command line; an expected error is one sentence, never a traceback."""
    _open_the_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a console of few characters shows a mark for the others
            stream.reconfigure(errors="replace")
    with _ended(sys.stdout), _answered(), _told_apart():
        try:
            app()
        except OSError as error:
            if error.filename is None:
                of_output = _is_of_output(error)
                if not of_output and error.errno not in FULL:
                    raise  # not about a file that somebody named: a fault of ours
                if of_output and reader_gone(error):
                    raise SystemExit(NEGATIVE) from None
                _end(_unwritten(error), NEGATIVE)
            _end(f"{os.fsdecode(error.filename)!r} cannot be used ({error.strerror}); check the path and its rights")
        except Exception as error:
            names = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__]
            code = next((EXPECTED[name] for name in names if name in EXPECTED), None)
            if code is None:
                raise
            _end(str(error), code)


@contextmanager
def _ended(output: TextIO) -> Iterator[None]:
    """The last of standard output goes out here; what fails only while Python ends is a complaint past all sentences.

    A reader who went away is no fault: the rest goes nowhere.
    """
    try:
        yield
    finally:
        try:
            output.flush()
        except OSError as last:
            _to_nowhere(output)
            if not reader_gone(last):
                _end(_unwritten(last), NEGATIVE)


def reader_gone(error: OSError, system: str = os.name) -> bool:
    """Whether a pipe of ours has no reader any more, which Windows answers like a wrong argument."""
    return error.errno == errno.EPIPE or (system == "nt" and error.errno == errno.EINVAL)


def _unwritten(error: OSError) -> str:
    return f"what there is to say cannot be written ({error.strerror}); make room where it goes"


def _end(sentence: str, code: int = USAGE) -> NoReturn:
    """An error stands: after a stop too it may be about production, and only a stop without one ends as a stop."""
    raise SystemExit(code) from fail(sentence, code, stands=True)


def _open_the_closed() -> None:
    """What a shell closed (`>&-`) gets the null device, so that no file opened later is taken for a stream of ours."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number: this one
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _is_of_output(error: OSError) -> bool:
    """Whether standard output refuses what is left for it; if so, the null device takes its place and that is gone."""
    try:
        sys.stdout.flush()
    except OSError as again:
        _to_nowhere(sys.stdout)
        return again.errno == error.errno
    return False


def _to_nowhere(output: TextIO) -> None:
    """The null device takes its place."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, output.fileno())
    os.close(null)


def print_json(value: Any) -> None:
    """One JSON document on standard output, in ASCII: text from outside reaches a terminal as escapes only."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=True, default=str) + "\n")
    sys.stdout.flush()


def print_json_line(value: Any) -> None:
    """One JSON document on one line of standard output, for streams of them."""
    sys.stdout.write(json.dumps(value, ensure_ascii=True, default=str) + "\n")
    sys.stdout.flush()


def run_interruptible(
    work: Coroutine[Any, Any, T], stopped: Callable[[], str] | str = "stopped by a person", timed: bool = False
) -> T:
    """Run to the end; the first Ctrl-C (or SIGTERM) cancels once, further ones are told that restoring goes on.

    What is stopped ends with 130, also where the work makes a value of it that the command then says. `stopped` is the
    sentence to end with; a function is called after everything has come to rest, and may raise a Failure that stands.
    Work that measures times is `timed`: it runs on uvloop, which stamps sooner and costs half the CPU.
    """

    async def supervised() -> T:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()

        def interrupted() -> None:
            if task.cancelling():
                err.print("Still restoring production; please wait.", style="yellow", soft_wrap=True)
            else:
                said = "Stopping; if a server is being measured, production is brought back first."
                err.print(said, style="yellow", soft_wrap=True)
                if (stop := STOP.get()) is not None:
                    stop.asked = True
                task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, interrupted)
            except NotImplementedError:  # loops of Windows know no signals; there Python's own handler tells the loop
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(interrupted))
        return await task

    try:
        factory = import_module("uvloop").new_event_loop if timed else None  # nobody else waits for loading it
        with asyncio.Runner(loop_factory=factory) as runner:
            return runner.run(supervised())
    except asyncio.CancelledError:
        raise fail(stopped if isinstance(stopped, str) else stopped(), INTERRUPTED) from None
