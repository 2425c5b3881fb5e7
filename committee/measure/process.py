"""The measuring process: its own session, its own signals, its own record. This side starts, watches and rejoins it.

A killed front office does not touch a measurement; a second start finds the same run and watches it to its end.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness import lease, procfs
from harness.workflow.events import MeasureEvent
from harness.workflow.order import Order
from harness.workflow.production import state_dir
from ledger.entries import RunEnd
from ledger.store import Ledger

POLL_S = 0.2  # how often the progress file is read; a display needs no more
ENDING_S = 900  # after Ctrl-C: a server's stop, memory's return and production's start fit into this


@dataclass(frozen=True)
class RunFiles:
    """Where one measuring run keeps what two processes share."""

    folder: Path

    @property
    def order(self) -> Path:
        """The order as the bench reads it."""
        return self.folder / "order.json"

    @property
    def progress(self) -> Path:
        """One JSON event a line."""
        return self.folder / "progress.jsonl"

    @property
    def words(self) -> Path:
        """What the bench's process printed."""
        return self.folder / "harness.log"


@dataclass(frozen=True)
class Ended:
    """How the measuring process ended; `outcome` is none when the run is not at its end and can be resumed."""

    outcome: str | None
    sentence: str


async def measure(
    workspace: Path, order: Order, files: RunFiles, ledger: Ledger, tell: Callable[[MeasureEvent], None]
) -> Ended:
    """Run the order to its end in a process of its own, or watch the one that already does."""
    files.folder.mkdir(parents=True, exist_ok=True)
    if not files.order.exists():
        files.order.write_text(order.to_json(), encoding="utf-8")
    if (ended := _end_of(ledger, order.run)) is not None:
        return ended
    tail = _Tail(files.progress, tell)
    running = lease.read(state_dir(workspace, order.target))
    if running is not None and running.run == order.run and procfs.same(running.pid, running.start_time):
        await _watch(running, tail)
    else:
        await _start_and_watch(workspace, files, tail)
    tail.read()
    return _end_of(ledger, order.run) or Ended(None, _last_words(files.words))


async def _start_and_watch(workspace: Path, files: RunFiles, tail: "_Tail") -> None:
    tail.skip()
    with files.words.open("ab") as words:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "harness", "measure", "--order", str(files.order)),
            *("--workspace", str(workspace), "--progress", str(files.progress), "--take-over"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,
        )
    ending = asyncio.ensure_future(process.wait())
    try:
        while not ending.done():
            tail.read()
            await asyncio.wait({ending}, timeout=POLL_S)
    except asyncio.CancelledError:
        process.send_signal(signal.SIGINT)
        await asyncio.wait_for(ending, ENDING_S)
        raise


async def _watch(running: lease.Holder, tail: "_Tail") -> None:
    try:
        while procfs.same(running.pid, running.start_time):
            tail.read()
            await asyncio.sleep(POLL_S)
    except asyncio.CancelledError:
        os.kill(running.pid, signal.SIGINT)
        raise


class _Tail:
    """Reads whole new lines of the progress file and tells them."""

    def __init__(self, path: Path, tell: Callable[[MeasureEvent], None]) -> None:
        self.path, self.tell, self.place = path, tell, 0

    def skip(self) -> None:
        """Start behind what an earlier process wrote."""
        self.place = self.path.stat().st_size if self.path.exists() else 0

    def read(self) -> None:
        """Tell every whole line since the last call."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self.place)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.place += len(line)
                self.tell(MeasureEvent(**json.loads(line)))


def _end_of(ledger: Ledger, run: str) -> Ended | None:
    for _, end in ledger.of(RunEnd, run=run):
        return Ended(end.outcome, end.detail)
    return None


def _last_words(path: Path) -> str:
    lines = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else "the measuring process ended without a word; start the same run again"
