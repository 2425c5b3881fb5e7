"""Builds of a run, on the target's host, before production is taken down: beside the reference build, never over it.

Each is written down beside its output, so that a run that goes on knows it again. Where one fails nothing was stopped.
"""

import shlex
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from harness.adapters.base import FIXED_LANG, FIXED_PATH
from harness.confinement import CannotConfine, Tried
from harness.hosts.base import NotStarted, Ran, ServerSpec, WorkedHost
from harness.overlay import landlock
from harness.overlay.building import (
    MOST_LOG,
    NOBODY,
    TRUE,
    Built,
    Way,
    built_from_json,
    own_folder,
    record_of,
    scratch,
    shut_in,
    ways,
)
from harness.shortened import ending
from harness.vocabulary.changes import Build
from harness.vocabulary.listed import AllowedBuild
from harness.workflow.order import Order
from ledger.canonical import sha256_hex
from ledger.entries import BlobRef, BuiltFile
from ledger.store import Ledger

LABEL, LOG_TYPE = "build", "text/plain"
PROBE_S = 20.0
NO_PROGRAM = 127  # what a shell ends with that finds none
NO_SETPRIV = "FileNotFoundError"  # what Python says in its place, which becomes no other program in that way
GRACE_S = 5.0
SHOWN = 300  # characters of a failed build's last words in a sentence


async def build_all(order: Order, host: WorkedHost, ledger: Ledger, say: Callable[[str], None]) -> str | None:
    """Make what the order's arms need; one sentence if that cannot be done, and then production was not touched.

    Each log is put into the ledger, where the launches that use the build refer to it.
    """
    allowed, python = order.target.build, order.target.host.python if order.target.host else sys.executable
    builds = {item.arm.build.output: item.arm.build for item in order.arms if item.arm.build}
    for build in builds.values():
        if allowed is None:
            return f"target {order.target.name!r} lists no build"
        say(f"building {build.output}")
        built = await build_one(host, build, allowed, python)
        if isinstance(built, str):
            return f"{built}; production was not touched"
        ledger.put_blob(built.log.encode(), LOG_TYPE)
        say(f"{build.output} is built ({built.confined}, {built.seconds:.0f} s, SHA-256 {built.sha256[:16]})")
    return None


async def build_one(host: WorkedHost, build: Build, allowed: AllowedBuild, python: str = sys.executable) -> Built | str:
    """Build, or find that this very build was made before. One sentence for what went wrong.

    `python` is an interpreter on the host.
    """
    there = await host.stat(Path(build.output))
    if there is not None:
        known = await recorded_build(host, build)
        if known is not None and known.sha256 == there.sha256:
            return known
        return f"{build.output!r} exists already and no build is ever written over another; name a new output"
    if unfit := await _own_folder_made(host, build, allowed):
        return unfit
    way = await _best_way(host, build, allowed, python)
    if isinstance(way, CannotConfine):
        refused = f"a build cannot be shut in on the host: {way.sentence}"
        return f"{refused}, or set build.unconfined = true in the target's file"
    if way is Way.NOBODY:
        await host.run(_spec(("chown", NOBODY, own_folder(build))), PROBE_S)
    began = time.monotonic()
    words = shut_in(way, build, allowed, build.argv, python)
    ran = await host.run(_spec(words, scratch(way, build), build.cwd), allowed.timeout_s)
    if isinstance(ran, NotStarted):
        return f"the build of {build.output!r} could not be started ({ran.detail})"
    made = await host.stat(Path(build.output))
    if ran.code != 0 or made is None:
        return _failed(build, ran, allowed)
    await host.run(_spec(("chmod", "a-w", build.output)), PROBE_S)  # the same file for every launch
    seconds, log = time.monotonic() - began, ran.output[-MOST_LOG:]
    built = Built(build.argv, build.cwd, build.output, made.sha256, way.value, seconds, log)
    await host.put(Path(record_of(build.output)), built.to_json().encode(), 0o444)
    return built


async def recorded_build(host: WorkedHost, build: Build) -> Built | None:
    """The build that was written down beside its output, if it is this one."""
    content = await host.read(Path(record_of(build.output)))
    return built_from_json(content, build) if content else None


def as_entry(built: Built) -> BuiltFile:
    """As a launch records it."""
    log = built.log.encode()
    fields = vars(built) | {"log": BlobRef(sha256=sha256_hex(log), size=len(log), media_type=LOG_TYPE)}
    return BuiltFile(**fields)


async def _own_folder_made(host: WorkedHost, build: Build, allowed: AllowedBuild) -> str | None:
    """Make the folder that the build may write into; a sentence where it leads elsewhere or is another build's."""
    own = own_folder(build)
    if stray := await _stray(host, (allowed.output, str(Path(own).parent))):
        return stray
    await host.run(_spec(("mkdir", "-m", "0755", own)), PROBE_S)
    if stray := await _stray(host, (own, build.cwd)):
        return stray
    listed = await host.run(_spec(("ls", "-A", own)), PROBE_S)
    names = listed.output.splitlines() if isinstance(listed, Ran) else []
    mine = Path(record_of(build.output)).name
    if others := [name for name in names if name.endswith(record_of("")) and name != mine]:
        return f"{own!r} is the folder of another build ({others[0]}); give this one a folder of its own"
    return None


async def _stray(host: WorkedHost, folders: Sequence[str]) -> str | None:
    """A sentence where a folder is not there or leads somewhere else than it says."""
    ran = await host.run(_spec(("readlink", "-e", *folders)), PROBE_S)
    if isinstance(ran, NotStarted):
        return f"the folders of the build cannot be looked at ({ran.detail})"
    leads = ran.output.splitlines()
    if ran.code != 0 or len(leads) != len(folders):
        return f"one of {', '.join(map(repr, dict.fromkeys(folders)))} does not exist on the host; make it"
    for folder, lead in zip(folders, leads, strict=True):
        if folder != lead:
            return f"{folder!r} leads to {lead!r}; name that one in the target's file and in the arm"
    return None


async def _best_way(host: WorkedHost, build: Build, allowed: AllowedBuild, python: str) -> Way | CannotConfine:
    tried: list[Tried] = []
    for way in ways(allowed):
        words = shut_in(way, build, allowed, TRUE, python)
        ran = await host.run(_spec(words, scratch(way, build), build.cwd), PROBE_S)
        if isinstance(ran, Ran) and ran.code == 0:
            return way
        tried.append(_tried(way, words[0], ran))
    return CannotConfine(tuple(tried))


def _tried(way: Way, program: str, ran: Ran | NotStarted) -> Tried:
    """What became of a way that does not go through."""
    if isinstance(ran, NotStarted):
        return Tried(program, ran.detail, namespaced=False)
    if way is Way.NOBODY and NO_SETPRIV in ran.output:
        return Tried("setpriv", None)
    namespaced = way in (Way.BWRAP, Way.NO_NETWORK) and ran.code != landlock.UNKNOWN
    return Tried(program, _refusal(ran), namespaced)


def _refusal(ran: Ran) -> str | None:
    """What a program says that does not go through; none where the shell finds no such program."""
    if ran.code is None:
        return f"nothing in {PROBE_S:g} s"
    if ran.code == landlock.UNKNOWN:
        return "this kernel has no Landlock"
    missing = ran.code == NO_PROGRAM and "not found" in ran.output
    return None if missing else ran.output.strip() or f"status {ran.code}"


def _spec(argv: tuple[str, ...], home: str = "/", cwd: str = "/") -> ServerSpec:
    env = (("HOME", home), ("LANG", FIXED_LANG), ("PATH", FIXED_PATH), ("TMPDIR", home))
    return ServerSpec(LABEL, argv, env, Path(cwd), "", 0.0, GRACE_S)


def _failed(build: Build, ran: Ran, allowed: AllowedBuild) -> str:
    if ran.code is None:
        how = f"was ended after {allowed.timeout_s:g} s"
    elif ran.code != 0:
        how = f"ended with status {ran.code}"
    else:
        how = "ended well and made nothing"
    words = ending(" ".join(ran.output.split()), SHOWN)
    return f"the build of {build.output!r} ({shlex.join(build.argv)}) {how}; it said last: {words or 'nothing'}"
