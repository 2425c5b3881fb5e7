"""A production on probation: a new one has to prove itself, and the former one is kept until it has.

Standard library, `servers.py` and `overlay/` only; part of the guardian. Whatever ends before `settle_production` keeps
the new one (the harness, its connection, the guardian itself), the former one is what production is again.
"""

from contextlib import suppress
from typing import Protocol

from harness.overlay.steps import Json, Refused, Steps
from harness.servers import PRODUCTION, Servers


class Connection(Protocol):
    """Who asks."""

    run: str  # set between begin and end


class Guarding(Protocol):
    """What a guardian is here."""

    servers: Servers


def try_production(guardian: Guarding, peer: Connection, message: Json) -> Steps:
    """Record a new production for the next start, and the present one as the former; nothing is started or ended."""
    yield
    record, spec = guardian.servers.record, message["spec"]
    if not peer.run:
        raise Refused("begin a run before production is tried: only then does the former one come back by itself")
    if record["spec"] is None or spec["label"] != PRODUCTION:
        raise Refused(f"only {PRODUCTION!r} can be replaced, and one must be recorded before")
    guardian.servers.save(former=record["former"] or record["spec"], spec=spec)
    guardian.servers.journal("production_tried", "", record["held"])


def settle_production(guardian: Guarding, peer: Connection, message: Json) -> Steps:
    """Keep the new production, or end it and record the former one again; starting that is for `bring_back`."""
    if not message["keep"]:
        yield from put_back(guardian.servers)
    elif guardian.servers.record["former"] is None:
        raise Refused("no production is on probation; it was put back when its harness or guardian was lost")
    else:
        guardian.servers.save(former=None)
        guardian.servers.journal("production_kept", "", guardian.servers.record["held"])
    yield


def put_back(servers: Servers) -> Steps:
    """Where a new production is on probation: end it, then record the former one as production again."""
    former = servers.record["former"]
    if former is None:
        return
    if servers.record["held"] and servers.record["started_as"] != former:
        yield from servers.take_down()  # first: one that is forgotten only afterwards is never adopted unproven
    servers.save(spec=former, former=None)
    servers.journal("production_put_back", "a new one was not kept", servers.record["held"])


def restore(servers: Servers) -> Steps:
    """After a run whose harness is gone: bring production back if it is wanted, the former one if one is tried."""
    with suppress(Refused):  # what outlives SIGKILL is journalled, and the start below ends it once more
        yield from put_back(servers)
    if servers.record["wanted"]:
        yield from servers.bring_back()


def sweep(servers: Servers) -> Steps:
    """What a guardian does first: a new production that nobody kept goes, then whatever an earlier guardian left."""
    with suppress(Refused):
        yield from put_back(servers)
    yield from servers.sweep()
