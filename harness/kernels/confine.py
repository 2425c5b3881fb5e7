"""The command line that shuts a compiler or a runner in: unprivileged, without network, seeing what it needs.

Preferred is `bwrap`; where it cannot be had, `unshare` takes the network away and `setpriv` every way to more rights,
but no file is hidden.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.confinement import CannotConfine, Tried

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/sys")
SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime")
PATH = "/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin"
PROBE_S = 20.0
NOBODY = "65534"
TRUE = ("/bin/true",)
TMP = "/tmp"  # noqa: S108 - empty and private inside


class Way(StrEnum):
    """In the order of preference. A bare `setpriv` to nobody is none: it could not read a Python that is root's."""

    BWRAP = "bwrap"
    NO_NETWORK = "no_network"  # its own rights, but no network and no way to more rights
    UNCONFINED = "unconfined"


NEEDED = {Way.BWRAP: ("bwrap",), Way.NO_NETWORK: ("unshare", "setpriv")}


@dataclass(frozen=True)
class Shut:
    """What a confined program may see beside the system's programs and libraries."""

    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    card: bool = False  # whether the card's device files are there


def shut_in(way: Way, argv: Sequence[str], seen: Shut) -> tuple[str, ...]:
    """`argv` behind what shuts it in."""
    if way is Way.BWRAP:
        words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
        words += ["--uid", NOBODY, "--gid", NOBODY, "--setenv", "PATH", PATH, "--setenv", "HOME", TMP]
        words += ["--setenv", "LC_ALL", "C.UTF-8", "--proc", "/proc", "--tmpfs", TMP]
        words += ["--dev-bind", "/dev", "/dev"] if seen.card else ["--dev", "/dev"]
        for folder in (*SYSTEM, *SETTINGS, *map(str, seen.readable)):
            words += ["--ro-bind-try", folder, folder]
        for folder in map(str, seen.writable):
            words += ["--bind", folder, folder]
        return (*words, "--", *argv)
    if way is Way.NO_NETWORK:
        return ("unshare", "--user", "--map-current-user", "--net", "--", "setpriv", "--no-new-privs", "--", *argv)
    return tuple(argv)


def best_way(unconfined: bool = False) -> Way | CannotConfine:
    """The best way that works on this machine; nothing but `unconfined` allows none."""
    tried: list[Tried] = []
    for way, programs in NEEDED.items():
        if missing := [Tried(one, None) for one in programs if shutil.which(one) is None]:
            tried += missing
            continue
        answer = _refusal(shut_in(way, TRUE, Shut()))
        if answer is None:
            return way
        tried.append(Tried(programs[0], answer))
    return Way.UNCONFINED if unconfined else CannotConfine(tuple(tried))


def _refusal(argv: Sequence[str]) -> str | None:
    """What a program says that does not go through; none for one that does."""
    try:
        ran = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=PROBE_S, check=False)
    except subprocess.TimeoutExpired:
        return f"nothing in {PROBE_S:g} s"
    return None if ran.returncode == 0 else ran.stderr.strip() or f"status {ran.returncode}"


def interpreter() -> tuple[Path, ...]:
    """Where this Python and its libraries lie."""
    real = Path(sys.executable).resolve().parent.parent
    return tuple(dict.fromkeys((Path(sys.prefix), Path(sys.base_prefix), real)))
