"""The points of a launch at which something is killed, reached in this process or, as a script, in one to be killed."""

import asyncio
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from harness.hosts.base import Held, ReadyLine
from harness.hosts.host import Host
from tests.harness.hosts.yard import LISTENING, WAIT_S, Yard, started, starting


class Stage(StrEnum):
    """In the order of a launch."""

    IDLE = "idle"
    BEGUN = "begun"
    DOWN = "down"
    ARM_STARTING = "arm_starting"
    ARM_READY = "arm_ready"
    ARM_STOPPING = "arm_stopping"
    COMING_BACK = "coming_back"


@dataclass(frozen=True)
class Reached:
    """What runs at a stage."""

    arm: Held | None = None
    pending: asyncio.Task[Any] | None = None  # the call that was under way


async def reach(host: Host, yard: Yard, stage: Stage) -> Reached:
    """Do what a harness does up to that point; production is up beforehand."""
    if stage is Stage.IDLE:
        return Reached()
    await host.begin("run-1")
    if stage is Stage.BEGUN:
        return Reached()
    await host.take_down()
    if stage is Stage.DOWN:
        return Reached()
    if stage is Stage.COMING_BACK:
        pending: asyncio.Task[Any] = asyncio.create_task(host.bring_back())
        await starting(host)
        return Reached(pending=pending)
    slow = ("--start-s", "60") if stage is Stage.ARM_STARTING else ("--ignore-term", "--orphan")
    spec = yard.spec("arm-1", "--workers", "2", *slow, grace_s=0.3)
    arm = started(await host.start(spec))
    pattern = "WORKER 1 READY" if stage is Stage.ARM_STARTING else LISTENING
    assert isinstance(await host.ready(arm, pattern, WAIT_S), ReadyLine)
    if stage is Stage.ARM_STOPPING:
        pending = asyncio.create_task(host.stop(arm, 0.3))
        await host.production()  # answered after the stop was taken in
        return Reached(arm, pending)
    return Reached(arm)


async def main(root: Path, stage: Stage) -> None:
    """Reach the stage, say so, and stay."""
    yard = Yard.at(root)
    host = await yard.open()
    await reach(host, yard, stage)
    sys.stdout.write("THERE\n")
    sys.stdout.flush()
    await asyncio.sleep(60)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Stage(sys.argv[2])))
