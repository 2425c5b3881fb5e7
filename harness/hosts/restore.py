"""Recovery when harness and guardian were both killed: orphans end, production comes back. Safe to repeat."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from harness.hosts.base import Held, NotStarted
from harness.hosts.connection import GuardianError
from harness.hosts.host import Host
from harness.hosts.local import LocalHost


def no_use(name: str) -> str:
    """Why restoring again would not help: it starts the very same once more."""
    return (
        f"It was started as it was recorded. If that cannot work any more, mend 'targets/{name}.toml' after what the "
        f"log says and run 'harness start {name}', or give production up with 'harness stop {name}'."
    )


@dataclass(frozen=True)
class RestoreOutcome:
    """What restore found and did."""

    sentence: str  # for a person
    held: Held | None  # production, if it is up now
    up: bool  # production is as it should be: up, or down because none is recorded or wanted
    quotes: bool = False  # the sentence has words of a server, or what it said of itself: private values may be in it
    note: str = ""  # why such words were left out, for a person; empty where nothing was


async def restore(state_dir: Path, opened: Callable[[], Awaitable[Host]] | None = None) -> RestoreOutcome:
    """End what was left over and bring production back, if one is recorded and wanted. `opened` opens this host in
    another way than bare."""
    where = repr(str(state_dir))
    if not os.path.isdir(state_dir):  # noqa: PTH112, ASYNC240 - one look
        return RestoreOutcome(f"Nothing was ever recorded in {where}; there is no production to restore.", None, True)
    name = os.path.basename(state_dir)  # noqa: PTH119
    return await restore_over(opened or (lambda: LocalHost.open(state_dir)), where, name)


async def restore_over(opened: Callable[[], Awaitable[Host]], where: str, name: str) -> RestoreOutcome:
    """The same on whatever host is opened; `where` names it in sentences, `name` the target in commands."""
    try:
        host = await opened()
    except (GuardianError, OSError) as error:
        return RestoreOutcome(f"Production was not restored: {error}.", None, False)
    try:
        return await _restore(host, where, name)
    except GuardianError as error:
        return RestoreOutcome(f"Production was not restored: {error}.", None, False, quotes=True)
    finally:
        await host.close()


async def _restore(host: Host, where: str, name: str) -> RestoreOutcome:
    before = await host.production()
    if host.runs:
        sentence = f"Run {host.runs[0]!r} is being measured in {where} by a live process; stop that one instead."
        return RestoreOutcome(sentence, before.held, False)
    if before.spec is None:
        return RestoreOutcome(f"No production was ever recorded in {where}; left-overs were ended.", None, True)
    if not before.wanted:
        return RestoreOutcome(f"Production in {where} was stopped by a person and stays down.", None, True)
    held = await host.bring_back()
    if isinstance(held, NotStarted):
        return RestoreOutcome(f"Production was not restored: {held.detail}. {no_use(name)}", None, False, quotes=True)
    after = await host.production()
    did = "was already running" if before.held == held else "is back"
    at = f" at {after.url}" if after.url else ""
    return RestoreOutcome(f"Production {did}: pid {held.pid}{at}.", held, True, quotes=bool(at))


def unquoted(outcome: RestoreOutcome, place: Path) -> RestoreOutcome:
    """Pure: the outcome without a server's own words, and where they are."""
    if not outcome.quotes:
        return outcome
    if outcome.held is not None:
        return replace(outcome, sentence=f"Production is up as it was recorded: pid {outcome.held.pid}.", quotes=False)
    where = f"'journal.jsonl', 'guardian.log' and 'logs' of {str(place)!r} say why"
    said = f"Production was not restored: {where}; it is not shown, because private values may be in it."
    return replace(outcome, sentence=said, quotes=False)
