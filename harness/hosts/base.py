"""The interface between a measuring run and the host that carries the server: nouns and verbs, no policy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from harness.overlay.values import ChangedFile, FileChange, NotChanged


@dataclass(frozen=True)
class ServerSpec:
    """What to start: never a shell line, never an inherited environment."""

    label: str  # "production", or the launch id
    argv: tuple[str, ...]
    env: tuple[tuple[str, str], ...]  # the whole environment of the process
    cwd: Path
    ready_pattern: str  # regular expression; a group named url gives the base address
    ready_timeout_s: float
    grace_s: float  # seconds between SIGTERM and SIGKILL


@dataclass(frozen=True)
class Held:
    """A running process that cannot be confused with another: pid and start time (clock ticks since boot)."""

    label: str
    pid: int
    start_time: int
    log: Path  # the server's own standard output and error, fresh for this start


@dataclass(frozen=True)
class NotStarted:
    """The server could not be started at all (command missing, guardian gone)."""

    detail: str


@dataclass(frozen=True)
class FileStat:
    """A file of the host."""

    bytes: int
    mode: int  # permission bits
    sha256: str


@dataclass(frozen=True)
class Ran:
    """A command that was run on the host and has ended."""

    code: int | None  # none when it was ended because its time was up
    output: str  # standard output and error together, undecodable bytes replaced


class WatchedHost(Protocol):
    """What can be seen of a host without touching it."""

    async def alive(self, held: Held) -> bool:
        """Whether that very process still runs."""

    async def pids(self, held: Held) -> tuple[int, ...]:
        """The pids of its process tree, itself first; empty when it is gone."""

    async def read_log(self, held: Held) -> str:
        """Everything the server has written so far, undecodable bytes replaced."""

    async def memory_available_mib(self) -> int:
        """Memory available on the host, MiB."""

    async def reach(self, url: str) -> str:
        """The address under which a server of that host is reached from here; on this machine the same."""

    async def look(self, question: Mapping[str, Any]) -> Any:
        """The answer of `harness.look.answer` given on that host, where `harness.hosts.looking` makes it typed.

        A question about the machine counts a harness that runs there as its own, not as somebody else.
        """


class GuardedHost(WatchedHost, Protocol):
    """What a launch needs of the host. Implemented over the guardian; each call is safe to repeat."""

    async def start(self, spec: ServerSpec) -> Held | NotStarted:
        """Start a server under the guardian; returns when the process exists, not when it is ready."""

    async def stop(self, held: Held, grace_s: float) -> None:
        """End the whole process tree of `held`, by pid and start time, and wait until it is gone."""


class WorkedHost(GuardedHost, Protocol):
    """What applying an arm needs besides: files of the host, and commands run there under the guardian."""

    async def read(self, path: Path, offset: int = 0) -> bytes | None:
        """At most 256 KiB of a file from `offset` on; none if there is no such file."""

    async def stat(self, path: Path) -> FileStat | None:
        """Size, mode and hash of a file; none if there is no such file."""

    async def put(self, path: Path, content: bytes, mode: int = 0o644) -> None:
        """Write a file whole, in one step; its folders are made."""

    async def run(self, spec: ServerSpec, timeout_s: float) -> Ran | NotStarted:
        """Run a command to its end; it is ended with the run, like an arm. `ready_pattern` and `ready_timeout_s` of
        the spec do not count."""


class ChangingHost(GuardedHost, Protocol):
    """What a launch that changes files needs besides. The guardian does it, and undoes it whoever is gone."""

    async def change(self, label: str, changes: Sequence[FileChange]) -> tuple[ChangedFile, ...] | NotChanged:
        """Change the files of one launch, all or none. Only within a run, with production down."""

    async def undo(self) -> tuple[str, ...] | NotChanged:
        """Change them back and check it: a sentence for each thing that was not as it should be. Safe to repeat.

        NotChanged where a file could not be mended: production is then not started before a person has looked.
        """


@dataclass(frozen=True)
class ReadyLine:
    """The server's own log said ready."""

    url: str | None  # the pattern's group `url`, if it has one
    line: str  # the whole line that matched
    seconds: float  # since the wait began


@dataclass(frozen=True)
class NotReady:
    """The server's own log did not say ready."""

    detail: str  # the last lines of its own log that look like errors
    ended: bool  # it ended; otherwise the time was up


@dataclass(frozen=True)
class Production:
    """What a host's guardian knows about production."""

    spec: ServerSpec | None  # what is started as production; none when nothing was ever recorded
    wanted: bool  # whether it should be up
    held: Held | None  # the process, if it runs now
    url: str | None  # base address from its ready line
    started_as: ServerSpec | None = None  # what `held` was started with; `spec` is for the next start
    former: ServerSpec | None = None  # a new one is on probation: this one comes back unless that is kept
