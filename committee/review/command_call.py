"""One call to a command-line agent: a process of its own with the prompt on standard input (lesson C6).

It sees a folder with a copy of the revision, three environment variables and a marker by which what it starts is found,
and nothing of ours (lesson C8); where bubblewrap is installed it sees no other file either. What it prints on standard
output is its answer.
"""

import asyncio
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from committee.review.confine import confined
from committee.review.order import Edge, Order
from committee.review.plain_process import Ended, launched, needed_of_host, run_plainly
from committee.review.received import Received
from committee.vocabulary.exclusion import Reason
from harness import procfs

MAX_OUTPUT_BYTES = 2_000_000
KEPT_ERROR_BYTES = 20_000  # of standard error: enough to see why an agent failed
GRACE_S = 1.0  # for output still on its way when the agent itself has ended
REMOVE_S = 60.0  # for each of two programs, of a folder that an agent filled
KILL_ROUNDS, KILL_PAUSE_S = 50, 0.02
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
# What agents print when their own service never began (lesson C1); read only after a failure or silence.
NEVER_BEGAN = re.compile(
    rb"thread[ /]?start(ing)? failed|failed to start( a| the)? (thread|session|conversation)", re.IGNORECASE
)
NOT_INSIDE = re.compile(rb"^bwrap: execvp ", re.MULTILINE)
BETWEEN = b"\n--- standard error ---\n"


async def call_command(order: Order, edge: Edge) -> Received:
    """Run the agent within the reviewer's wall clock; what it started is gone afterwards, as far as it can be found."""
    begun = time.monotonic()
    async with _scratch() as scratch:
        folder, home = _write_copy(scratch, order.files)
        env = _scrubbed(edge.environ, home)
        if os.name != "posix":
            env |= needed_of_host(edge.environ)
        received = await _outcome(_shut_in(order, edge, (folder, home), env), folder, env)
    return replace(received, elapsed_s=time.monotonic() - begun)


@asynccontextmanager
async def _scratch() -> AsyncIterator[Path]:
    """A folder of the agent's own, removed afterwards whatever the agent made of it."""
    folder = Path(tempfile.mkdtemp(prefix="committee-agent-"))
    try:
        yield folder
    finally:
        await asyncio.to_thread(_remove, folder)


def _remove(folder: Path) -> None:
    """Not with `TemporaryDirectory`: it may change the rights of what an agent's link points to, and folders in folders

    without end are more than Python's own ways can walk. Neither program here follows a link.
    """
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    for argv in (("chmod", "-R", "u+rwx", str(folder)), ("rm", "-rf", "--", str(folder))):
        if os.name == "posix" and folder.exists():
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=REMOVE_S, check=False)


def _shut_in(order: Order, edge: Edge, own: tuple[Path, Path], env: Mapping[str, str]) -> Order:
    """The order with bubblewrap around the agent where it is installed; a program that is not there says so itself."""
    reviewer = order.reviewer
    if edge.bwrap is None or not reviewer.confined or shutil.which(reviewer.argv[0], path=env["PATH"]) is None:
        return order
    argv = confined(edge.bwrap, reviewer.argv, own, reviewer.readable)
    return replace(order, reviewer=reviewer.model_copy(update={"argv": argv}))


async def _outcome(order: Order, folder: Path, env: Mapping[str, str]) -> Received:
    reviewer = order.reviewer
    try:
        ended = await _run(order, folder, env)
    except TimeoutError:
        return Received("command", b"", Reason.TIMED_OUT, f"no end within {reviewer.timeout_s:g} s")
    except OSError as error:
        detail = f"{reviewer.argv[0]!r} could not be started ({error.strerror})"
        return Received("command", b"", Reason.COULD_NOT_START, detail, sent=0)
    if len(ended.output) > MAX_OUTPUT_BYTES:
        return Received("command", b"", Reason.TOO_LONG, f"more than {MAX_OUTPUT_BYTES} bytes of output")
    return _received(ended)


def _received(ended: Ended) -> Received:
    silent = not ended.output.strip()
    if silent and ended.status and NOT_INSIDE.search(ended.error):
        detail = "the agent's program is not in the folders it may read when shut in; add its folder to `readable`"
        return Received("command", ended.error, Reason.COULD_NOT_START, detail, sent=0)
    both = ended.output + BETWEEN + ended.error if ended.error else ended.output
    if (silent or ended.status) and NEVER_BEGAN.search(both):
        detail = "the agent says that it could not start its own session"
        return Received("command", both, Reason.COULD_NOT_START, detail)
    if ended.status and silent:
        detail = f"the agent ended with status {ended.status} before it said anything"
        return Received("command", both, Reason.COULD_NOT_START, detail)
    if ended.status:
        detail = f"the agent ended with status {ended.status}"
        return Received("command", both, Reason.BAD_EXIT, detail)
    return Received("command", ended.output)


async def _run(order: Order, folder: Path, env: Mapping[str, str]) -> Ended:
    if os.name != "posix":
        argv = launched(order.reviewer.argv, shutil.which(order.reviewer.argv[0], path=env["PATH"]))
        return await run_plainly(argv, order.prompt.encode(), (folder, env), order.limit_s, MAX_OUTPUT_BYTES)
    word, output, error = secrets.token_hex(8), bytearray(), bytearray()
    async with _pipe() as (out, out_end), _pipe() as (err, err_end):
        with tempfile.TemporaryFile() as prompt, out_end, err_end:
            prompt.write(order.prompt.encode())
            prompt.seek(0)
            process = await asyncio.create_subprocess_exec(
                *order.reviewer.argv,
                stdin=prompt,
                stdout=out_end,
                stderr=err_end,
                cwd=folder,
                env={**env, procfs.MARKER: f"{word}:agent"},
                start_new_session=True,
            )
        root = {process.pid: procfs.start_time(process.pid)}
        reading = [asyncio.create_task(_first(out, output, process)), asyncio.create_task(_last(err, error))]
        try:
            async with asyncio.timeout(order.limit_s):
                status = await process.wait()
                await asyncio.wait(reading, timeout=GRACE_S)
            return Ended(status, bytes(output), bytes(error))
        finally:
            _kill_group(process)
            await _kill_rest(word, root)  # also what it left running in a session of its own
            for task in reading:
                task.cancel()
            await process.wait()


@asynccontextmanager
async def _pipe() -> AsyncIterator[tuple[asyncio.StreamReader, IO[bytes]]]:
    """A stream and the end that is written to. A pipe of our own can be closed while a stranger still holds its end."""
    reading, writing = (os.fdopen(end, mode, buffering=0) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
    stream = asyncio.StreamReader()
    with reading, writing:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), reading
        )
        try:
            yield stream, writing
        finally:
            transport.close()


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def _kill_rest(word: str, root: dict[int, int]) -> None:
    """End whatever carries this call's marker; again while it starts others, within limits."""
    for _ in range(KILL_ROUNDS):
        rest = procfs.members(word, lambda _label: True, root)
        for pid, started in rest.items():
            procfs.send(pid, started, signal.SIGKILL)
        if not rest:
            return
        await asyncio.sleep(KILL_PAUSE_S)


async def _first(stream: asyncio.StreamReader, read: bytearray, process: asyncio.subprocess.Process) -> None:
    """Standard output up to one byte over the limit; an agent that prints more is killed at once."""
    while piece := await stream.read(65_536):
        read += piece
        if len(read) > MAX_OUTPUT_BYTES:
            _kill_group(process)
            return


async def _last(stream: asyncio.StreamReader, read: bytearray) -> None:
    while piece := await stream.read(65_536):
        read += piece
        del read[:-KEPT_ERROR_BYTES]


def _scrubbed(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    return {"PATH": environ.get("PATH", DEFAULT_PATH), "LANG": environ.get("LANG", "C.UTF-8"), "HOME": str(home)}


def _write_copy(scratch: Path, files: tuple[tuple[str, bytes], ...]) -> tuple[Path, Path]:
    """A copy of the revision and an empty home beside it."""
    folder, home = scratch / "revision", scratch / "home"
    folder.mkdir()
    home.mkdir()
    for path, content in files:
        place = folder / path
        if not place.resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"the revision holds {path!r}, which leads outside it")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return folder, home
