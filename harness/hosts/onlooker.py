"""Looking at a host without touching it: the guardian's record, the process table and logs. It starts no guardian."""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import look, procfs
from harness.hosts.base import Held, Production
from harness.hosts.wire import held_from_json, production_from_json


class Onlooker:
    """Read-only view of one state directory on this machine."""

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir.resolve()
        self._key = procfs.state_key(self.state_dir)

    async def production(self) -> Production:
        """What is recorded of production, with `held` only if that very process runs now."""
        try:
            record = json.loads((self.state_dir / "production.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Production(spec=None, wanted=False, held=None, url=None)
        held = held_from_json(record["held"]) if record["held"] else None
        return production_from_json(record, runs=held is not None and await self.alive(held))

    async def alive(self, held: Held) -> bool:
        """Whether that very process still runs."""
        return procfs.same(held.pid, held.start_time)

    async def pids(self, held: Held) -> tuple[int, ...]:
        """The pids of its process tree, itself first; empty when it is gone."""
        if not procfs.same(held.pid, held.start_time):
            return ()
        tree = procfs.members(self._key, lambda label: label == held.label, {held.pid: held.start_time})
        return (held.pid, *sorted(set(tree) - {held.pid}))

    async def read_log(self, held: Held) -> str:
        """Everything the server has written so far, undecodable bytes replaced; empty if there is no such log."""
        try:
            return held.log.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""

    async def memory_available_mib(self) -> int:
        """Memory available on this host, MiB."""
        return procfs.available_mib()

    async def look(self, question: Mapping[str, Any]) -> Any:
        """The answer of `harness.look.answer`; a question about the machine counts this process as its own."""
        own = {"pids": [*question["pids"], os.getpid()]} if question["ask"] == "machine" else {}
        return await asyncio.to_thread(look.answer, {**question, **own})
