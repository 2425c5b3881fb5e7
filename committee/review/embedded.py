"""The embedded reviewer: a small real model in a llama.cpp server of its own on the CPU, for as long as one call."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from harness.adapters.base import bare_environment

SHIPPED_ENGINE = (
    sys.executable, "-m", "harness.engines.llamacpp", "--model", "demo", "--ctx-size", "8192", "--n-parallel", "1",
    "--threads", "2", "--port", "0", "--alias", "demo", "--exit-with-parent",
)  # fmt: skip
START_TIMEOUT_S = 120.0  # putting the model together the first time takes most of it
STOP_TIMEOUT_S = 10.0
MAX_LOG_LINE_BYTES = 4_000_000  # the engine prints whole chat templates
LISTENING = re.compile(r"listening on (?P<url>http://127\.0\.0\.1:\d+)")


class EngineNotStartedError(RuntimeError):
    """The embedded model's server ended, or said nothing, before it was ready."""


@asynccontextmanager
async def embedded_model(argv: Sequence[str] = ()) -> AsyncIterator[str]:
    """Start the server, wait for its own log, yield its base URL, stop it by pid.

    Raises EngineNotStartedError.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *(argv or SHIPPED_ENGINE),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=bare_environment() | {"OMP_WAIT_POLICY": "passive"},  # spinning threads stall on a busy machine
            limit=MAX_LOG_LINE_BYTES,
        )
    except OSError as error:
        raise EngineNotStartedError(f"the embedded model could not be started ({error.strerror})") from error
    log = asyncio.StreamReader() if process.stderr is None else process.stderr
    draining: asyncio.Task[None] | None = None
    try:
        url = await _ready(log)
        draining = asyncio.create_task(_drain(log))  # a full pipe would stop the server
        yield f"{url}/v1"
    finally:
        await _stop(process)
        if draining is not None:
            await draining


async def _ready(log: asyncio.StreamReader) -> str:
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            while line := await log.readline():
                found = LISTENING.search(line.decode("utf-8", "replace"))
                if found:
                    return found["url"]
    except (TimeoutError, ValueError) as error:
        raise EngineNotStartedError(f"the embedded model was not ready within {START_TIMEOUT_S:g} s") from error
    raise EngineNotStartedError("the embedded model ended before it was ready; run 'harness doctor' for its words")


async def _drain(log: asyncio.StreamReader) -> None:
    while await log.read(65_536):
        pass


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
