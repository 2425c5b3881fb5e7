"""Many proposals in one go: shared limits, and one that fails stops no other."""

from pathlib import Path
from shutil import copytree

import pytest

from committee.testing.misbehaving import Misbehaving
from committee.vocabulary.config import CommitteeConfig
from committee.workflow.several import Outcome, start_all
from ledger.entries import Attempt, Brief, Exclusion
from ledger.store import Ledger
from ledger.verify import verify
from tests.committee.review.sitting import openai
from tests.committee.workflow.office import PROPOSAL, office, write_proposal


def committee(server: Misbehaving, **limits: object) -> CommitteeConfig:
    seats = [openai("glm", "good+a", server.base_url), openai("minimax", "good+b", server.base_url)]
    return CommitteeConfig.model_validate(
        {"review": {"quorum": 1, "calls_per_endpoint": 3}, "reviewer": seats} | limits
    )


def proposals(folder: Path, count: int) -> list[str]:
    first = write_proposal(folder)
    names = [PROPOSAL, *(f"{number:04d}-which-knob" for number in range(2, count + 1))]
    for name in names[1:]:
        place = copytree(first, folder / "proposals" / name)
        header = place / "proposal.toml"
        header.write_text(header.read_text().replace(PROPOSAL, name))
    return names


async def test_each_has_its_own_run_and_brief_under_one_limit(server: Misbehaving, tmp_path: Path) -> None:
    names, told = proposals(tmp_path, 5), list[Outcome]()
    with office(tmp_path, committee(server)) as desk:
        ended = await start_all(desk, names, tell=told.append)
        assert [outcome.proposal for outcome in ended] == names
        assert sorted(outcome.proposal for outcome in told) == names
        assert all(outcome.good and outcome.run for outcome in ended)
        assert {brief.proposal for _, brief in desk.ledger.of(Brief)} == set(names)
        assert len({attempt.run for _, attempt in desk.ledger.of(Attempt)}) == 5
    assert len(server.models) == 10 and server.most_at_once <= 3
    assert verify(tmp_path / "records.db").ok


async def test_one_that_fails_stops_no_other(server: Misbehaving, tmp_path: Path) -> None:
    names = proposals(tmp_path, 3)
    (tmp_path / "proposals" / names[1] / "criteria.toml").write_text("blocks = 0\n")
    with office(tmp_path, committee(server)) as desk:
        first, broken, last = await start_all(desk, names)
    assert first.good and last.good
    assert broken.run is None and "criteria.toml" in broken.sentence


@pytest.mark.system
async def test_the_workspaces_budget_is_one_for_all(server: Misbehaving, tmp_path: Path) -> None:
    """Ten calls of 1,200 tokens are wanted, each of at most some 6,500; so not all of them can be sent."""
    names = proposals(tmp_path, 5)
    with office(tmp_path, committee(server, budget={"tokens": 15_000})) as desk:
        await start_all(desk, names)
        left = [one for _, one in desk.ledger.of(Exclusion)]
    assert 2 <= len(server.models) < 10 and len(left) == 10 - len(server.models)
    assert {one.reason for one in left} == {"over_budget"}
    assert all("workspace's budget of 15000 tokens" in one.detail for one in left)


@pytest.mark.system
async def test_a_fault_of_ours_is_raised_when_the_others_are_through(server: Misbehaving, tmp_path: Path) -> None:
    names = proposals(tmp_path, 3)

    def folder_of(proposal: str) -> Path:
        if proposal == names[0]:
            raise ZeroDivisionError("a bug")
        return tmp_path / "proposals" / proposal

    with office(tmp_path, committee(server), folder_of=folder_of) as desk, pytest.raises(ZeroDivisionError):
        await start_all(desk, names)
    with Ledger.open(tmp_path / "records.db", actor="test") as ledger:
        assert {brief.proposal for _, brief in ledger.of(Brief)} == set(names[1:])
