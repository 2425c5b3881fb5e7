"""This host: servers of this machine, started and ended by its guardian. It starts and signals nothing itself."""

import asyncio
from pathlib import Path
from typing import Self

from harness.hosts.connection import Connection, GuardianError, RefusedError
from harness.hosts.host import Host
from harness.hosts.onlooker import LocalSight
from harness.hosts.spawn import made, spawn_guardian
from harness.lease import LeaseHeld

__all__ = ["GuardianError", "LocalHost", "RefusedError"]


class LocalWay(LocalSight):
    """This machine, without anything in between."""

    home: Path | None = None

    async def connect(self) -> Connection:
        """A connection to the guardian that serves. Raises OSError where none does."""
        return await Connection.open(self.state_dir)

    async def spawn(self) -> str:
        """Start a guardian; what it complained about, if it did."""
        return await asyncio.to_thread(spawn_guardian, self.state_dir)

    async def lease(self, run: str, *, take_over: bool) -> LeaseHeld | None:
        """Nothing to take: on this machine the lease lies in the state directory and is its process's own."""
        return None

    async def close(self) -> None:
        """Nothing to leave."""


class LocalHost(Host):
    """The host that this process runs on."""

    @classmethod
    async def open(cls, state_dir: Path) -> Self:
        """Connect to the guardian; if none is alive, start one, which ends orphans first. Raises GuardianError."""
        return await cls.over(LocalWay(made(state_dir)))
