"""What of a ticket lies on the target's host: the model file by its content, the driver, the cards. It only looks."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from committee.accept.model import content_words
from committee.accept.record import NO_CARD, card_words
from harness.hosts.connection import GuardianError
from harness.hosts.looking import identity
from harness.hosts.models import ModelSeen, model_files
from harness.vocabulary.target import Target
from harness.workflow.carrier import onlooker
from harness.workflow.production import state_dir

UNSEEN = "not seen"  # begins a value that could not be looked at


@dataclass(frozen=True)
class HostSeen:
    """The host's own parts of a ticket, as they are now."""

    model: str
    driver: str
    cards: str
    files: tuple[ModelSeen, ...] | None = None  # of models, read whole; none where the host could not be asked


@dataclass(frozen=True)
class Asked:
    """Which model files are looked at."""

    bound: tuple[str, ...]  # paths that the ticket names
    measured: tuple[str, ...]  # files that launches ran with
    known: tuple[ModelSeen, ...]  # whole files' hashes of earlier looks


def look_at_host(workspace: Path, target: Target, asked: Asked) -> HostSeen:
    """Ask the host that carries the target; what it does not answer is said to be not seen, in one sentence."""
    try:
        return asyncio.run(_look(workspace, target, asked))
    except (GuardianError, OSError) as error:
        said = f"{UNSEEN} ({error})"
        return HostSeen(said, said, said)


async def _look(workspace: Path, target: Target, asked: Asked) -> HostSeen:
    async with onlooker(state_dir(workspace, target), target) as host:
        facts = await identity(host)
        folders = {path: await host.look({"ask": "files", "folder": path}) for path in asked.bound}
        alone = [path for path in asked.bound if not folders[path]]
        files = await model_files(host, sorted({*alone, *asked.measured}), asked.known, whole=True)
        model = "; ".join(content_words(path, folders[path], files) for path in asked.bound) or "no file is known"
        return HostSeen(model, facts.driver or NO_CARD, card_words(facts.cards), files)
