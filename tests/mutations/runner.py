"""Runs pytest in a fork of a process that has loaded the libraries already: `python -m tests.mutations.runner`.

Reads a JSON list of arguments a line, answers with [status, last line]. It loads nothing of the project itself,
so that every fork imports the code as it lies there at that moment.
"""

import json
import os
import select
import signal
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import IO

import pytest

TEST_TIMEOUT_S = 240  # a mutation may make a test wait for ever; the slowest one chosen takes half a minute
TIMED_OUT, FAULT = 124, 125  # ours; pytest's own end at 5
# The suite makes warnings errors; this one says that a plugin was loaded before pytest, which is the point here.
HOW = ("-x", "-q", "-p", "no:cacheprovider", "--tb=line", "-W", "ignore::pytest.PytestAssertRewriteWarning")
LOADED = (
    "hypothesis", "hypothesis.extra.numpy", "pytest_asyncio", "pydantic", "sqlmodel", "rfc8785", "numpy",
    "scipy.special", "scipy.optimize", "scipy.stats", "httpx", "httpx2", "openai", "langgraph.graph",
    "langgraph.checkpoint.sqlite.aio", "git", "jinja2", "typer", "rich.progress", "detect_secrets", "markdown_it",
)  # fmt: skip


def run(arguments: Sequence[str]) -> tuple[int, str]:
    """Status and last line of one run of pytest, which takes at most TEST_TIMEOUT_S seconds."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
        pid = os.fork()
        if pid == 0:
            _be_pytest(arguments, out)
        handle = os.pidfd_open(pid)
        ended = select.select([handle], [], [], TEST_TIMEOUT_S)[0]
        os.close(handle)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # also what the test left running in its own session
        _, how = os.waitpid(pid, 0)
        out.seek(0)
        lines = [line.strip() for line in out if line.strip()]
    if not ended:
        return TIMED_OUT, f"did not end within {TEST_TIMEOUT_S} s"
    return os.waitstatus_to_exitcode(how), lines[-1] if lines else ""


def _be_pytest(arguments: Sequence[str], out: IO[str]) -> None:
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for to, source in ((0, nothing), (1, out.fileno()), (2, out.fileno())):
        os.dup2(source, to)
    status = FAULT
    try:
        status = int(pytest.main([*HOW, *arguments]))
    except BaseException:  # noqa: BLE001 - a fork ends here, whatever happened
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def main() -> None:
    """Answer until standard input ends."""
    for name in LOADED:
        with suppress(ImportError):
            import_module(name)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
