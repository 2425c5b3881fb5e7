"""The measuring process: its own session, its own signals, its own record. This side starts, watches and rejoins it.

A killed front office does not touch a measurement; a second start finds the same run and watches it to its end.
"""

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from harness import lease, procfs
from harness.own_files import write_own
from harness.vocabulary.base import BadFileError
from harness.workflow.events import MeasureEvent
from harness.workflow.order import Order
from harness.workflow.production import state_dir
from ledger.entries import RunEnd
from ledger.store import Ledger

POLL_S = 0.2  # how often the progress file is read; a display needs no more
ENDING_S = 900  # after Ctrl-C: a server's stop, memory's return and production's start fit into this
REAPED_S = 5  # a process that is gone is reaped at once; no more than this is waited for it


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
    workspace: Path,
    order: Order,
    files: RunFiles,
    ledger: Ledger,
    tell: Callable[[MeasureEvent], None],
    words: Sequence[str] = (),
) -> Ended:
    """Run the order to its end in a process of its own, or watch the one that already does.

    `words` are more of that process's command line: on which terms it may take production; without `--yes` it does not.
    Cancelled, it asks that process to stop, waits until production is back, and is cancelled then.
    """
    files.folder.mkdir(parents=True, exist_ok=True)
    _keep(files.order, order)
    if (ended := _end_of(ledger, order.run)) is not None:
        return ended
    tail, said_before = _Tail(files.progress, tell), _size(files.words)
    running = _under_way(workspace, order)
    if running is not None:
        await _until_gone(running.pid, running.start_time, tail)
    else:
        tail.skip()
        await _start_and_watch(workspace, files, tail, words)
    return _end_of(ledger, order.run) or Ended(None, _last_words(files.words, said_before))


def begins(workspace: Path, order: Order, ledger: Ledger) -> bool:
    """Whether `measure` would start a process: the run is not at its end, and nobody measures it now."""
    return _end_of(ledger, order.run) is None and _under_way(workspace, order) is None


def _under_way(workspace: Path, order: Order) -> lease.Holder | None:
    """The process that measures this very order now."""
    held = lease.read(state_dir(workspace, order.target))
    alive = held is not None and held.run == order.run and procfs.same(held.pid, held.start_time)
    return held if alive else None


async def _start_and_watch(workspace: Path, files: RunFiles, tail: "_Tail", more: Sequence[str]) -> None:
    files.words.touch(mode=0o600)  # whatever it complains about is for this account, as its order is
    with files.words.open("ab") as words:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "harness", "measure", "--order", str(files.order)),
            *("--workspace", str(workspace), "--progress", str(files.progress), "--take-over-seen", *more),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,  # tables for a person; what it complains about is on standard error
            stderr=words,
            start_new_session=True,
        )
    reaped = asyncio.ensure_future(process.wait())
    try:
        await _until_gone(process.pid, procfs.start_time(process.pid), tail)
    finally:
        await asyncio.wait({reaped}, timeout=REAPED_S)


async def _until_gone(pid: int, start_time: int, tail: "_Tail") -> None:
    """Tell what happens until that process is gone; when cancelled, interrupt it first."""
    try:
        await _telling(pid, start_time, tail)
    except asyncio.CancelledError:
        procfs.send(pid, start_time, signal.SIGINT)
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDING_S):
                await _telling(pid, start_time, tail)
        raise


async def _telling(pid: int, start_time: int, tail: "_Tail") -> None:
    while procfs.same(pid, start_time):
        tail.read()
        await asyncio.sleep(POLL_S)
    tail.read()


class _Tail:
    """Reads whole new lines of the progress file and tells them."""

    def __init__(self, path: Path, tell: Callable[[MeasureEvent], None]) -> None:
        self.path, self.tell, self.place = path, tell, 0

    def skip(self) -> None:
        """Start behind what an earlier process wrote."""
        self.place = _size(self.path)

    def read(self) -> None:
        """Tell every whole line since the last call. A line that a killed process left half written is passed over."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self.place)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.place += len(line)
                event = _event(line)
                if event is not None:
                    self.tell(event)


def _event(line: bytes) -> MeasureEvent | None:
    try:
        return MeasureEvent(**procfs.json_of(line))
    except (ValueError, TypeError):
        return None


def _keep(path: Path, order: Order) -> None:
    """The order of the run's first start stands. One that a kill left half written is put there again, whole."""
    if path.exists():
        with suppress(BadFileError):
            if Order.from_json(path).run == order.run:
                return
    draft = path.with_suffix(".draft")
    write_own(draft, order.to_json().encode())  # it holds the target's private variables
    draft.replace(path)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _end_of(ledger: Ledger, run: str) -> Ended | None:
    for _, end in ledger.of(RunEnd, run=run):
        return Ended(end.outcome, end.detail)
    return None


def _last_words(path: Path, start: int) -> str:
    """The last line that the process printed, without those of earlier starts of the same run."""
    said = path.read_bytes()[start:].decode(errors="replace") if path.exists() else ""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if not lines:
        return "the measuring process ended without a word; its finished blocks are kept"
    if any(line.startswith("Traceback") for line in lines):
        return f"the measuring process failed ({lines[-1]}); please report what it wrote to {str(path)!r}"
    return lines[-1]
