"""Whether the host still holds what was fetched into a proposal: asked at `committee check`, never without a limit."""

import asyncio

from committee.proposals.complaint import Complaint, note, warning
from committee.pull.fetch import drifted
from committee.pull.manifest import MANIFEST, manifest_in
from committee.vocabulary.proposal import FrozenRevision
from committee.workspace import Workspace
from harness.hosts.connection import GuardianError
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from harness.workflow.production import state_dir

LOOK_S = 20.0  # a host that does not answer in this time is said to be unseen, and the check goes on


def drift_complaints(place: Workspace, revision: FrozenRevision, target: Target) -> list[Complaint]:
    """A warning for each fetched file that is another one on the host now; a note where nobody could look."""
    try:
        manifest = manifest_in(dict(revision.files))
    except BadFileError:
        return []  # the check itself says so
    if manifest is None:
        return []
    if manifest.target != target.name:
        said = f"it was fetched from the host of {manifest.target!r}, but the proposal is about {target.name!r}"
        return [warning(MANIFEST, f"{said}; pull again")]

    async def look() -> tuple[str, ...]:
        async with asyncio.timeout(LOOK_S):
            return await drifted(state_dir(place.folder, target), target, manifest)

    try:
        return [warning(MANIFEST, sentence) for sentence in asyncio.run(look())]
    except (GuardianError, OSError, TimeoutError) as error:
        return [note(MANIFEST, f"whether it still holds could not be seen on the host ({error or 'no answer'})")]
