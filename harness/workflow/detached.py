"""A run as a process of its own session: it is not tied to a terminal, to an ssh connection or to whoever began it."""

import os
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from harness import procfs
from harness.own_files import write_own
from harness.vocabulary.base import BadFileError
from harness.workflow.drain import Politeness, WhenBusy
from harness.workflow.night import Hours
from harness.workflow.order import Order
from harness.workflow.run_files import RunFiles, Runner

ENTER_S = 60.0  # loading the libraries takes a second on an idle machine; a starved one was seen to need thirty
POLL_S = 0.05


@dataclass(frozen=True)
class Terms:
    """On which terms a run may take production: when, whom it waits for, and whether it takes over a stale lease."""

    hours: Hours = field(default_factory=Hours)
    politeness: Politeness = field(default_factory=Politeness)
    take_over: bool = False
    stricter: bool = False  # a person's word: gates may ask for more than the accepted baseline passed

    @property
    def words(self) -> tuple[str, ...]:
        """The same terms on a command line."""
        said: list[str] = []
        if self.hours.window:
            said += ["--window", str(self.hours.window)]
        if self.hours.once:
            said.append("--once")
        if self.politeness.when_busy is WhenBusy.DRAIN:
            said += ["--when-busy", WhenBusy.DRAIN.value, "--drain-limit-s", f"{self.politeness.limit_s:g}"]
        if self.politeness.users_accept:
            said.append("--users-accept")
        if self.take_over:
            said.append("--take-over")
        if self.stricter:
            said.append("--stricter")
        return tuple(said)


@dataclass(frozen=True)
class NotDetached:
    """The process ended before it came to anything; the sentence is its own."""

    sentence: str


def keep(workspace: Path, order: Order) -> RunFiles:
    """The order as a file of its run: without it a stopped run could not be taken up again. The first one stands.

    Raises BadFileError where the run has another order already.
    """
    files = RunFiles.of(workspace, order.run)
    files.folder.mkdir(parents=True, exist_ok=True)
    kept = _read(files.order)
    if kept is not None:
        if kept != order:
            raise BadFileError(
                f"run {order.run} has another order in {str(files.order)!r}; go on with that one, or order a new run"
            )
        return files
    draft = files.order.with_suffix(".draft")
    write_own(draft, order.to_json().encode())  # it holds the target's private variables
    draft.replace(files.order)
    return files


def _read(path: Path) -> Order | None:
    """The order in a file; none where there is none, or where a kill left it half written."""
    try:
        return Order.from_json(path) if path.exists() else None
    except BadFileError:
        return None


def detach(workspace: Path, order: Order, terms: Terms) -> Runner | NotDetached:
    """Start the run in a session of its own and wait until it has begun to look after itself. Raises BadFileError."""
    files = keep(workspace, order)
    if said := under_way(files):
        return NotDetached(said)
    start, pid = _size(files.words), _spawn(workspace, files, terms)
    started, deadline = procfs.start_time(pid), time.monotonic() + ENTER_S
    while time.monotonic() < deadline:
        now = files.runner()
        if now is not None and (now.pid, now.start_time) == (pid, started):
            return now
        if not procfs.same(pid, started):
            break
        time.sleep(POLL_S)
    else:
        procfs.send(pid, started, signal.SIGTERM)
    said = files.words.read_bytes()[start:].decode(errors="replace").strip() or f"it said nothing in {ENTER_S:g} s"
    return NotDetached(said.splitlines()[-1])


def under_way(files: RunFiles) -> str:
    """Who measures the run already, in a sentence; empty if nobody else does."""
    before = files.runner()
    if before is None or not before.alive or before.pid == os.getpid():
        return ""
    return f"run {before.run} is under way already, pid {before.pid}; watch it with 'harness attach {before.run}'"


def _spawn(workspace: Path, files: RunFiles, terms: Terms) -> int:
    """The process: own session, no terminal, its words in a file, signals as the system has them by default."""
    argv = [
        *(sys.executable, "-m", "harness", "measure", "--order", str(files.order), "--workspace", str(workspace)),
        *("--progress", str(files.events), "--yes", *terms.words),
    ]
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return os.posix_spawn(
        sys.executable,
        argv,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(files.words), append, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigmask=[],
        setsigdef=[signal.SIGINT, signal.SIGTERM],
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
