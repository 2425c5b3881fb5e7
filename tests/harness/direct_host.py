"""A GuardedHost for tests that starts a real process directly: no guardian, the same interface."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import look, procfs
from harness.hosts.base import Held, NotStarted, ServerSpec


def start_ticks(pid: int) -> int | None:
    """Field 22 of /proc/PID/stat, none when the process is gone or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])


class DirectHost:
    """Keeps every process it started, so that a test can see that none is left."""

    def __init__(self, logs: Path) -> None:
        self.logs = logs
        self.started: dict[int, subprocess.Popen[bytes]] = {}
        self.specs: list[ServerSpec] = []

    async def start(self, spec: ServerSpec) -> Held | NotStarted:
        self.specs.append(spec)
        log = self.logs / f"{len(self.specs)}-{spec.label}.log"
        with log.open("wb") as sink:
            try:
                process = subprocess.Popen(
                    spec.argv, env=dict(spec.env), cwd=spec.cwd, stdout=sink, stderr=sink, start_new_session=True
                )
            except OSError as error:
                return NotStarted(f"{spec.argv[0]!r} cannot be started: {error.strerror}")
        self.started[process.pid] = process
        return Held(spec.label, process.pid, start_ticks(process.pid) or 0, log)

    async def stop(self, held: Held, grace_s: float) -> None:
        process = self.started[held.pid]
        for number, wait_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, 5.0)):
            if process.poll() is None:
                os.killpg(held.pid, number)
            try:
                await asyncio.wait_for(asyncio.to_thread(process.wait, wait_s), wait_s + 1)
            except subprocess.TimeoutExpired:
                continue
            return

    async def alive(self, held: Held) -> bool:
        return self.started[held.pid].poll() is None and start_ticks(held.pid) == held.start_time

    async def pids(self, held: Held) -> tuple[int, ...]:
        if not await self.alive(held):
            return ()
        tree = procfs.members("", lambda label: False, {held.pid: held.start_time})
        return (held.pid, *sorted(set(tree) - {held.pid}))

    async def read_log(self, held: Held) -> str:
        return held.log.read_text(errors="replace")

    async def memory_available_mib(self) -> int:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) // 1024

    async def reach(self, url: str) -> str:
        return url

    async def look(self, question: Mapping[str, Any]) -> Any:
        own = {"pids": [*question["pids"], os.getpid()]} if question["ask"] == "machine" else {}
        return look.answer({**question, **own})

    def living(self) -> tuple[int, ...]:
        """Pids that still run: empty after every well-behaved test."""
        return tuple(pid for pid, process in self.started.items() if process.poll() is None)
