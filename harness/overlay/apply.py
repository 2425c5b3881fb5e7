"""One change of files on this host: what it would touch, doing it, and taking it back. Standard library only.

Four kinds: `model` is looked at and never touched; `copy` makes a changed copy beside the original; `put` changes one
more file of such a copy; `in-place` lets another file stand at production's place while the original, the same inode,
waits beside it under another name.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from harness.overlay.edits import edited
from harness.overlay.gguf import look_at_all
from harness.overlay.steps import MARK, Json, Refused, Steps, copied, dress, facts, sync_folder, unlike

MIB = 1 << 20
SCRIPT_MIB = 4  # a deploy script is text that a person wrote
ROOM_MIB = 64  # left free on every disk that is written


class Names(NamedTuple):
    """What stands beside a file that is replaced in place."""

    backup: Path  # the original itself, its inode
    new: Path  # what is put there, until it is whole
    found: Path  # what somebody else put there meanwhile


def names(entry: Json) -> Names:
    """The names for one entry of the journal."""
    path = Path(entry["path"])
    made = [path.with_name(f"{path.name}.{MARK}{what}-{entry['label']}") for what in ("backup", "new", "found")]
    return Names(*made)


def planned(change: Json, label: str, kept: Path) -> Steps:
    """The journal's entry for a change, and every reason to refuse it; nothing is written. Raises Refused.

    `kept` is where a copy of the original is kept, if it is replaced.
    """
    path = Path(change["path"])
    if str(real(path)) != str(path):
        raise Refused(f"{str(path)!r} leads to {str(real(path))!r}; name that one in the target's file")
    entry: Json = {"kind": change["kind"], "label": label, "path": str(path)}
    if change["kind"] == "model":
        return entry | {"report": whole_model(path)}
    before = yield from facts(path)
    if before is None:
        raise Refused(f"{str(path)!r} does not exist; correct the target's file")
    entry["before"] = before
    put = (yield from source_of(change)) if change.get("source") else None
    if change["kind"] == "put":
        return entry | {"put": put}
    if change["kind"] == "copy":
        made = Path(change["made"])
        if os.path.lexists(made) or MARK not in made.name:
            raise Refused(f"{str(made)!r} is there already; remove it, it is left over")
        enough(made.parent, size_mib(Path(change["copies"]), change["max_mib"]))
        return entry | {"made": str(made), "put": put}
    if put is None:
        raise Refused(f"nothing is named that stands in for {str(path)!r}")
    if put == before["sha256"]:
        return entry | {"kind": "same", "put": put}  # nothing is written, so it stays the very file that it is
    mib = max(before["size"], Path(change["source"]).stat().st_size) // MIB + 1
    if mib > change["max_mib"]:
        raise Refused(f"{str(path)!r} is replaced by {mib} MiB, at most {change['max_mib']} are listed")
    for folder in (path.parent, kept.parent):
        enough(folder, mib)
    return entry | {"put": put, "kept": str(kept)}


def real(path: Path) -> Path:
    """Where a path leads. Raises Refused for a circle of links."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise Refused(f"{str(path)!r} leads nowhere ({error})") from error


def whole_model(path: Path) -> Json:
    """What the header of a whole model file says. Raises Refused (lesson S8)."""
    if not path.is_file():
        raise Refused(f"model {str(path)!r} does not exist")
    said = look_at_all(path)
    if isinstance(said, str):
        raise Refused(f"model {str(path)!r}: {said}")
    return {**said._asdict(), "mtime_ns": path.stat().st_mtime_ns}


def source_of(change: Json) -> Steps:
    """The hash of what stands in, which is the one asked for and lies where it may. Raises Refused."""
    source, root = Path(change["source"]), change["sources"]
    lies = real(source)
    if lies != source or not lies.is_relative_to(root):
        raise Refused(f"{str(source)!r} leads to {str(lies)!r}, which does not lie in {root!r}")
    found = yield from facts(source)
    if found is None or not source.is_file():
        raise Refused(f"{str(source)!r} does not exist")
    if change.get("sha256") and found["sha256"] != change["sha256"]:
        raise Refused(f"{str(source)!r} has the hash {found['sha256'][:16]}, {change['sha256'][:16]} was asked for")
    return found["sha256"]


def size_mib(path: Path, most: int) -> int:
    """Size of a file, or of all files below a folder, MiB. Raises Refused above `most`."""
    every = [path] if not path.is_dir() else [one for one in path.rglob("*") if one.is_file() and not one.is_symlink()]
    mib = sum(one.stat().st_size for one in every) // MIB + 1
    if mib > most:
        raise Refused(f"a copy of {str(path)!r} has {mib} MiB, at most {most} are listed")
    return mib


def enough(folder: Path, mib: int) -> None:
    """Raises Refused where a folder cannot be written or has no room."""
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"nothing can be written into {str(folder)!r}; correct its rights or the target's file")
    disk = os.statvfs(folder)
    if disk.f_bavail * disk.f_frsize < (mib + ROOM_MIB) * MIB:
        raise Refused(f"the disk of {str(folder)!r} has no room for {mib} MiB more")


def apply(change: Json, entry: Json) -> Steps:
    """Do what was planned; a report of it. Raises Refused or OSError, half done."""
    if entry["kind"] == "model":
        yield
        return entry["report"]
    if entry["kind"] == "same":
        yield
        return {"made": entry["path"]}
    if entry["kind"] == "in-place":
        return (yield from replace_in_place(change, entry))
    if entry["kind"] == "put":
        return (yield from put_in(change, entry))
    if change.get("edits") is not None:
        return edited_copy(change)
    return (yield from copy_beside(change, entry))


def edited_copy(change: Json) -> Json:
    """A read-only copy of a script with its edits, each found as often as it must be."""
    text, made = Path(change["path"]).read_bytes(), Path(change["made"])
    if len(text) > SCRIPT_MIB * MIB:
        raise Refused(f"{change['path']!r} is larger than {SCRIPT_MIB} MiB; is it really a script?")
    made_of = edited(text, change["edits"], change["path"])
    if isinstance(made_of, str):
        raise Refused(made_of)
    with made.open("xb") as out:
        out.write(made_of)
        out.flush()
        os.fsync(out.fileno())
    made.chmod(0o555)
    sync_folder(made.parent)
    return {"made": str(made)}


def copy_beside(change: Json, entry: Json) -> Steps:
    """A copy of a file, or of the folder around it, in which the other file stands."""
    copies, made = Path(change["copies"]), Path(change["made"])
    if copies.is_dir():
        for folder, _, files in os.walk(copies):
            there = made / Path(folder).relative_to(copies)
            there.mkdir()
            for name in files:
                shutil.copy2(Path(folder, name), there / name, follow_symlinks=False)
                yield
            for name in os.listdir(folder):  # noqa: PTH208 - links to folders are no files
                if (link := Path(folder, name)).is_symlink() and link.is_dir():
                    (there / name).symlink_to(os.readlink(link))  # noqa: PTH115
    else:
        made.mkdir()
    return (yield from put_in(change, entry))


def put_in(change: Json, entry: Json) -> Steps:
    """Let the other file stand in a copy."""
    to = Path(change["to"])
    to.unlink(missing_ok=True)
    if (yield from copied(Path(change["source"]), to)) != entry["put"]:
        raise Refused(f"{change['source']!r} changed while it was being copied")
    dress(to, entry["before"])
    return {"made": str(to)}


def replace_in_place(change: Json, entry: Json) -> Steps:
    """Keep the original twice, as itself beside and as a copy, then put the other file at its place in one step."""
    path, (backup, new, _) = Path(entry["path"]), names(entry)
    kept = yield from copied(path, Path(entry["kept"]))
    if kept != entry["before"]["sha256"]:
        raise Refused(f"{str(path)!r} changed while it was being copied")
    with suppress(OSError):  # a disk without hard links: the copy alone is the way back
        os.link(path, backup, follow_symlinks=False)
    if (yield from copied(Path(change["source"]), new)) != entry["put"]:
        raise Refused(f"{change['source']!r} changed while it was being copied")
    dress(new, entry["before"])
    sync_folder(path.parent)
    new.replace(path)
    sync_folder(path.parent)
    return {"made": str(path)}


def take_back(entry: Json) -> Steps:
    """Undo one entry and check it; sentences, and whether the original is as it was. Safe to repeat."""
    said: list[str] = []
    if entry["kind"] == "model":
        return said, True
    path = Path(entry["path"])
    if entry["kind"] in ("copy", "put", "same"):
        try:
            if "made" in entry:
                gone(Path(entry["made"]))
        except OSError as error:  # a copy that is left over changes nothing of production
            said.append(f"{entry['made']!r} cannot be removed: {error}")
        differs = unlike(entry["before"], (yield from facts(path)))
        said += [f"{str(path)!r} was changed by somebody else meanwhile: {differs}"] if differs else []
        return said, True
    yield from put_back(entry, said)
    differs = unlike(entry["before"], (yield from facts(path)))
    if differs:
        yield from mended(entry, said)
        still = unlike(entry["before"], (yield from facts(path)))
        said.append(f"after the undo {str(path)!r} was not what it had been: {differs}{'' if still else '; mended'}")
        differs = still
    if differs:
        said.append(f"{str(path)!r} could not be mended: {differs}; its copy is {entry['kept']!r}")
        return said, False
    for left in (*names(entry)[:2], Path(entry["kept"])):
        left.unlink(missing_ok=True)
    sync_folder(path.parent)
    return said, True


def put_back(entry: Json, said: list[str]) -> Steps:
    """Let the original stand at its place again; what somebody else put there is kept aside."""
    path, (backup, new, found) = Path(entry["path"]), names(entry)
    now = yield from facts(path)
    if now is not None and now["sha256"] == entry["before"]["sha256"]:
        return
    if not backup.exists() and not (yield from made_anew(entry)):
        return  # what stands there stays: it is all there is
    if now is not None and now["sha256"] != entry["put"]:
        path.replace(found)
        said.append(f"{str(path)!r} was changed by somebody else meanwhile; that file is now {str(found)!r}")
    (backup if backup.exists() else new).replace(path)
    sync_folder(path.parent)


def made_anew(entry: Json) -> Steps:
    """Make the original beside its place from the kept copy, with mode, owner and time; false if that is not whole."""
    new, kept, before = names(entry).new, Path(entry["kept"]), entry["before"]
    copy = yield from facts(kept)
    if copy is None or copy["sha256"] != before["sha256"]:
        return False
    new.unlink(missing_ok=True)
    yield from copied(kept, new)
    dress(new, before, time_too=True)
    return True


def mended(entry: Json, said: list[str]) -> Steps:
    """Make the original anew, or give it back its mode, owner and time."""
    path, before = Path(entry["path"]), entry["before"]
    try:
        now = yield from facts(path)
        if now is None or now["sha256"] != before["sha256"]:
            if not (yield from made_anew(entry)):
                return
            names(entry).new.replace(path)
        dress(path, before, time_too=True)
        sync_folder(path.parent)
    except OSError as error:
        said.append(f"{str(path)!r} cannot be mended: {error}")


def gone(made: Path) -> None:
    """Remove what was made beside production's files, and nothing that is not named so."""
    if MARK not in made.name:
        raise Refused(f"the journal names {str(made)!r}, which was not made here; look at it")
    if made.is_dir() and not made.is_symlink():
        shutil.rmtree(made)
    else:
        made.unlink(missing_ok=True)
    sync_folder(made.parent)
