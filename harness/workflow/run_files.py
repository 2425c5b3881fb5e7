"""What a measuring run keeps outside the ledger: its order, its events, who runs it, and a person's wish to stop it.

All of it is for looking and for asking; the ledger alone says what was measured.
"""

import os
import socket
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from harness import procfs

WORKSPACE = "workspace"  # below the folder that a target's file names for another machine
RUNS = Path(".committee") / "runs"  # below the workspace; the front office keeps its runs there too


class Wish(StrEnum):
    """How a person wants a run to stop; production comes back either way."""

    AFTER_BLOCK = "after the block"  # the block that runs is finished and kept
    NOW = "now"  # it is broken off and discarded


@dataclass(frozen=True)
class Runner:
    """The process that measures a run, or waits to."""

    run: str
    target: str
    pid: int
    start_time: int  # clock ticks since boot, field 22 of /proc/PID/stat
    boot: str  # which boot start_time counts from
    host: str
    since: float  # seconds since 1970
    window: str = ""  # as it was written; empty where it may run at any time

    @property
    def alive(self) -> bool:
        """Whether that very process still runs on this machine."""
        return self.host == socket.gethostname() and self.boot == procfs.boot_id() and self._same

    @property
    def _same(self) -> bool:
        return procfs.same(self.pid, self.start_time)


@dataclass(frozen=True)
class RunFiles:
    """The folder of one run."""

    folder: Path

    @classmethod
    def of(cls, workspace: Path, run: str) -> "RunFiles":
        """The folder of a run in a workspace, there or not."""
        return cls(workspace / RUNS / run)

    @property
    def order(self) -> Path:
        """The order as the bench reads it."""
        return self.folder / "order.json"

    @property
    def far(self) -> Path:
        """Where the run went, if it is not this machine's."""
        return self.folder / "far.json"

    @property
    def events(self) -> Path:
        """One JSON event a line; append-only, of bounded size."""
        return self.folder / "progress.jsonl"

    @property
    def words(self) -> Path:
        """What a detached process printed."""
        return self.folder / "harness.log"

    def enter(self, run: str, target: str, window: str) -> Runner:
        """Write down that this process measures the run; an old wish to stop it is void."""
        self.folder.mkdir(parents=True, exist_ok=True)
        pid = os.getpid()
        me = Runner(
            run, target, pid, procfs.start_time(pid), procfs.boot_id(), socket.gethostname(), time.time(), window
        )
        (self.folder / "stop.json").unlink(missing_ok=True)
        procfs.write_atomically(self.folder / "runner.json", asdict(me))
        return me

    def runner(self) -> Runner | None:
        """Who measures or measured it last, none if nobody wrote it down."""
        found = _json(self.folder / "runner.json")
        with suppress(TypeError):
            return Runner(**found) if found else None
        return None

    def ask_to_stop(self, wish: Wish) -> None:
        """Leave the wish for the process that measures. A stronger one replaces a weaker one, never the reverse."""
        if self.wish() is not Wish.NOW:
            procfs.write_atomically(self.folder / "stop.json", {"wish": wish.value, "at": time.time()})

    def wish(self) -> Wish | None:
        """What a person asked for, none if nothing."""
        found = _json(self.folder / "stop.json").get("wish")
        return Wish(found) if found in tuple(Wish) else None


@dataclass(frozen=True)
class FarRun:
    """Where a run went; written down in the run's folder here."""

    run: str
    target: str
    ssh: str
    folder: str
    python: str

    @classmethod
    def of(cls, files: RunFiles) -> "FarRun | None":
        """Where that run went, none if it is this machine's."""
        try:
            return cls(**procfs.json_of(files.far.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def words(self, *words: str) -> tuple[str, ...]:
        """A command of the harness there, in its workspace."""
        return (self.python, "-P", "-m", "harness", *words, "--workspace", f"{self.folder}/{WORKSPACE}")


def known_runs(workspace: Path) -> tuple[str, ...]:
    """Every run that has a folder in the workspace; ids begin with their date, so the newest is last."""
    folder = workspace / RUNS
    return tuple(sorted(path.name for path in folder.iterdir() if path.is_dir())) if folder.is_dir() else ()


def _json(path: Path) -> dict[str, Any]:
    """The JSON object in a file, empty where there is none that can be read."""
    try:
        value = procfs.json_of(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
