"""Kill -9 at every step of a deployment, on the simulator: production is up as before or as wanted, passes its gates,
and the next command says which."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from committee.deploy.deploying import Wanted, put, settle
from committee.workspace import Workspace
from harness.hosts.local import LocalHost
from harness.workflow.deploy import runs_new
from harness.workflow.drain import Politeness
from harness.workflow.order import read_target
from harness.workflow.proof import production_gates
from ledger.entries import Deployment
from tests.harness.workflow.kill_yard import PROJECT, KillYard, kill_guardian, kill_yard

TARGET = (PROJECT / "targets" / "simulated-tp4.toml").read_text(encoding="utf-8")
NAME = "simulated-tp4"
BOUND_S = 60.0
STEPS = (  # what is told first, and how many seconds later the process is gone
    ("deployment", 0.0),
    ("production is taken down", 0.05),
    ("the new baseline is started", 0.3),
    ("it is up; its gates are checked", 0.02),
    ("it holds", 0.0),
)


def killed_at(yard: KillYard, want: Wanted, step: str, after_s: float, guardian: bool = False) -> None:
    """A deployment in a process of its own that is gone, without a word, at that step; with its guardian or without."""

    def tell(said: str) -> None:
        if said.startswith(step):
            if guardian:
                kill_guardian(yard.place)
            if after_s:
                signal.setitimer(signal.ITIMER_REAL, after_s)  # nobody handles it: the kernel ends the process
            else:
                os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        try:
            with yard.ledger() as ledger:
                asyncio.run(put(Workspace(yard.folder), ledger, want, Politeness(users_accept=True), tell))
        finally:
            os._exit(3)  # it was not killed
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), (step, os.waitstatus_to_exitcode(status))


async def found(yard: KillYard, want: Wanted) -> tuple[bool, Deployment | str | None]:
    """Whether production, which passes its gates, is the new one; and the end that the deployment is given."""
    host = await LocalHost.open(yard.place)
    try:
        gates = await production_gates(host, want.target)
        assert len(gates) == 3 and all(gate.passed for gate in gates), gates
        new = runs_new(want.target, await host.production())
    finally:
        await host.close()
    with yard.ledger() as ledger:
        return new, await settle(Workspace(yard.folder), ledger, want)


def edited(yard: KillYard) -> Wanted:
    """The target's file with another flag, to be deployed as what a person wrote."""
    path = yard.folder / "targets" / f"{NAME}.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("max-num-seqs = 8", "max-num-seqs = 4", 1), "utf-8")
    return Wanted(read_target(path)[0], None, None, "Ada")


@pytest.mark.system
@pytest.mark.alone
async def test_production_is_one_of_the_two_whoever_is_killed_and_when(tmp_path: Path) -> None:
    async with kill_yard(tmp_path, TARGET, NAME) as yard:
        want = edited(yard)
        for step, after_s in STEPS:
            await asyncio.to_thread(killed_at, yard, want, step, after_s)
            await yard.until_back()
            new, end = await found(yard, want)
            assert not new and isinstance(end, Deployment) and end.outcome == "failed", (step, after_s, end)
            assert (
                "it was interrupted; simulated-tp4 runs the baseline from before its files were changed" in end.detail
            )
        await both_killed(yard, want)
        await asyncio.to_thread(killed_at, yard, want, "it is kept", 0.0)
        await yard.until_back()
        new, end = await found(yard, want)
        assert new and isinstance(end, Deployment) and end.outcome == "deployed", end
        yard.assert_ledger_verifies()


async def both_killed(yard: KillYard, want: Wanted) -> None:
    """Harness and guardian at once: nobody acts until `harness restore`, which says which baseline runs."""
    await asyncio.to_thread(killed_at, yard, want, "it is up; its gates are checked", 0.0, True)
    with yard.ledger() as ledger:
        still = await settle(Workspace(yard.folder), ledger, want)
    assert isinstance(still, str) and "'harness restore " in still, "it is on probation until somebody restores"
    said = await yard.harness("restore", NAME)
    assert said.code == 0 and "runs the baseline from before its files were changed" in said.words, said
    await yard.until_back()
    new, end = await found(yard, want)
    assert not new and isinstance(end, Deployment) and end.outcome == "failed"
