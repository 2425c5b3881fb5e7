"""A launch with its files: changed on the host before it starts, changed back and checked after it has ended.

The guardian does both, and undoes by itself when the harness is gone, so nothing here has to survive anything.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from harness.adapters import ADAPTERS, Place
from harness.adapters.base import recorded_environment
from harness.gates.base import failed
from harness.hosts.base import ChangingHost, WorkedHost
from harness.overlay.building import Built
from harness.overlay.prepare import prepare
from harness.overlay.values import NotChanged
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import GateName, Reason
from harness.vocabulary.target import Target
from harness.workflow.building import as_entry, recorded_build
from harness.workflow.ending import certainly
from harness.workflow.launch import run_launch
from harness.workflow.launch_values import LaunchEvent, LaunchOutcome, LaunchRequest
from ledger.entries import ChangedFile as FileEntry
from ledger.entries import Launch


class AppliedHost(WorkedHost, ChangingHost, Protocol):
    """Reads what a build wrote down, and changes files."""


async def run_changed(
    request: LaunchRequest,
    target: Target,
    criteria: Criteria,
    host: AppliedHost,
    arms: Sequence[Arm],
    progress: Callable[[LaunchEvent], None],
) -> LaunchOutcome:
    """`run_launch`, around which the files of its arm are changed and changed back; on every way out.

    The launch is invalid (NOT_APPLIED) where a file cannot be put in place: then nothing was started.
    """
    built = await recorded_build(host, request.arm.build) if request.arm and request.arm.build else None
    prepared = prepare(target, with_hash(request.arm, built), request.launch)
    if not prepared.changes:
        return await run_launch(request, target, criteria, host, arms, progress)
    began = time.time()
    try:
        changed = await certainly(host.change(request.launch, prepared.changes))
        if isinstance(changed, NotChanged):
            return _not_applied(request, prepared.target, changed.detail, began)
        loaded = replace(request, arm=prepared.arm)
        outcome = await run_launch(loaded, prepared.target, criteria, host, arms, progress)
    finally:
        undone = await certainly(host.undo())
    said = (undone.detail,) if isinstance(undone, NotChanged) else undone
    files = tuple(FileEntry(**vars(one)) for one in changed)
    fingerprint = request.arm.fingerprint if request.arm else None
    record = {"files": files, "undone": said, "arm": fingerprint, "built": as_entry(built) if built else None}
    return replace(outcome, launch=outcome.launch.model_copy(update=record))


def with_hash(arm: Arm | None, built: Built | None) -> Arm | None:
    """The arm with the hash of what was built for it, so that every launch uses the same file."""
    if arm is None or built is None:
        return arm
    overlay = tuple(
        over.model_copy(update={"sha256": built.sha256}) if over.source == built.output else over
        for over in arm.overlay
    )
    return arm.model_copy(update={"overlay": overlay})


def _not_applied(request: LaunchRequest, target: Target, detail: str, began: float) -> LaunchOutcome:
    place = Place(alias=request.launch, port=0, cwd=request.cwd)
    launch = Launch(
        launch=request.launch,
        run=request.run,
        target=target.name,
        block=request.block,
        attempt=request.attempt,
        position=request.position,
        role=request.role.value,
        arm=request.arm.fingerprint if request.arm else None,
        argv=ADAPTERS[target.adapter].argv(target, request.arm, place),
        env=recorded_environment(target, request.arm),
        pid=None,
        start_time=None,
        ready_s=None,
        log=None,
        outcome="invalid",
        reason=Reason.NOT_APPLIED,
        detail=detail,
    )
    gate = failed(GateName.READY, Reason.NOT_APPLIED, detail)
    return LaunchOutcome(launch, (gate,), None, (), "", began, time.time())
