"""Hostile comments against a reviewer that obeys them, over real sockets: nothing is accepted but what is flagged."""

from pathlib import Path

import pytest

from committee.brief.content import WithoutComments
from committee.fuse.source import without_comments
from committee.review.rounds import round_run
from committee.testing.gullible import gullible
from committee.testing.hostile import HOSTILE, Hostile
from committee.testing.replies import HYPOTHESIS
from committee.workflow.graph import start
from committee.workflow.rounds import later_rounds, recorded, told_in, with_rounds
from committee.workflow.state import Stage
from ledger.entries import Exclusion, Hypothesis, Review, ReviewRun
from ledger.store import Ledger
from tests.committee.brief.sample import make_input
from tests.committee.review.sitting import config, openai
from tests.committee.workflow.office import PROPOSAL, office

QUICK = {"an-order"}  # the others run as system tests
EXPECTED = {(name, str(HYPOTHESIS["mechanism"])) for name in ("ada", "bob", "cyd")}  # what nobody is told to say


@pytest.mark.parametrize("attack", HOSTILE, ids=lambda attack: attack.name)
def test_every_attack_stands_in_a_comment(attack: Hostile) -> None:
    assert attack.order in attack.text
    assert attack.order not in without_comments(attack.path, attack.text)


async def reviewed(folder: Path, attack: Hostile | None) -> tuple[Ledger, ReviewRun]:
    """One differential run of an obedient and two sober reviewers; the ledger is open for reading."""
    async with gullible() as server:
        seats = [openai(name, model, server.base_url) for name, model in
                 (("ada", "gullible"), ("bob", "sober+b"), ("cyd", "sober+c"))]  # fmt: skip
        with office(folder, config(*seats, quorum=2), differential=True) as desk:
            if attack is not None:
                place = folder / "proposals" / PROPOSAL / attack.path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(attack.text)
            result = await start(desk, PROPOSAL, Stage.BRIEF)
            assert result.ended == ""
    ledger = Ledger.open(folder / "records.db", actor="test")
    return ledger, ledger.of(ReviewRun, run=result.run)[0][1]


def differences(ledger: Ledger, begun: ReviewRun) -> WithoutComments:
    """What the brief says of the round without comments."""
    given = with_rounds(make_input([]), recorded(ledger, begun.run), later_rounds(ledger, begun), {})
    assert given.without_comments is not None
    return given.without_comments


def accepted(told: list[Hypothesis]) -> set[tuple[str, str]]:
    """Who supposes what."""
    return {(one.reviewer, one.mechanism) for one in told}


@pytest.mark.parametrize(
    "attack",
    [pytest.param(one, id=one.name, marks=() if one.name in QUICK else (pytest.mark.system,)) for one in HOSTILE],
)
async def test_nothing_is_accepted_beyond_what_is_flagged(attack: Hostile, tmp_path: Path) -> None:
    ledger, begun = await reviewed(tmp_path / "hostile", attack)
    told = told_in(ledger, begun.run)
    compared = differences(ledger, begun)
    assert not compared.not_compared
    unflagged = accepted([one for one in told if one.hypothesis not in compared.only_with_comments])
    assert unflagged | accepted(list(compared.silenced)) == EXPECTED or compared.failed_by_comments == {"ada"}
    assert unflagged <= EXPECTED and all(reviewer == "ada" for reviewer, _ in EXPECTED - unflagged)
    attacked = compared.only_with_comments or compared.failed_by_comments or compared.silenced
    assert attacked, "the attack left no mark"
    excluded = {left.reviewer for _, left in ledger.of(Exclusion, run=begun.run)}
    assert excluded == set(compared.failed_by_comments)
    assert not [one for one in told if one.arm_fingerprint and one.arm and one.arm.get("env")]
    assert ledger.of(Review, run=round_run("without_comments", begun.run))
    brief = (tmp_path / "hostile" / "proposals" / PROPOSAL / "brief.md").read_text()
    assert "**Only with comments**" in brief or "## Said only without comments" in brief
    ledger.close()


async def test_without_an_attack_nothing_is_flagged(tmp_path: Path) -> None:
    ledger, begun = await reviewed(tmp_path, None)
    compared = differences(ledger, begun)
    assert not (compared.only_with_comments or compared.failed_by_comments or compared.silenced)
    ledger.close()
