"""What applying and undoing share: facts of a file, copies that reach the disk, and the refusal that is an answer.

Standard library only: it goes to the target's host together with the guardian, which steps through the generators.
"""

import hashlib
import json
import os
import stat
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

CHUNK = 8 << 20  # bytes between two looks of the guardian at its connections
MARK = "committee-"  # stands in the name of everything made beside production's files

Json = dict[str, Any]
Steps = Generator[None, None, Any]


class Refused(Exception):
    """The request cannot be met; the message is the answer to the client."""


def facts(path: Path) -> Steps:
    """What is compared before and after: SHA-256, mode, owner, group, mtime, size; none when there is no such file."""
    try:
        with path.open("rb") as source:
            digest = hashlib.sha256()
            while piece := source.read(CHUNK):
                digest.update(piece)
                yield
            seen = os.fstat(source.fileno())
    except FileNotFoundError:
        return None
    found: Json = {"sha256": digest.hexdigest(), "mode": stat.S_IMODE(seen.st_mode), "uid": seen.st_uid}
    return found | {"gid": seen.st_gid, "mtime_ns": seen.st_mtime_ns, "size": seen.st_size}


def unlike(before: Json, after: Json | None) -> str:
    """How a file differs from its facts before, in words; an empty string if it does not."""
    if after is None:
        return "it is gone"
    names = {"sha256": "its content", "mode": "its mode", "uid": "its owner", "gid": "its group"}
    differing = [word for name, word in (names | {"mtime_ns": "its time"}).items() if before[name] != after[name]]
    return f"{' and '.join(differing)} changed" if differing else ""


def copied(source: Path, to: Path) -> Steps:
    """Copy the content, which is on the disk afterwards; its SHA-256. `to` must not exist."""
    digest = hashlib.sha256()
    with source.open("rb") as read, to.open("xb") as out:
        while piece := read.read(CHUNK):
            digest.update(piece)
            out.write(piece)
            yield
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def dress(path: Path, like: Json, *, time_too: bool = False) -> None:
    """Give a file the mode and owner of the facts, and its time where asked. Raises OSError."""
    if (os.stat(path).st_uid, os.stat(path).st_gid) != (like["uid"], like["gid"]):  # noqa: PTH116 - cheap
        os.chown(path, like["uid"], like["gid"])
    path.chmod(like["mode"])
    if time_too:
        os.utime(path, ns=(like["mtime_ns"], like["mtime_ns"]))


def write_down(path: Path, value: Json) -> None:
    """Write JSON with its own hash, whole or not at all, and wait until the disk has it."""
    body = json.dumps(value, sort_keys=True)
    beside = path.with_name(f"{path.name}.new")
    with beside.open("w", encoding="utf-8") as out:
        json.dump({"sha256": hashlib.sha256(body.encode()).hexdigest(), "journal": value}, out, indent=1)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)
    sync_folder(path.parent)


def read_back(path: Path) -> Json | None:
    """What `write_down` wrote; none when there is no such file. Raises ValueError when it is not what was written."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        value: Json = found["journal"]
        if hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest() != found["sha256"]:
            raise ValueError("its content is not what its hash says")
    except FileNotFoundError:
        return None
    except (OSError, KeyError, TypeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"it cannot be read ({error!r})") from error
    return value


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk; folders that cannot be synced are left to the kernel."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
