"""What was started is held and what is held is stopped, through every cancellation."""

import asyncio
from pathlib import Path

import pytest

from harness.hosts.base import Held, NotStarted, ServerSpec
from harness.workflow.ending import certainly, start_held
from tests.harness.direct_host import DirectHost

SLEEPER = ServerSpec("sleeper", ("/bin/sleep", "60"), (("PATH", "/bin"),), Path("/"), "ready", 5, 1)


class SlowHost(DirectHost):
    """A host on which a start takes a moment, as over a socket."""

    def __init__(self, logs: Path) -> None:
        super().__init__(logs)
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def start(self, spec: ServerSpec) -> Held | NotStarted:
        self.asked.set()
        await self.go_on.wait()
        return await super().start(spec)


async def test_a_start_cancelled_half_way_is_stopped_again(tmp_path: Path) -> None:
    host = SlowHost(tmp_path)
    task = asyncio.ensure_future(start_held(host, SLEEPER))
    await host.asked.wait()
    task.cancel()
    host.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(host.started) == 1 and host.living() == ()


async def test_certain_work_is_finished_before_the_cancellation_is_heard() -> None:
    begun, go_on, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await go_on.wait()
        done.set()

    task = asyncio.ensure_future(certainly(work()))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()  # an impatient second one
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done.is_set()


async def test_a_failure_of_certain_work_is_raised() -> None:
    async def work() -> None:
        raise OSError("the guardian is gone")

    with pytest.raises(OSError, match="guardian is gone"):
        await certainly(work())


@pytest.mark.parametrize(("answer", "kept"), [(NotStarted, True), (object, True), (Held, False), ((), False)], ids=str)
async def test_an_answer_that_says_more_than_the_cancellation_is_not_lost_to_it(
    answer: type | tuple[()], kept: bool
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work() -> NotStarted:
        begun.set()
        await go_on.wait()
        return NotStarted("production is down")

    task = asyncio.ensure_future(certainly(work(), answer))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.wait({task})
    assert task.cancelled() is not kept
    assert not kept or task.result() == NotStarted("production is down")
