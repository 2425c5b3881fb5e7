"""A simulator for a test: a real process with its log, ended whatever happens; waits are for words, never for time."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from harness.procfs import stat

ROOT = Path(__file__).resolve().parents[3]
QUICK = ("--port", "0", "--time-scale", "0.01", "--start-s", "1")
LIMIT_S = 40.0


class Simulated:
    """A simulator that was started; `log` grows as it is read."""

    def __init__(self, process: Process, log: Path) -> None:
        self.process, self.path = process, log

    @property
    def log(self) -> str:
        return self.path.read_text()

    @property
    def url(self) -> str:
        """Its base address. Raises IndexError before it has said so."""
        return str(re.findall(r"(https?://\S+)", self.log)[-1])

    async def said(self, words: str) -> str:
        """Wait until its log holds the words or it has ended; the log."""
        deadline = asyncio.get_running_loop().time() + LIMIT_S
        while words not in self.log and self.process.returncode is None:
            assert asyncio.get_running_loop().time() < deadline, f"its log never said {words!r}: {self.log[-500:]}"
            await asyncio.sleep(0.02)
        return self.log

    async def ended(self) -> int:
        """Wait for its end; its exit status."""
        async with asyncio.timeout(LIMIT_S):
            return await self.process.wait()

    def workers(self) -> list[int]:
        """Pids of the workers by rank, as their log lines say."""
        found = dict(re.findall(r"Worker_TP(\d+) pid=(\d+)", self.log))
        return [int(pid) for _, pid in sorted(found.items())]


@asynccontextmanager
async def started(folder: Path, *words: str, ready: str = "Application startup complete") -> AsyncIterator[Simulated]:
    """Start one and wait until it is ready (or has ended); afterwards nothing of it is left."""
    log = folder / "simulator.log"
    with log.open("wb") as sink:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "harness.simulator", *QUICK, *words),
            stdin=DEVNULL,
            stdout=sink,
            stderr=sink,
            cwd=ROOT,
            start_new_session=True,
        )
    simulated = Simulated(process, log)
    try:
        await simulated.said(ready)
        yield simulated
    finally:
        workers = simulated.workers()
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        await simulated.ended()
        for pid in workers:
            await gone(pid)


async def gone(pid: int) -> bool:
    """End a process of a test's own and wait until it is gone."""
    async with asyncio.timeout(LIMIT_S):
        while (found := stat(pid)) is not None and found.runs:
            os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.02)
    return True


async def left(pids: Sequence[int]) -> None:
    """Wait until all of them have ended by themselves."""
    deadline = asyncio.get_running_loop().time() + LIMIT_S
    while any(lives(pid) for pid in pids):
        assert asyncio.get_running_loop().time() < deadline, f"some of {list(pids)} live on"
        await asyncio.sleep(0.02)


def lives(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    found = stat(pid)
    return found is not None and found.runs
