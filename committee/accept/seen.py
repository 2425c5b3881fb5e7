"""What of a ticket lies on the target's host: the model file by its content, the driver, the cards. It only looks."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from committee.accept.record import NO_CARD, card_words
from harness.hosts.connection import GuardianError
from harness.hosts.looking import identity
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.target import Target
from harness.workflow.carrier import onlooker
from harness.workflow.production import state_dir
from ledger.canonical import sha256_hex

UNSEEN = "not seen"  # begins a value that could not be looked at


@dataclass(frozen=True)
class HostSeen:
    """The host's own parts of a ticket, as they are now."""

    model: str
    driver: str
    cards: str


def look_at_host(workspace: Path, target: Target, models: Sequence[str]) -> HostSeen:
    """Ask the host that carries the target; what it does not answer is said to be not seen, in one sentence."""
    try:
        return asyncio.run(_look(workspace, target, models))
    except (GuardianError, OSError) as error:
        said = f"{UNSEEN} ({error})"
        return HostSeen(said, said, said)


async def _look(workspace: Path, target: Target, models: Sequence[str]) -> HostSeen:
    async with onlooker(state_dir(workspace, target), target) as host:
        facts = await identity(host)
        model = "; ".join([await _content(host, path) for path in models]) or "no file is known"
        return HostSeen(model, facts.driver or NO_CARD, card_words(facts.cards))


async def _content(host: Onlooker, path: str) -> str:
    """A model by its whole content; a folder of one by its files' names and sizes, which reading takes no minutes."""
    files = await host.look({"ask": "files", "folder": path})
    if files:
        return f"{path} {sha256_hex(json.dumps(files).encode())} (names and sizes of {len(files)} files)"
    found = await host.stat(Path(path))
    return f"{path} {found.sha256}" if found else f"{path} is not there"
