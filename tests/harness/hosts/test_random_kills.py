"""Kills at random moments of a harness that goes round and round: whoever is left brings production back."""

import asyncio
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from harness import procfs
from harness.hosts.local import GuardianError
from tests.harness.hosts.yard import LISTENING, WAIT_S, Yard, kill, started, until, with_production

PROJECT = Path(__file__).resolve().parents[3]
ROUNDS, ROUNDS_OVER_SSH = 60, 10
SEED = 20261129  # fixed, so that a failure can be looked at again
LIFE_S = 2.0  # of a harness that nobody kills; longer than any delay
VICTIMS = ("harness", "guardian", "both", "production", "arm", "any")


@pytest.mark.system
async def test_production_comes_back_after_kills_at_random_moments(yard: Yard) -> None:
    before = yard.files()
    chance = random.Random(SEED)  # noqa: S311 - moments, not secrets
    await with_production(yard)
    for number in range(ROUNDS if yard.sshd is None else ROUNDS_OVER_SSH):
        victim, delay_s = chance.choice(VICTIMS), chance.uniform(0.0, 0.8 if yard.sshd is None else 3.0)
        where = f"round {number}: {victim} after {delay_s:.3f} s; journal ends in {yard.said()[-6:]}"
        harness = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.harness.hosts.test_random_kills", str(yard.root)),
            cwd=PROJECT,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            await asyncio.sleep(delay_s)  # the moment itself is what is tested
            strike(yard, victim, harness)
            if victim == "guardian":
                async with asyncio.timeout(3 * WAIT_S):  # it may not even have begun when its guardian is killed
                    assert await harness.wait() == 0, where  # it opened again by itself, or found a new one
        finally:
            if harness.returncode is None:
                harness.kill()
            await harness.wait()
        if victim == "both":
            outcome = await yard.restore()
            assert outcome.up, (outcome, where)
        await until(lambda: (yard.is_up() and len(yard.marked()) == 2) or gave_up(yard), where)
        if gave_up(yard):  # the fourth death in ten minutes needs somebody to ask
            assert (await yard.restore()).up, where
        await yard.assert_production_is_back()
    assert yard.files() == before


def gave_up(yard: Yard) -> bool:
    """Whether the guardian said that production dies too often, as it must after three restarts."""
    return bool(yard.journal()[-1]["detail"] == "production died again after 3 restarts in 10 minutes")


def strike(yard: Yard, victim: str, harness: asyncio.subprocess.Process) -> None:
    """Kill -9 of the victim, or of anything marked, or of harness and guardian at once."""
    if victim in ("harness", "both"):
        if victim == "both":
            procfs.send(*yard.guardian(), signal.SIGSTOP)
        harness.kill()
    if victim in ("guardian", "both"):
        kill(*yard.guardian())
    labels = {"production": lambda label: label == "production", "arm": lambda label: label == "arm"}
    if victim in ("production", "arm", "any"):
        found = sorted(yard.marked(labels.get(victim, bool)))
        for pid in found[:1]:
            procfs.send(pid, procfs.start_time(pid), signal.SIGKILL)


async def go_round(yard: Yard) -> None:
    """Launch after launch; after a lost guardian, open again, bring production back and leave."""
    host = await yard.open()
    until_s = time.monotonic() + LIFE_S
    try:
        while time.monotonic() < until_s:
            await host.begin("run-1")
            await host.take_down()
            arm = started(await host.start(yard.spec("arm", "--workers", "1", grace_s=0.1)))
            await host.ready(arm, LISTENING, WAIT_S)
            await host.stop(arm, 0.1)
            started(await host.bring_back())
            await host.end()
    except GuardianError:
        host = await yard.open()
        started(await host.bring_back())
    await host.close()


if __name__ == "__main__":
    asyncio.run(go_round(Yard.at(Path(sys.argv[1]))))
