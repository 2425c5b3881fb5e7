"""Pure: how a build is shut in on its host, and what is written beside its output so that it is known again.

Every way leaves nothing to write but the folder of the build's own output; the last one only where the kernel can.
Preferred is `bwrap`; where it cannot be had, `unshare` takes the network away, Landlock the right to write, `setpriv`
the rights of root. None hides what the login may read.
"""

import inspect
import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from harness.overlay import landlock
from harness.procfs import json_of
from harness.vocabulary.changes import Build
from harness.vocabulary.listed import AllowedBuild

NOBODY = "65534"
TRUE = ("/bin/true",)
TMP = "/tmp"  # noqa: S108 - empty and private inside bwrap
MOST_LOG = 30_000  # characters of a log that are kept; its end says why it failed, and all must be read at once


class Way(StrEnum):
    """In the order of preference."""

    BWRAP = "bwrap"
    NOBODY = "nobody"  # only where the login may give rights away
    NO_NETWORK = "no_network"  # its own rights, but no network and no way to more rights
    UNCONFINED = "unconfined"


@dataclass(frozen=True)
class Built:
    """What a build made."""

    argv: tuple[str, ...]
    cwd: str
    output: str
    sha256: str
    confined: str  # a Way
    seconds: float
    log: str

    def to_json(self) -> str:
        """As it is written beside the output."""
        return json.dumps(asdict(self), indent=1)


def built_from_json(content: bytes, build: Build) -> Built | None:
    """What `to_json` wrote, if it was for this very build; none for anything else."""
    try:
        value = json_of(content)
        found = Built(**value | {"argv": tuple(value["argv"])})
    except (ValueError, TypeError, KeyError):
        return None
    return found if (found.argv, found.cwd, found.output) == (build.argv, build.cwd, build.output) else None


def record_of(output: str) -> str:
    """The file in which a build is written down."""
    return f"{output}.build.json"


def own_folder(build: Build) -> str:
    """The one folder that a build may write into."""
    return str(PurePosixPath(build.output).parent)


def scratch(way: Way, build: Build) -> str:
    """Where a build's temporary files go: an empty private folder under bwrap, else its own."""
    return TMP if way is Way.BWRAP else own_folder(build)


def ways(allowed: AllowedBuild) -> tuple[Way, ...]:
    """The ways that may be tried, best first."""
    return tuple(way for way in Way if way is not Way.UNCONFINED or allowed.unconfined)


def shut_in(way: Way, build: Build, allowed: AllowedBuild, argv: tuple[str, ...], python: str) -> tuple[str, ...]:
    """The command with what shuts it in before it; `python` is the host's own interpreter."""
    own = own_folder(build)
    lock = (python, "-I", "-c", inspect.getsource(landlock), own)
    locked = (*lock, "must")
    if way is Way.BWRAP:
        closed: list[str] = []
        for folder in allowed.reference:  # last, so that it stays closed wherever the open folder leads
            closed += ["--ro-bind-try", folder, folder]
        return (
            *("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
            *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", TMP),
            *("--ro-bind", build.cwd, build.cwd, "--bind", own, own, *closed, "--chdir", build.cwd, "--", *argv),
        )
    if way is Way.NOBODY:
        rights = ("--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--no-new-privs")
        return ("unshare", "--net", "--", *locked, "setpriv", *rights, "--", *argv)
    if way is Way.NO_NETWORK:
        return ("unshare", "--user", "--map-current-user", "--net", "--", *locked, *argv)
    return (*lock, "may", *argv)
