"""The simulated server inside the caller's own event loop: no process, no workers, the same answers. For tests.

Times are less exact than in a process of its own, for client and server share the loop.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from harness.simulator.process import plan_of
from harness.simulator.server import Server


@asynccontextmanager
async def serving(words: Sequence[str] = (), env: Mapping[str, str] | None = None) -> AsyncIterator[str]:
    """A server started with these words; gives its base address. Raises ValueError for words it cannot use."""
    plan = plan_of(words, env or {})
    status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    server = Server(plan.settings, plan.engine, plan.style, (), status)
    url = await server.listen(socket.create_server((plan.engine.flags["host"], 0)))
    regular = asyncio.ensure_future(server.regular())
    try:
        yield url
    finally:
        server.end(0)
        regular.cancel()
        await asyncio.gather(regular, return_exceptions=True)
        await server.close()
