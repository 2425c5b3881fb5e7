"""An attempt on its way: what somebody may be at is left alone, and what is not wanted any more is not begun."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from committee.cli.consenting import not_deployed
from committee.deploy.deploying import Wanted, changed, put, refuse, settle, wanted
from harness.lease import Lease, forget_elsewhere
from harness.workflow.drain import Politeness
from ledger.entries import Deployment, Payload
from ledger.store import Entry, Ledger, P
from tests.committee.cli.yard import make
from tests.committee.deploy.yard import FAST, SLOW, DeployYard, make_yard
from tests.harness.test_lease import leased_elsewhere, taken
from tests.harness.workflow.kill_yard import kill_guardian


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeployYard]:
    """One acceptance, and production that was never started."""
    made = make_yard(make(tmp_path_factory.mktemp("deploying") / "ws"))
    with made.bench.ledger:
        made.accept(FAST, "measure-000001")
        yield made


def now(yard: DeployYard) -> Wanted:
    """What is in force, to be put on its target."""
    return wanted(yard.bench.workspace, yard.bench.ledger, "small", "Ada")


def begun(name: str, want: Wanted) -> Deployment:
    """An attempt on its way."""
    return Deployment(
        deployment=name, target="small", acceptance=want.decided and want.decided[0].id, ticket=None, outcome="begun",
        detail="it is to be put on small", away_s=None, person="Ada",
    )  # fmt: skip


def settled(yard: DeployYard) -> Deployment | str | None:
    """What is said of an open attempt."""
    return asyncio.run(settle(yard.bench.workspace, yard.bench.ledger, now(yard)))


def test_an_attempt_that_somebody_may_be_at_gets_no_end(yard: DeployYard) -> None:
    before = yard.outcomes()
    want = now(yard)
    assert settled(yard) is None and want.decided is not None
    yard.bench.ledger.append(begun("deploy-1", want))
    state = yard.folder / ".committee" / "targets" / "small"
    with taken(Lease.take(state, "deploy")):
        said = settled(yard)
        assert isinstance(said, str) and said.startswith("deployment deploy-1 is under way: The target is being ")
        typed = yard.committee("deploy", "0001", "--yes")
        assert typed.code == 1 and typed.err.startswith("deployment deploy-1 is under way: "), typed
    ended = "deployment deploy-1 did not end and production of 'small' is not up as it should be; run 'harness restore"
    with taken(Lease.take(state, "measure-000001")):
        assert str(settled(yard)).startswith(ended), "whoever measures is not at it"
    assert str(settled(yard)).startswith(ended)
    leased_elsewhere(state, "deploy")
    assert "is under way: The target is leased by ada@elsewhere.invalid" in str(settled(yard))
    forget_elsewhere(state)
    assert yard.outcomes() == [*before, "begun"]


class Raced(Ledger):
    """A ledger in which somebody else ends an attempt just after it was found open, or just before its end is added."""

    open_one: Deployment | None = None
    raced = 0

    def of(self, schema: type[P], **where: object) -> list[tuple[Entry, P]]:
        found = super().of(schema, **where)
        if self.open_one and "target" in where and schema is Deployment:
            self.append(ended(self.open_one))
            self.open_one = None
        return found

    def append_after(
        self, seq: int, payloads: Sequence[Payload], contents: Sequence[bytes] = ()
    ) -> tuple[Entry, ...] | None:
        if isinstance(payloads[0], Deployment) and not self.raced:
            self.raced = self.append(ended(payloads[0])).seq
        return super().append_after(seq, payloads, contents)


class Looking(Ledger):
    """A ledger that looks, at each entry of a deployment, whether the target is leased."""

    lease: Path
    seen: tuple[tuple[str, bool], ...] = ()

    def append_after(
        self, seq: int, payloads: Sequence[Payload], contents: Sequence[bytes] = ()
    ) -> tuple[Entry, ...] | None:
        if isinstance(payloads[0], Deployment):
            self.seen += ((payloads[0].outcome, self.lease.exists()),)
        return super().append_after(seq, payloads, contents)


def ended(one: Deployment) -> Deployment:
    """How whoever was at it says that it ended."""
    return one.model_copy(update={"outcome": "deployed", "detail": "small is up"})


def test_an_attempt_has_one_end(yard: DeployYard) -> None:
    place, want = yard.bench.workspace, now(yard)
    open_one = begun("deploy-2", want)
    yard.bench.ledger.append(open_one)
    before = yard.outcomes()
    database = yard.bench.ledger.database
    with Raced(database, "test", database.engine(create=False)) as raced:
        raced.open_one = open_one
        assert asyncio.run(settle(place, raced, want)) is None, "it ended before anybody could look for who is at it"
        assert yard.outcomes() == [*before, "deployed"]
        assert refuse(raced, want, "too late") == raced.of(Deployment)[-1][1]
        assert raced.of(Deployment)[-1][0].seq == raced.raced
    assert yard.outcomes() == [*before, "deployed", "deployed"]


def test_an_attempt_is_leased_until_its_end_is_on_record(yard: DeployYard) -> None:
    database = yard.bench.ledger.database
    with Looking(database, "test", database.engine(create=False)) as looking:
        looking.lease = yard.folder / ".committee" / "targets" / "small" / "lease.json"
        asyncio.run(put(yard.bench.workspace, looking, now(yard), Politeness(), print))
        assert looking.seen == (("begun", True), ("refused", True)) and not looking.lease.exists()


def spoil(state: Path) -> None:
    """Take the guardian away and damage its record."""
    kill_guardian(state)
    (state / "production.json").write_text("{", encoding="utf-8")


def test_what_fails_before_it_began_is_refused_and_after_that_failed(
    yard: DeployYard, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, ledger, want, before = yard.bench.workspace, yard.bench.ledger, now(yard), yard.outcomes()
    state = yard.folder / ".committee" / "targets" / "small"
    kill_guardian(state)
    with monkeypatch.context() as machine:
        machine.setattr(sys, "executable", "/none/python")
        first = asyncio.run(put(place, ledger, want, Politeness(), print)).ended
    assert first.outcome == "refused" and "no guardian could be started" in first.detail
    second = asyncio.run(put(place, ledger, want, Politeness(), lambda _: spoil(state))).ended
    (state / "production.json").unlink()
    assert second.outcome == "failed" and second.detail.endswith(
        "; which baseline runs cannot be seen now; 'harness restore small' says it later"
    )
    assert yard.outcomes() == [*before, "refused", "begun", "failed"]


def test_files_and_ticket_count_as_they_are_then(yard: DeployYard) -> None:
    place, ledger, want = yard.bench.workspace, yard.bench.ledger, now(yard)
    file = yard.folder / "targets" / "small.toml"
    kept = file.read_text(encoding="utf-8")
    file.write_text(kept.replace("users = 2", "users = 3"), encoding="utf-8")
    assert "files of target 'small' were changed meanwhile; give the command again" in str(changed(place, ledger, want))
    file.write_text("<<<<<<< HEAD\n", encoding="utf-8")
    assert "small.toml" in str(changed(place, ledger, want))
    file.write_text(kept, encoding="utf-8")
    assert changed(place, ledger, want) is None
    asked = yard.folder / "proposals" / "0001-quicker" / "PROPOSAL.md"
    question = asked.read_text(encoding="utf-8")
    asked.write_text("another question\n", encoding="utf-8")
    said = changed(place, ledger, want)
    assert said is not None and "has expired: revision was" in said
    assert changed(place, ledger, replace(want, noted=said)) is None, "who goes back was told so"
    asked.write_text(question, encoding="utf-8")


def test_what_a_person_said_yes_to_is_looked_at_again_under_the_lease(yard: DeployYard) -> None:
    place, ledger, want, before = yard.bench.workspace, yard.bench.ledger, now(yard), yard.outcomes()
    assert changed(place, ledger, want) is None
    second = yard.accept(SLOW, "measure-000002")
    said = f"slow (acceptance #{second.seq}) is in force on 'small' by now, no longer {want.words}"
    told: list[str] = []
    ended = asyncio.run(put(place, ledger, want, Politeness(users_accept=True), told.append))
    assert (ended.ended.outcome, ended.ended.detail, ended.up, told) == ("refused", said, True, [])
    assert yard.outcomes() == [*before, "refused"], "it did not begin"


def test_whether_production_is_up_after_an_attempt_decides_what_a_stop_is(yard: DeployYard) -> None:
    place, ledger, want = yard.bench.workspace, yard.bench.ledger, now(yard)
    down = asyncio.run(put(place, ledger, want, Politeness(users_accept=True), print))
    assert not down.up and "does not run, so there is nothing to go back to" in down.ended.detail
    assert not_deployed(want, down).stands, "also where a person has asked to stop"
    assert not not_deployed(want, replace(down, up=True)).stands, "the former baseline is up again: a mere stop"
