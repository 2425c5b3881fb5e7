"""Running an agent where there are no process groups and no pipes of our own to read: Windows.

The agent itself is ended after its time; what it started and left running is not found here.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = (".cmd", ".bat")  # started by the shell that reads them
KEPT_OF_HOST = ("SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "TMP")  # without these no program starts on Windows
PIECE_BYTES = 65_536
GRACE_S = 5.0  # for a killed agent to be gone; one whose child holds its pipes is not waited for


@dataclass(frozen=True)
class Ended:
    """How it ended and what it said."""

    status: int
    output: bytes
    error: bytes


def launched(argv: Sequence[str], program: str | None, comspec: str = "cmd.exe") -> tuple[str, ...]:
    """The command line for the program that `argv` names and that was found at `program`; `argv` where it was not."""
    if program is None:
        return tuple(argv)
    if program.lower().endswith(SCRIPTS):
        return (comspec, "/d", "/c", program, *argv[1:])
    return (program, *argv[1:])


def needed_of_host(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that say nothing of a person and without which Windows starts no program."""
    return {name: environ[name] for name in KEPT_OF_HOST if name in environ}


async def run_plainly(
    argv: Sequence[str], prompt: bytes, place: tuple[Path, Mapping[str, str]], timeout_s: float, most: int
) -> Ended:
    """Run in a folder with an environment, the prompt on standard input; output up to one byte over `most`.

    Raises TimeoutError, and OSError where it cannot be started.
    """
    pipe = asyncio.subprocess.PIPE
    folder, env = place
    process = await asyncio.create_subprocess_exec(
        *argv, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=dict(env)
    )
    into, out, err = process.stdin, process.stdout, process.stderr
    if into is None or out is None or err is None:
        raise OSError("its pipes were not opened")
    try:
        async with asyncio.timeout(timeout_s):
            _, output, error = await asyncio.gather(
                _give(into, prompt), _read(out, most, process), _read(err, most, process)
            )
            return Ended(await process.wait(), output, error)
    finally:
        _kill(process)
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await process.wait()


async def _give(to: asyncio.StreamWriter, prompt: bytes) -> None:
    """An agent that does not read its prompt has said what it thinks of it; that is no fault of ours."""
    try:
        to.write(prompt)
        await to.drain()
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        to.close()


async def _read(stream: asyncio.StreamReader, most: int, process: asyncio.subprocess.Process) -> bytes:
    """To its end; an agent that says more than is kept is killed, and the rest of it let go."""
    read = bytearray()
    while piece := await stream.read(PIECE_BYTES):
        if len(read) <= most:
            read += piece
        else:
            _kill(process)
    return bytes(read)


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
