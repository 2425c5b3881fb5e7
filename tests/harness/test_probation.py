"""A production on probation: kept only when it is told to be, and the former one is back whoever is gone before."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.hosts.base import Held, NotStarted
from harness.hosts.connection import GuardianError, RefusedError
from harness.hosts.host import Host
from tests.harness.hosts.yard import Yard, a_yard, kill, opened, until, with_production


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    with a_yard(tmp_path) as made:
        yield made


async def tried(host: Host, yard: Yard, *flags: str) -> Held | NotStarted:
    """The new production in place of the one that runs."""
    await host.begin("deploy-000001")
    await host.try_production(yard.production(*flags))
    await host.take_down()
    return await host.bring_back()


NEW = ("--workers", "2")


def runs(yard: Yard, *flags: str) -> bool:
    """Whether production is up as started with these flags, and nothing else would be started next."""
    record, wanted = yard.record(), list(yard.production(*flags).argv)
    same = record["started_as"]["argv"] == wanted == record["spec"]["argv"]
    return yard.is_up() and same and record["former"] is None


async def test_one_that_is_kept_is_production(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        assert isinstance(await tried(host, yard, *NEW), Held)
        assert (await host.production()).former == yard.production()
        await host.settle_production(keep=True)
        assert (await host.production()).former is None
        await host.end()
    assert runs(yard, *NEW)


async def test_one_that_is_not_kept_is_ended_and_the_former_is_recorded_again(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        await tried(host, yard, *NEW)
        await host.settle_production(keep=False)
        assert (await host.production()).held is None
        assert isinstance(await host.bring_back(), Held)
        with pytest.raises(RefusedError, match="no production is on probation"):
            await host.settle_production(keep=True)
        await host.end()
    assert runs(yard)


async def test_a_run_that_ends_without_a_word_has_not_kept_it(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        await tried(host, yard, *NEW)
        await host.end()
        await until(lambda: runs(yard), "the former one is back")


async def test_one_that_does_not_start_has_one_attempt(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        failed = await tried(host, yard, "--die-after-s", "0")
        assert isinstance(failed, NotStarted) and "in 1 attempts" in failed.detail, failed
        await host.settle_production(keep=False)
        await host.bring_back()
        await host.end()
    assert runs(yard)


async def test_nothing_is_tried_outside_a_run_or_beside_nothing(yard: Yard) -> None:
    async with opened(yard) as host:
        with pytest.raises(RefusedError, match="begin a run before production is tried"):
            await host.try_production(yard.production())
        await host.begin("deploy-000001")
        with pytest.raises(RefusedError, match="one must be recorded before"):
            await host.try_production(yard.production())
        await host.end()


async def test_the_harness_is_gone_and_the_former_one_comes_back(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        await tried(host, yard, *NEW)
    await until(lambda: runs(yard), "the former one is back")


async def test_the_guardian_is_gone_and_the_next_one_puts_the_former_one_back(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        await tried(host, yard, *NEW)
        kill(*yard.guardian())
        with pytest.raises(GuardianError):
            await host.settle_production(keep=True)
    outcome = await yard.restore()
    assert outcome.up, outcome
    assert runs(yard)
