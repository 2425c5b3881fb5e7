"""Where an arm answers: never on production's port, so no user gets an experiment's output while production is away."""

from harness.adapters import Adapter
from harness.hosts.base import WatchedHost
from harness.hosts.looking import free_port
from harness.vocabulary.target import Target

TRIES = 20  # the kernel gives free ports out at random; the same one so often in a row is a fault


async def arm_port(host: WatchedHost, adapter: Adapter, target: Target) -> int:
    """A free port of that host other than production's; 0 where production itself has no port of its own."""
    if adapter.port_zero and target.endpoint.port == 0:
        return 0  # the server chooses and says so in its log
    for _ in range(TRIES):
        port = await free_port(host, target.endpoint.host)
        if port != target.endpoint.port:
            return port
    raise RuntimeError(f"the host gives out no free port but production's, {target.endpoint.port}")
