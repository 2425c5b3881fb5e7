"""What a host is asked about files, processes and the guardian's record: plain functions, run where the answers are.

Standard library only: it is copied to another host, where `far.py` calls it. Arguments and results are JSON values;
bytes travel in base64. Nothing here starts or signals anything; only `put` and `forget_lease` write.
"""

import base64
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import lease, look, procfs
from harness.hosts.connection import GuardianError
from harness.hosts.wire import production_from_json

CHUNK_BYTES = 1 << 18  # of a file in one answer: a message stays far below an ssh channel's window
PLAIN_SOCKET_BYTES = 100  # a socket's path may have 107; a longer one is reached through the guardian's own directory

Json = dict[str, Any]


def production(state: Path) -> Json | None:
    """The guardian's record of production with `runs`, whether that very process runs now; none without a record.

    Raises GuardianError, with the guardian's own sentence, for a record that is damaged.
    """
    try:
        record: Json = procfs.json_of((state / "production.json").read_text(encoding="utf-8"))
        held = record["held"]
        runs = bool(held) and procfs.same(held["pid"], held["start_time"])
        production_from_json(record, runs=runs)  # what it is read as by whoever asks
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise GuardianError(procfs.unusable(state, error)) from error
    return record | {"runs": runs}


def alive(state: Path, pid: int, start_time: int) -> bool:
    """Whether that very process runs."""
    return procfs.same(pid, start_time)


def leased(state: Path, run: str) -> str | None:
    """Who took the lease for `run` and may be at it now, in a sentence."""
    return lease.kept_for(state, run)


def forget_lease(state: Path) -> None:
    """Forget a lease of a machine that is not this one, by a person's word."""
    lease.forget_elsewhere(state)


def tree(state: Path, label: str, pid: int, start_time: int) -> list[int]:
    """The pids of a server's process tree, itself first; empty when it is gone."""
    if not procfs.same(pid, start_time):
        return []
    found = procfs.members(procfs.state_key(state), lambda marked: marked == label, {pid: start_time})
    return [pid, *sorted(set(found) - {pid})]


def memory(state: Path) -> int:
    """Memory available, MiB."""
    return procfs.available_mib()


def asked(state: Path, question: Json) -> Any:
    """The answer of `harness.look`; a question about the machine counts this process as the harness's own."""
    own = {"pids": [*question["pids"], os.getpid()]} if question["ask"] == "machine" else {}
    return look.answer({**question, **own})


def read(state: Path, path: str, offset: int = 0, limit: int = CHUNK_BYTES) -> str | None:
    """Bytes of a file from `offset` on, in base64; none if there is no such file."""
    try:
        with Path(path).open("rb") as file:
            file.seek(offset)
            return base64.b64encode(file.read(min(limit, CHUNK_BYTES))).decode()
    except (FileNotFoundError, ProcessLookupError, NotADirectoryError):
        return None


def stat(state: Path, path: str) -> Json | None:
    """Size, mode and hash of a file; none if there is no such file."""
    try:
        with Path(path).open("rb") as file:
            found = os.fstat(file.fileno())
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return {"bytes": found.st_size, "mode": found.st_mode & 0o7777, "sha256": digest}


def put_part(state: Path, path: str, offset: int, content: str) -> None:
    """One part of a file, beside its final name; the first part begins it anew."""
    beside = Path(path + ".part")
    beside.parent.mkdir(parents=True, exist_ok=True)
    with beside.open("wb" if offset == 0 else "r+b") as file:
        file.seek(offset)
        file.write(base64.b64decode(content))


def put_end(state: Path, path: str, sha256: str, mode: int) -> None:
    """Give a file its name once its content is whole; one of that name is replaced in one step. Raises ValueError."""
    beside = Path(path + ".part")
    with beside.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        beside.unlink()
        raise ValueError(f"{path!r} did not arrive whole; put it again")
    beside.chmod(mode)
    with beside.open("rb") as file:
        os.fsync(file.fileno())
    beside.replace(path)


def socket_path(state: Path) -> str:
    """A path to the guardian's socket that is short enough to be connected to."""
    plain = str(state / "guardian.sock")
    if len(os.fsencode(plain)) <= PLAIN_SOCKET_BYTES:
        return plain
    serving = procfs.json_of((state / "guardian.json").read_text(encoding="utf-8"))
    return f"/proc/{serving['pid']}/cwd/guardian.sock"


def serves(state: Path) -> bool:
    """Whether a guardian runs, whoever can connect to it."""
    try:
        serving = procfs.json_of((state / "guardian.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    return procfs.same(serving["pid"], serving["start_time"])


SIGHTS: dict[str, Callable[..., Any]] = {
    "production": production,
    "alive": alive,
    "leased": leased,
    "forget_lease": forget_lease,
    "tree": tree,
    "memory": memory,
    "look": asked,
    "read": read,
    "stat": stat,
    "put_part": put_part,
    "put_end": put_end,
    "socket_path": socket_path,
    "serves": serves,
}
