"""Which host carries a target, and the lease on it: this machine, or another one over ssh as the target's file says."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.hosts.base import Production
from harness.hosts.connection import GuardianError
from harness.hosts.host import Host
from harness.hosts.local import LocalHost
from harness.hosts.onlooker import Onlooker
from harness.hosts.restore import RestoreOutcome, restore, restore_over, unquoted
from harness.hosts.ssh import SshHost, SshWay
from harness.lease import Lease, LeaseHeld
from harness.lease import forget_elsewhere as forget_lease
from harness.vocabulary.private import blanks_of
from harness.vocabulary.target import Target
from harness.workflow.recorded_words import withheld


@dataclass(frozen=True)
class Claim:
    """For what a lease is wanted."""

    run: str  # a run, or the word of a command
    take_over: bool = False


async def open_host(place: Path, target: Target) -> Host:
    """The host of a target over its guardian. `place` is the target's state directory on this machine, where it is
    used if the server runs here. Raises GuardianError."""
    host = await LocalHost.open(place) if target.host is None else await SshHost.open(target.host, target.name)
    host.blanks = blanks_of(target)
    return host


async def claimed_host(place: Path, target: Target, claim: Claim) -> Host | LeaseHeld:
    """The host with its own lease taken, which only one over ssh has besides the workspace's. Raises GuardianError."""
    host = await open_host(place, target)
    try:
        refused = await host.lease(claim.run, take_over=claim.take_over)
    except BaseException:
        await host.close()
        raise
    if refused is not None:
        await host.close()
        return refused
    return host


@asynccontextmanager
async def leased_host(place: Path, target: Target, claim: Claim) -> AsyncIterator[Host | LeaseHeld]:
    """The host under the workspace's lease and its own; both are given back at the end. Raises GuardianError."""
    lease = Lease.take(place, claim.run, take_over=claim.take_over)
    if isinstance(lease, LeaseHeld):
        yield lease
        return
    with lease:
        host = await claimed_host(place, target, claim)
        try:
            yield host
        finally:
            if isinstance(host, Host):
                await host.close()


async def forget_elsewhere(place: Path, target: Target) -> None:
    """By a person's word, forget leases that machines of another name hold: in the workspace, and on the host over ssh.

    Raises GuardianError. Whoever is seen to measure from that very machine is left alone.
    """
    forget_lease(place)
    if target.host is not None:
        way = await SshWay.open(target.host, target.name)
        try:
            await way.ask("forget_lease")
        finally:
            await way.close()


@asynccontextmanager
async def onlooker(place: Path, target: Target) -> AsyncIterator[Onlooker]:
    """Looking at the host of a target; no guardian is started. Raises GuardianError."""
    if target.host is None:
        looking = Onlooker(place)
        looking.blanks = blanks_of(target)
        yield looking
        return
    way = await SshWay.open(target.host, target.name)
    try:
        looking = Onlooker(way)
        looking.blanks = blanks_of(target)
        yield looking
    finally:
        await way.close()


async def restore_target(place: Path, target: Target) -> RestoreOutcome:
    """Bring production back after harness and guardian both died; safe to repeat.

    Nothing that a server said is shown where the target's files no longer say what its variables were (`withheld`).
    """
    recorded: list[tuple[Path, Production]] = []

    async def opened() -> Host:
        host = await open_host(place, target)
        there = host.state_dir if target.host is None else Path(f"{target.host.ssh}:{host.state_dir}")
        with suppress(GuardianError):  # one that is damaged is said by whoever restores
            recorded.append((there, await host.production()))
        return host

    if target.host is None:
        outcome = await restore(place, opened)
    else:
        outcome = await restore_over(opened, repr(f"{target.name} on {target.host.ssh}"), target.name)
    for there, production in recorded:
        outcome = withheld(outcome, target, production, there)
    return blanks_of(target).whole(outcome)


async def restore_recorded(place: Path) -> RestoreOutcome | None:
    """The same without the target, whose file cannot be read: from the record on this machine; none where none is.

    Which values are private is not known then, so nothing that a server said is shown. Raises GuardianError for a
    record that is damaged.
    """
    if (await Onlooker(place).production()).spec is None:
        return None
    return unquoted(await restore(place), place)
