"""Every step of a run in words, in the order in which it would be done. Pure: nothing is looked at, nothing is touched.

`LAUNCH` stands for the launch's id, `PORT` for a free port of the host.
"""

import shlex
from pathlib import Path

from harness.adapters import ADAPTERS
from harness.hosts.base import ServerSpec
from harness.overlay.building import own_folder
from harness.overlay.values import FileChange
from harness.vocabulary.changes import Build
from harness.vocabulary.listed import AllowedBuild
from harness.vocabulary.outcome import GateName
from harness.vocabulary.target import Target
from harness.workflow.order import Order
from harness.workflow.production import production_spec, state_dir

LAUNCH = "LAUNCH"


def run_begins(order: Order, workspace: Path) -> tuple[str, ...]:
    """Before the first launch."""
    target = order.target
    here = str(state_dir(workspace, target))
    where = f"ssh {target.host.ssh}, folder {target.host.folder}" if target.host else here
    built = {item.arm.build.output: item.arm.build for item in order.arms if item.arm.build}
    said = [f"take the lease of {target.name} ({where}); open its guardian and arm its dead-man switch"]
    if target.deploy and any(item.arm.deploy for item in order.arms):
        said.append(f"read {target.deploy.script}; refuse edits that do not fit it or meet on one line")
    for build in built.values():
        said += build_steps(build, target.build)
    return (*said, "take production down, if it is up: " + _stop(target))


def build_steps(build: Build, allowed: AllowedBuild | None) -> list[str]:
    """A build on the host, while production is still up."""
    rights = " or, if neither can be had, as the login" if allowed and allowed.unconfined else ", else refuse"
    return [
        f"build in {build.cwd}: {shlex.join(build.argv)}",
        f"    refuse if {build.output} exists; nothing but {own_folder(build)} can be written, without network",
        f"    by bwrap, or by unshare, Landlock and setpriv{rights}",
        f"    at most {allowed.timeout_s if allowed else 0:g} s; log and hash of {build.output} are recorded",
    ]


def before_start(changes: tuple[FileChange, ...]) -> tuple[str, ...]:
    """What is done to files before a launch starts; the guardian's journal is on the disk first."""
    said: list[str] = []
    for change in sorted(changes, key=lambda change: change.kind == "in-place"):
        if change.kind == "model":
            said.append(f"look at {change.path}: it is no link and as long as its own header says")
        elif change.edits is not None:
            said.append(f"copy {change.path} -> {change.made}, read-only; its hash is recorded")
            said += [f"    in the copy {edit.find!r} becomes {edit.replace!r}" for edit in change.edits]
        elif change.kind == "in-place":
            said.append(
                f"keep {change.path} as {change.path}.committee-backup-{LAUNCH}, and a copy in the state folder"
            )
            said.append(f"replace {change.path} by {change.source} ({_hash(change)})")
        else:
            if change.kind == "copy":
                said.append(f"copy {change.copies} -> {change.made}, at most {change.max_mib} MiB")
            said.append(f"put {change.source} ({_hash(change)}) at {change.to}")
    return ("write the journal of changed files, twice, and wait for the disk", *said) if said else ()


def start_of(target: Target, spec: ServerSpec) -> tuple[str, ...]:
    """The start and what is waited for."""
    where = f"the login's home on {target.host.ssh}" if target.host else str(spec.cwd)
    line = shlex.join(spec.argv)
    if not ADAPTERS[target.adapter].port_zero:
        line = line.replace("--port 0 ", "--port PORT ")
    return (
        f"start {line}",
        f"    in {where}, environment: {', '.join(name for name, _ in spec.env)}",
        f"wait for {target.ready.pattern!r} in its own log, at most {target.ready.timeout_s:g} s, then for its port",
    )


def gates_of_launch(order: Order) -> tuple[str, ...]:
    """The gates and the load, in their order."""
    target, criteria = order.target, order.criteria
    adapter = ADAPTERS[target.adapter]
    alias = f"; it serves its model as {LAUNCH}" if adapter.serves_alias else ""
    markers = "; ".join(f"{armed.marker!r} {armed.count} of {armed.count}" for armed in target.armed)
    said = [f"gate ready: every socket on its port is of its own process tree{alias}"]
    said.append(f"gate armed: {markers or 'no marker is listed'}; settings in force as asked; witnesses seen")
    if criteria.capability:
        said.append(f"gate capability: {criteria.capability.check} {criteria.capability.value}")
    said.append("gates coherent and numerics: three texts at temperature 0")
    load = criteria.settings
    shape = "-".join(str(users) for users in getattr(load, "steps", load.loads))
    said.append(f"load: {criteria.protocol.value} with {shape} users at once, {load.request_timeout_s:g} s a request")
    needed = "it must count" if GateName.ISOLATED in criteria.gates else "where it counts"
    said.append(f"gate isolated: the engine's counters moved by what was sent ({needed})")
    return tuple(said)


def after_launch(target: Target, changes: tuple[FileChange, ...]) -> tuple[str, ...]:
    """The stop, the wait for memory, the undo."""
    down = target.teardown
    said = [f"stop: {_stop(target)}"]
    said.append(
        f"wait until memory of host and cards is back within {down.memory_slack_mib} MiB, "
        f"at most {down.memory_timeout_s:g} s"
    )
    for change in reversed(changes):
        if change.kind == "in-place":
            said.append(f"undo: {change.path}.committee-backup-{LAUNCH} takes its place again")
        elif change.kind == "copy":
            said.append(f"undo: remove {change.made}")
    touched = sorted({change.path for change in changes if change.kind != "model"})
    said += [f"check {path}: hash, mode, owner, group and time as before" for path in touched]
    return (*said, "remove the journal of changed files") if touched else tuple(said)


def run_ends(target: Target, workspace: Path) -> tuple[str, ...]:
    """After the last launch, and whatever happens before."""
    return (
        "bring production back as it was started, if it was up or should have been when the run began; by its file:",
        *(f"    {line.strip()}" for line in start_of(target, production_spec(target, workspace))),
        "prove it: ready, armed, coherent; disarm the switch, give the lease back",
    )


def _stop(target: Target) -> str:
    return f"SIGTERM to its whole process tree by pid and start time, after {target.teardown.grace_s:g} s SIGKILL"


def _hash(change: FileChange) -> str:
    return f"SHA-256 {change.sha256[:16]}" if change.sha256 else "as it was built"
