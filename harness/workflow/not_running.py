"""A production that does not run when a run begins: what becomes of it, and who else answers on its port. Looks only.

A server that the harness did not start would not be taken down: it would share the machine with every launch, and its
users with the experiment.
"""

from collections.abc import Sequence

from harness.hosts.base import WatchedHost
from harness.hosts.looking import port_use
from harness.vocabulary.target import Target
from harness.workflow.way_up import State


def left_as_found(name: str, states: Sequence[State]) -> str:
    """What a run does with a production that nobody asked for; `states` are those on record."""
    why = "it was stopped" if states else "it was never started here"
    return (
        f"production of {name} is not running ({why}): nothing is stopped for this run and nothing is left running "
        f"after it; `harness start {name}` first if it is to be up again afterwards"
    )


async def served_by_others(target: Target, host: WatchedHost) -> str | None:
    """Who serves on the port of a production that does not run, in one sentence; none if nobody does.

    A port that the engine chooses by itself (0) is nobody's.
    """
    port = target.endpoint.port
    if not port or not (use := await port_use(host, port, ())).listening:
        return None
    who = "; ".join(use.holders) or "of another user"
    return (
        f"port {port} of {target.name!r} is served by a process that the harness did not start ({who}), so it would "
        f"stay up beside every launch; stop it and `harness start {target.name}`, which is taken down and brought back"
    )
