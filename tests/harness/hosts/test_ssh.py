"""A host over ssh beyond the common contract: its lease, its far end, what is installed, and a link that is cut."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import lease, procfs
from harness.hosts.connection import GuardianError
from harness.hosts.ssh import SshHost
from harness.hosts.ssh_link import UnreachableError
from harness.vocabulary.target import OtherHost, Target
from harness.workflow.carrier import forget_elsewhere
from tests.harness.hosts.sshd import NAME, Sshd, a_sshd
from tests.harness.hosts.stages import Stage, reach
from tests.harness.hosts.test_kills import settled
from tests.harness.hosts.yard import Yard, a_yard, opened, until, with_production
from tests.harness.test_lease import leased_elsewhere
from tests.harness.vocabulary.test_target import MINIMAL

pytestmark = pytest.mark.system


@pytest.fixture
def over_ssh(tmp_path: Path) -> Iterator[tuple[Yard, Sshd]]:
    with a_sshd(tmp_path / "sshd") as sshd, a_yard(tmp_path, sshd) as made:
        yield made, sshd


async def test_the_lease_there_names_who_holds_it_and_is_given_back(over_ssh: tuple[Yard, Sshd]) -> None:
    yard, _ = over_ssh
    async with opened(yard) as host, opened(yard) as other:
        assert await host.lease("run-1") is None
        holder = lease.read(yard.state)
        assert holder is not None and {holder.pid} < yard.far_ends()
        assert (holder.run, holder.start_time) == ("run-1", procfs.start_time(holder.pid))
        refused = await other.lease("run-2", take_over=True)
        assert refused is not None and refused.stale is False
        assert f"is being measured by {holder.through} through {holder.owner} (pid {holder.pid}," in refused.sentence
    assert lease.read(yard.state) is None


async def test_the_lease_of_a_cut_link_is_stale_and_the_same_run_takes_it_back(over_ssh: tuple[Yard, Sshd]) -> None:
    yard, sshd = over_ssh
    host = await yard.open()
    assert await host.lease("run-1") is None
    sshd.cut()
    await until(lambda: not yard.far_ends(), "the far end ends with its link")
    await host.close()
    async with opened(yard) as other:
        refused = await other.lease("run-2")
        assert refused is not None and refused.stale is True
        assert f"is stale: that process is gone; go on with that run, or {lease.TAKE_OVER}." in refused.sentence
        assert await other.lease("run-1") is None
    holder = lease.read(yard.state)
    assert holder is None


async def test_the_same_run_waits_until_its_earlier_link_is_noticed_to_be_gone(over_ssh: tuple[Yard, Sshd]) -> None:
    yard, _ = over_ssh
    first = await yard.open()
    assert await first.lease("run-1") is None
    async with opened(yard) as again:
        waiting = asyncio.create_task(again.lease("run-1"))
        await asyncio.sleep(0.5)  # it asks several times
        assert not waiting.done()
        for pid in yard.far_ends():
            holder = lease.read(yard.state)
            if holder is not None and holder.pid == pid:
                os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(20):
            assert await waiting is None
    await first.close()


async def test_a_broken_lease_there_is_one_sentence(over_ssh: tuple[Yard, Sshd]) -> None:
    yard, _ = over_ssh
    async with opened(yard) as host:
        (yard.state / "lease.json").write_text("{", encoding="utf-8")
        refused = await host.lease("run-1")
        assert refused is not None and "does not say who holds the lease" in refused.sentence
        assert await host.lease("run-1", take_over=True) is None
        assert "is being measured by" in (await host.leased("run-1") or "") and await host.leased("deploy") is None


async def test_a_lease_there_of_another_host_is_forgotten_by_a_persons_word(
    over_ssh: tuple[Yard, Sshd], monkeypatch: pytest.MonkeyPatch
) -> None:
    yard, sshd = over_ssh
    home = yard.root / "home" / ".ssh"
    home.mkdir(parents=True)
    (home / "config").write_text(sshd.config.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setenv("HOME", str(yard.root / "home"))
    host = {"ssh": NAME, "folder": str(yard.far), "python": sys.executable}
    target = Target.from_mapping(MINIMAL | {"name": "small", "host": host}, "target")
    leased_elsewhere(yard.state)
    async with opened(yard) as other:
        refused = await other.lease("run-2", take_over=True)
        assert refused is not None and "is leased by ada@elsewhere.invalid" in refused.sentence
    await forget_elsewhere(yard.root / "here", target)
    assert lease.read(yard.state) is None


@pytest.mark.parametrize("stage", Stage)
async def test_a_cut_link_brings_production_back_and_the_harness_goes_on(
    over_ssh: tuple[Yard, Sshd], stage: Stage
) -> None:
    yard, sshd = over_ssh
    before = yard.files()
    await with_production(yard, *(("--start-s", "0.3") if stage is Stage.COMING_BACK else ()))
    host = await yard.open()
    reached = await reach(host, yard, stage)
    assert sshd.cut() > 0
    await settled(reached)
    with pytest.raises(GuardianError, match="open the host again"):
        await host.bring_back()
    await host.close()
    await until(lambda: stage is Stage.IDLE or "harness_lost" in yard.said(), "the loss is noticed")
    await until(lambda: yard.is_up() and len(yard.marked()) == 2, "production is back")
    async with opened(yard) as again:
        await yard.assert_production_is_back()
        assert again.runs == ()
        await again.begin("run-1")
        await again.take_down()
        await again.bring_back()
        await again.end()
    await yard.assert_production_is_back()
    assert yard.files() == before


async def test_a_far_end_killed_alone_leaves_the_guardian_to_its_harness(over_ssh: tuple[Yard, Sshd]) -> None:
    yard, _ = over_ssh
    held = await with_production(yard)
    async with opened(yard) as host:
        await host.begin("run-1")
        for pid in yard.far_ends():
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(GuardianError, match=r"the far end on 'bench-host' (is gone|went away)"):
            await host.alive(held)
    await until(lambda: "harness_lost" in yard.said(), "leaving in a run counts as lost")
    await yard.assert_production_is_back()


async def test_what_cannot_be_started_there_is_said(over_ssh: tuple[Yard, Sshd]) -> None:
    yard, sshd = over_ssh
    for other, said in (
        (OtherHost(ssh=NAME, folder=str(yard.far), python="/no/python3"), "'/no/python3' does not run there"),
        (OtherHost(ssh=NAME, folder=str(yard.work / "model.bin"), python=sys.executable), "cannot be used"),
    ):
        with pytest.raises(UnreachableError, match=said):
            await SshHost.open(other, "small", sshd.config)


async def test_an_sshd_that_allows_no_sockets_is_named(tmp_path: Path) -> None:
    with (
        a_sshd(tmp_path / "sshd", "AllowStreamLocalForwarding no") as sshd,
        a_yard(tmp_path, sshd) as yard,
        pytest.raises(UnreachableError, match="set AllowStreamLocalForwarding for this login"),
    ):
        await yard.open()
