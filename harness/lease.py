"""One measurement per target: a lease names its holder, cannot be raced, and is stale once the holder is gone."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from harness import procfs
from harness.account import account_name
from harness.own_files import closed_folder

# Held while a person's command handles production; nothing to resume when it was killed.
TAKE_OVER = "give this command once more with --take-over"
IF_GONE = "if it is gone for good, give `harness start`, `stop`, `measure` or `profile` with --take-over"
COMMANDS = ("start", "stop", "deploy")


@dataclass(frozen=True)
class Holder:
    """Who measures; the content of lease.json."""

    owner: str  # user@host
    pid: int
    start_time: int  # clock ticks since boot, field 22 of /proc/PID/stat
    boot: str  # which boot start_time counts from
    run: str
    since: float  # seconds since 1970
    through: str = ""  # over ssh: user@host of the harness that this process stands for

    @property
    def host(self) -> str:
        """The machine that it measures from, by its own name."""
        return self.owner.rpartition("@")[2]

    @property
    def lives(self) -> bool:
        """Whether that very process is seen to run here."""
        return self.boot == procfs.boot_id() and procfs.same(self.pid, self.start_time)


@dataclass(frozen=True)
class LeaseHeld:
    """The lease was not given."""

    sentence: str  # who holds it and what to do
    stale: bool  # the holder is gone: take_over would give it


@dataclass(frozen=True)
class Lease:
    """Held until released or until this process is gone; use it with `with`."""

    state_dir: Path
    holder: Holder

    @classmethod
    def take(cls, state_dir: Path, run: str, *, take_over: bool = False, through: str = "") -> "Lease | LeaseHeld":
        """Take the lease of a target's state directory.

        A holder that is gone is replaced if it measured the same run or if `take_over` is set; a live one never. A file
        that names nobody is replaced only if `take_over` is set; one of another host never (`forget_elsewhere`).
        """
        closed_folder(state_dir)  # what the guardian keeps there holds private variables
        mine = _myself(run, through)
        with _alone(state_dir):
            found = _written(state_dir)
            if isinstance(found, Holder) and (held := _refusal(found, mine, take_over)):
                return held
            if isinstance(found, LeaseHeld) and not take_over:
                return found
            procfs.write_atomically(state_dir / "lease.json", asdict(mine))
        return cls(state_dir, mine)

    def release(self) -> None:
        """Give it back; a lease that somebody took over meanwhile is left alone."""
        with _alone(self.state_dir):
            if read(self.state_dir) == self.holder:
                (self.state_dir / "lease.json").unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


def read(state_dir: Path) -> Holder | None:
    """Who holds the lease, alive or not; none if nobody does, or if the file does not say who."""
    found = _written(state_dir)
    return found if isinstance(found, Holder) else None


def kept_for(state_dir: Path, run: str) -> str | None:
    """Who took the lease for `run` and may be at it now: it lives, or cannot be seen from here. None otherwise."""
    found = read(state_dir)
    held = _refusal(found, _myself(""), take_over=True) if found and found.run == run else None
    return held.sentence if held else None


def forget_elsewhere(state_dir: Path) -> None:
    """Forget a lease of another host: a person has looked there and says that its holder is gone.

    One of this machine stays, and so does one whose very process is seen here, whatever the machine is called by now.
    """
    if not (state_dir / "lease.json").exists():
        return
    with _alone(state_dir):
        found = read(state_dir)
        if found and found.host != socket.gethostname() and not found.lives:
            (state_dir / "lease.json").unlink()


def _myself(run: str, through: str = "") -> Holder:
    pid, owner = os.getpid(), f"{account_name()}@{socket.gethostname()}"
    return Holder(owner, pid, procfs.start_time(pid), procfs.boot_id(), run, time.time(), through)


def _written(state_dir: Path) -> Holder | LeaseHeld | None:
    """What stands in lease.json; a refusal where nobody can be read from it."""
    path = state_dir / "lease.json"
    try:
        holder = Holder(**procfs.json_of(path.read_text(encoding="utf-8")))
        whole = (holder.pid, holder.start_time)
        if not (isinstance(holder.owner, str) and all(isinstance(number, int) for number in whole)):
            raise ValueError("owner, pid or start time is of another kind")
        time.localtime(holder.since)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, OverflowError, OSError) as error:
        said = f"{str(path)!r} does not say who holds the lease ({error}); {TAKE_OVER} if nobody measures there."
        return LeaseHeld(said, stale=True)
    return holder


def _refusal(found: Holder, mine: Holder, take_over: bool) -> LeaseHeld | None:
    """Why the lease cannot be given although `found` is written there, or none if it can."""
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(found.since))
    whose = f"{found.through} through {found.owner}" if found.through else found.owner
    who = f"{whose} (pid {found.pid}, since {since}) for run {found.run!r}"
    if found.lives:  # also under a name that this machine has no longer
        return LeaseHeld(f"The target is being measured by {who}; wait until it ends{_or_stop(found)}.", stale=False)
    if found.host != mine.host:
        said = f"whether that process lives can only be seen on {found.host!r}, so look there first; {IF_GONE}."
        return LeaseHeld(f"The target is leased by {who}; {said}", stale=False)
    if take_over or found.run == mine.run or found.run in COMMANDS:
        return None
    return LeaseHeld(
        f"The lease of {who} is stale: that process is gone; go on with that run, or {TAKE_OVER}.", stale=True
    )


def _or_stop(found: Holder) -> str:
    return "" if found.run in COMMANDS else f", or `harness stop {found.run}`"


@contextmanager
def _alone(state_dir: Path) -> Iterator[None]:
    """Reading and replacing lease.json is one step for all processes: under the kernel's lock, which dies with us."""
    import fcntl  # noqa: PLC0415 - only POSIX has it, and the front office loads without

    handle = os.open(state_dir / "lease.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
