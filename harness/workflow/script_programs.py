"""Programs that a script runs before its server: what may leave the machine changed is a question. Pure.

Power limits and clocks of cards, MPS, a cluster's daemon, shared memory: the harness repeats none of it. Sentences hold
names of programs and never their words.
"""

import re
from collections.abc import Iterator, Sequence

from harness.workflow.shell_script import Line

PREFIXES = frozenset({"sudo", "nohup", "setsid", "time", "command", "builtin"})
PROGRAM = re.compile(r"[A-Za-z0-9][\w.+-]*")
_CHANGING = """
    nvidia-smi nvidia-cuda-mps-control nvidia-cuda-mps-server nvidia-persistenced nvidia-settings dcgmi rocm-smi
    ray sysctl systemctl service modprobe insmod mount umount swapoff swapon cpupower tuned-adm numactl ipcrm renice
    chrt docker podman kubectl kill pkill killall fuser rm mv cp ln rsync tar unzip iptables nft ip ethtool ifconfig
"""
# They only look, wait, print, or move the script on; what changes the shell itself is followed elsewhere.
_LOOKING = """
    awk basename cat conda curl cut date deactivate dirname echo egrep env grep head hostname logger ls mamba micromamba
    mkdir module nc nproc pgrep printf ps pwd readlink realpath sed seq sleep sort spack tail tee test tput tr uname wc
    which whoami alias break case cd continue coproc declare do done elif else enable esac eval exec exit export
    false fi for getopts hash if in let local logout mapfile popd pushd read readarray readonly return select set
    shift source then times trap true type typeset ulimit umask unalias unset until wait while
"""
CHANGING, LOOKING = frozenset(_CHANGING.split()), frozenset(_LOOKING.split())


def changing(line: Line, lines: Sequence[Line]) -> tuple[str, ...]:
    """One question for each program before the server that changes machines, under a condition or in a subshell too."""
    found = _by_name((name, other) for name, other in _before(line, lines) if name in CHANGING)
    return tuple(
        f"the script also runs {name} (line {at}), which the harness does not do; where that changes the machine, see "
        "that it is done before the harness starts servers"
        for name, at in found.items()
    )


def others(line: Line, lines: Sequence[Line]) -> tuple[str, ...]:
    """One sentence for all other programs before it that do more than look."""
    known = CHANGING | LOOKING | {line.words[0].rpartition("/")[2]}  # a server before it is told by itself
    found = _by_name(
        (name, other) for name, other in _before(line, lines) if not other.conditional and name not in known
    )
    if not found:
        return ()
    said = ", ".join(f"{name} (line {at})" for name, at in found.items())
    return (f"the script also runs {said}; the harness runs the server alone",)


def _before(line: Line, lines: Sequence[Line]) -> Iterator[tuple[str, Line]]:
    for other in lines:
        words = [word for word in other.words if word not in PREFIXES] or [""]
        name = words[0].rpartition("/")[2]
        if other.order < line.order and not other.own and PROGRAM.fullmatch(name):
            yield name, other


def _by_name(found: Iterator[tuple[str, Line]]) -> dict[str, str]:
    lines: dict[str, list[str]] = {}
    for name, other in found:
        lines.setdefault(name, []).append(str(other.number))
    return {name: ", ".join(at) for name, at in lines.items()}
