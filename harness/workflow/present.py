"""Whether the programs and model files that a run starts are there, asked of the host while production is still up."""

from collections.abc import Sequence
from itertools import pairwise, takewhile
from pathlib import Path, PurePosixPath

from harness.adapters import ADAPTERS, Place
from harness.adapters.base import FIXED_PATH, environment
from harness.hosts.base import ServerSpec, WatchedHost
from harness.hosts.looking import missing
from harness.overlay.prepare import prepare
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target

MODEL_FLAGS = ("model", "m")
CONTAINERS = frozenset({"docker", "podman", "nerdctl", "apptainer", "singularity"})  # a path after them is another's


async def absent(target: Target, arms: Sequence[Arm], host: WatchedHost, cwd: Path | None) -> str | None:
    """One sentence for the first program or model file that is not on the host; none if all are.

    `cwd` is where servers start, none where that is not known: a program named relative to it is then passed over.
    """
    for arm in (None, *arms):
        whose = f"arm {arm.name!r}" if arm else f"the baseline of {target.name!r}"
        program, search, paths = _needs(target, arm)
        if lacking := await _lacking(host, program, search, paths, cwd):
            where = "correct the arm" if arm else f"correct [baseline] in 'targets/{target.name}.toml' or put it there"
            return f"{whose} cannot start: {lacking[0]!r} is not there or may not be used; {where}"
    return None


async def gone(target: Target, spec: ServerSpec | None, host: WatchedHost) -> str | None:
    """One sentence where the program or a file that production was recorded with is not there any more.

    None without a record. A server goes on without its files; it would not start again.
    """
    if spec is None:
        return None
    program, path = spec.argv[0], dict(spec.env).get("PATH", "")
    if not (lacking := await _lacking(host, program, path, _inputs(spec.argv, target.model_flag), spec.cwd)):
        return None
    name = target.name
    return (
        f"production of {name!r} could not come back: {lacking[0]!r}, with which it was started, is not there any "
        f"more; put it there again, or `harness stop {name}` and `harness start {name}` with what the target's file "
        "names"
    )


def _inputs(argv: Sequence[str], model_flag: str) -> tuple[str, ...]:
    """Absolute paths on a command line that are read at its start: before the first flag, and the model's."""
    if PurePosixPath(argv[0]).name in CONTAINERS:
        return ()
    flags = {f"--{model_flag}", *(f"{dashes}{flag}" for flag in MODEL_FLAGS for dashes in ("-", "--"))}
    leading = takewhile(lambda word: not word.startswith("-"), argv[1:])
    named = (value for flag, value in pairwise(argv) if flag in flags)
    joined = (word.partition("=")[2] for word in argv if word.partition("=")[0] in flags)
    return tuple(dict.fromkeys(path for path in (*leading, *named, *joined) if path.startswith("/")))


async def program_gone(program: str, host: WatchedHost, cwd: Path | None) -> bool:
    """Whether a program that a server is started with is not on the host, or may not be used."""
    return bool(await _lacking(host, program, FIXED_PATH, (), cwd))


async def _lacking(
    host: WatchedHost, program: str, search: str, paths: Sequence[str], cwd: Path | None
) -> tuple[str, ...]:
    if cwd is None and "/" in program and not program.startswith("/"):
        return await missing(host, "", search, "", paths)
    return await missing(host, program, search, str(cwd or ""), paths)


def _needs(target: Target, arm: Arm | None) -> tuple[str, str, tuple[str, ...]]:
    """Program, search path and model files of one start. What the launch itself makes first is left out."""
    try:
        prepared = prepare(target, arm, "present")
    except BadFileError:
        return "", "", ()  # said where the launch is prepared
    argv = ADAPTERS[target.adapter].argv(prepared.target, arm, Place("present", 0, Path("/")))
    made = tuple(change.made for change in prepared.changes if change.made)
    program = "" if any(argv[0] == one or argv[0].startswith(f"{one}/") for one in made) else argv[0]
    search = dict(environment(prepared.target, arm))["PATH"]
    if PurePosixPath(argv[0]).name in CONTAINERS or target.deploy is not None:
        return program, search, ()
    paths = (path for path in _inputs(argv, target.model_flag) if path not in made and not _below(path, made))
    return program, search, tuple(paths)


def _below(path: str, made: Sequence[str]) -> bool:
    return any(path.startswith(f"{one}/") for one in made)
