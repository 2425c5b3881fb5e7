"""Deploying, looking again and going back on another machine, over a real sshd; the connection is cut in the middle."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from committee.deploy.deploying import put, wanted
from harness.cli.speak import GOOD, NEGATIVE
from harness.workflow.carrier import onlooker
from harness.workflow.deploy import runs_new
from harness.workflow.drain import Politeness
from harness.workflow.production import state_dir
from ledger.entries import Deployment, MeasuringRun, Rollback
from ledger.verify import verify
from tests.committee.cli.yard import make, production
from tests.committee.deploy.yard import FAST, DeployYard, make_yard
from tests.harness.hosts.sshd import NAME, Sshd, a_sshd

pytestmark = [pytest.mark.system, pytest.mark.alone]
SAY_YES = ("--yes", "--users-accept")
BACK_S = 60.0


@pytest.fixture
def sshd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sshd]:
    """The other machine, in whose name this login's own ssh configuration is."""
    with a_sshd(tmp_path / "sshd") as made:
        (tmp_path / "home" / ".ssh").mkdir(parents=True)
        (tmp_path / "home" / ".ssh" / "config").write_text(made.config.read_text(encoding="utf-8"), encoding="utf-8")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        yield made


@pytest.fixture
def yard(sshd: Sshd, tmp_path: Path) -> Iterator[DeployYard]:
    """The small workspace, whose target is on the other machine."""
    place = make(tmp_path / "ws")
    host = f'[host]\nssh = "{NAME}"\nfolder = "{tmp_path / "far"}"\npython = "{sys.executable}"\n'
    file = place / "targets" / "small.toml"
    file.write_text(f"{file.read_text(encoding='utf-8')}{host}", encoding="utf-8")
    made = make_yard(place)
    with made.bench.ledger:
        yield made


def as_its_files_say(yard: DeployYard) -> bool:
    """Whether production there runs, for good, as the target's files say now."""

    async def look() -> bool:
        target = yard.bench.workspace.target("small")[0]
        async with onlooker(state_dir(yard.folder, target), target) as looking:
            return runs_new(target, await looking.production())

    return asyncio.run(look())


def put_and_cut(yard: DeployYard, sshd: Sshd) -> Deployment:
    """A deployment whose connections are killed once the new baseline is started."""
    cuts: list[int] = []

    def tell(said: str) -> None:
        if said.startswith("the new baseline is started"):
            cuts.append(sshd.cut())

    async def work() -> Deployment:
        want = wanted(yard.bench.workspace, yard.bench.ledger, "small", "Ada")
        async with asyncio.timeout(BACK_S):
            made = await put(yard.bench.workspace, yard.bench.ledger, want, Politeness(users_accept=True), tell)
        assert made.up
        return made.ended

    ended = asyncio.run(work())
    assert cuts and cuts[0] > 0
    return ended


def test_a_server_elsewhere_is_deployed_attested_and_looked_at_again(yard: DeployYard) -> None:
    with production(yard.folder):
        first = yard.accept(FAST, "measure-000001")
        said = yard.committee("deploy", "0001", *SAY_YES)
        assert said.code == GOOD and f"deployed fast (acceptance #{first.seq})" in said.out, said
        assert as_its_files_say(yard) and yard.harness("attest", "small").code == GOOD
        watched = yard.committee("watch", "small", *SAY_YES)
        ((_, run),) = [one for one in yard.bench.ledger.of(MeasuringRun) if one[1].run != "measure-000001"]
        assert watched.code in (GOOD, NEGATIVE) and run.tunnel == NAME, watched
        assert as_its_files_say(yard), "a look brings production back as it ran"


def test_a_cut_in_the_middle_leaves_the_former_one_and_going_back_works_from_here(yard: DeployYard, sshd: Sshd) -> None:
    with production(yard.folder):
        first = yard.accept(FAST, "measure-000001")
        ended = put_and_cut(yard, sshd)
        assert ended.outcome == "failed" and "the former baseline is production again" in ended.detail, ended
        assert not as_its_files_say(yard)
        said = yard.committee("deploy", "0001", *SAY_YES)
        assert said.code == GOOD and f"deployed fast (acceptance #{first.seq})" in said.out, said
        said = yard.committee("rollback", "small", "--reason", "the line was cut once", *SAY_YES)
        assert said.code == GOOD and "deployed the baseline that a person wrote" in said.out, said
        assert as_its_files_say(yard) and len(yard.bench.ledger.of(Rollback)) == 1
        assert yard.outcomes() == ["begun", "failed", "begun", "deployed", "begun", "deployed"]
    assert verify(yard.folder / "records.db").ok
