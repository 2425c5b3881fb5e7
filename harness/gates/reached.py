"""Whether what was asked for reached the processes that run, read from their command lines and environments. Pure.

What cannot be seen (a process that gave itself a title, an environment that cannot be read) is no evidence either way.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath

from harness.adapters.base import dashed
from harness.hosts.looking import Process
from harness.vocabulary.arm import Arm, normal


def unreached(arm: Arm, processes: Sequence[Process]) -> tuple[str, ...]:
    """One sentence for each setting of the arm that a process lacks or has otherwise; empty where nothing lacks."""
    return (*_missing_flags(arm, processes), *_missing_variables(arm, processes))


def reached(arm: Arm, processes: Sequence[Process]) -> str | None:
    """Where the arm's settings were seen, in words; none where they could not be seen or are not all there."""
    if unreached(arm, processes) or not (arm.flags or arm.env):
        return None
    if arm.flags and not _with_flags(processes):
        return None
    holders = [process for process in workers(processes) if process.env]
    if arm.env and not holders:
        return None
    places = [f"the command line of pid {_with_flags(processes)[0].pid}"] if arm.flags else []
    places += [f"the environment of pids {[process.pid for process in holders]}"] if arm.env else []
    return " and ".join(places)


def workers(processes: Sequence[Process]) -> tuple[Process, ...]:
    """The processes that are the engine: the first one, those of the same program, those that gave themselves a title.

    A shell, a compiler or another small program that an engine starts need not have its environment.
    """
    if not processes:
        return ()
    program = _program(processes[0])
    return tuple(one for one in processes if one is processes[0] or _program(one) == program or _titled(one))


def _missing_flags(arm: Arm, processes: Sequence[Process]) -> tuple[str, ...]:
    lines = [_words(process.argv) for process in _with_flags(processes)]
    if not lines:
        return ()
    wanted = {name: dashed({normal(name): value}) for name, value in arm.flags.items() if value is not False}
    absent = [words for words in wanted.values() if not any(_holds(line, words) for line in lines)]
    return tuple(f"no process of the server has {' '.join(words)!r} in its command line" for words in absent)


def _missing_variables(arm: Arm, processes: Sequence[Process]) -> tuple[str, ...]:
    said: list[str] = []
    for process in workers(processes):
        there = dict(process.env or ())
        for name, value in arm.env.items() if there else ():
            if name not in there:
                said.append(f"pid {process.pid} ({process.name}) lacks the variable {name}")
            elif there[name] is not None and there[name] != value:
                said.append(f"pid {process.pid} ({process.name}) has {name}={there[name]!r}, asked {value!r}")
    return tuple(said)


def _with_flags(processes: Sequence[Process]) -> tuple[Process, ...]:
    """Processes whose command line shows flags at all."""
    return tuple(process for process in processes if any(word.startswith("--") for word in process.argv[1:]))


def _words(argv: Sequence[str]) -> tuple[str, ...]:
    """The command line with `--name=value` taken apart and names in their one spelling."""
    words: list[str] = []
    for word in argv:
        name, equals, value = word.partition("=")
        if word.startswith("--"):
            words += [f"--{normal(name[2:])}", *((value,) if equals else ())]
        else:
            words.append(word)
    return tuple(words)


def _holds(line: Sequence[str], words: Sequence[str]) -> bool:
    size = len(words)
    return any(tuple(line[start : start + size]) == tuple(words) for start in range(len(line) - size + 1))


def _program(process: Process) -> str:
    return PurePosixPath(process.argv[0]).name if process.argv else ""


def _titled(process: Process) -> bool:
    return len(process.argv) == 1 and "/" not in process.argv[0]
