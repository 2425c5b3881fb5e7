"""What a proposal would start and its host does not have: said by a check, before anything is paid or stopped."""

import asyncio

from committee.proposals.complaint import Complaint, warning
from committee.vocabulary.proposal import LoadedProposal
from committee.workspace import Workspace
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.target import Target
from harness.workflow.present import absent
from harness.workflow.production import state_dir


def startable_complaints(place: Workspace, proposal: LoadedProposal, target: Target) -> tuple[Complaint, ...]:
    """One warning for the first program or model file that is missing here; another machine is not asked by a check."""
    where = f"targets/{target.name}.toml"
    if target.host is not None:
        said = (
            f"whether its program and model are on {target.host.ssh!r} was not asked; `harness doctor` asks that host"
        )
        return (warning(where, said),)
    missing = asyncio.run(absent(target, proposal.arms, Onlooker(state_dir(place.folder, target)), place.folder))
    return (warning(where, f"{missing}; `committee measure` is refused until then"),) if missing else ()
