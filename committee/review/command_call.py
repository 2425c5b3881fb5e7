"""One call to a command-line agent: a process of its own with the prompt on standard input (lesson C6).

It sees an empty folder with a copy of the revision, three environment variables and nothing of ours (lesson C8). What
it prints on standard output is its answer.
"""

import asyncio
import os
import re
import signal
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from committee.review.order import Edge, Order
from committee.review.received import Received
from committee.vocabulary.exclusion import Reason

MAX_OUTPUT_BYTES = 2_000_000
KEPT_ERROR_BYTES = 20_000  # of standard error: enough to see why an agent failed
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
# What agents print when their own service never began (lesson C1); read only after a failure or silence.
NEVER_BEGAN = re.compile(
    rb"thread[ /]?start(ing)? failed|failed to start( a| the)? (thread|session|conversation)", re.IGNORECASE
)
BETWEEN = b"\n--- standard error ---\n"


@dataclass(frozen=True)
class _Ended:
    status: int
    output: bytes
    error: bytes


async def call_command(order: Order, edge: Edge) -> Received:
    """Run the agent within the reviewer's wall clock; its whole process group is gone afterwards."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="committee-agent-", ignore_cleanup_errors=True) as scratch:
        folder, home = _write_copy(Path(scratch), order.files)
        received = await _outcome(order, folder, _scrubbed(edge.environ, home))
    return replace(received, elapsed_s=time.monotonic() - begun)


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


def _received(ended: _Ended) -> Received:
    silent = not ended.output.strip()
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


async def _run(order: Order, folder: Path, env: Mapping[str, str]) -> _Ended:
    process = await asyncio.create_subprocess_exec(
        *order.reviewer.argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        env=dict(env),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(order.reviewer.timeout_s):
            _, output, error, status = await asyncio.gather(
                _feed(process, order.prompt.encode()),
                _first(process),
                _last(process.stderr),
                process.wait(),
            )
        return _Ended(status, output, error)
    finally:
        _kill_group(process)  # also what it left running behind it
        await process.wait()


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def _feed(process: asyncio.subprocess.Process, prompt: bytes) -> None:
    if process.stdin is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):  # an agent may end without reading
        process.stdin.write(prompt)
        await process.stdin.drain()
    process.stdin.close()


async def _first(process: asyncio.subprocess.Process) -> bytes:
    """Standard output up to one byte over the limit; an agent that prints more is killed at once."""
    read = bytearray()
    while process.stdout is not None and (piece := await process.stdout.read(65_536)):
        read += piece
        if len(read) > MAX_OUTPUT_BYTES:
            _kill_group(process)
            break
    return bytes(read)


async def _last(stream: asyncio.StreamReader | None) -> bytes:
    read = b""
    while stream is not None and (piece := await stream.read(65_536)):
        read = (read + piece)[-KEPT_ERROR_BYTES:]
    return read


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
