"""A finished run replays offline, byte for byte; where something is read otherwise today, the difference is shown."""

from pathlib import Path

import pytest

from committee.testing.misbehaving import Misbehaving, misbehaving
from committee.workflow.frozen import review_run
from committee.workflow.graph import start
from committee.workflow.replay import Replay, Seat, replay
from committee.workflow.state import Stage
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from ledger.entries import ReviewRun
from ledger.store import Ledger
from tests.committee.review.sitting import TARGET, config, openai
from tests.committee.workflow.office import PROPOSAL, office


async def reviewed(server: Misbehaving, folder: Path, upto: Stage = Stage.BRIEF) -> str:
    """The id of a run with two reviews and two exclusions."""
    asked = config(
        openai("glm", "good+a", server.base_url),
        openai("minimax", "good+b", server.base_url),
        openai("cut", "cut-json", server.base_url),
        {"name": "agent", "kind": "command", "argv": ["committee-no-such-agent"]},
        quorum=2,
    )
    with office(folder, asked) as desk:
        return (await start(desk, PROPOSAL, upto)).run


def again(folder: Path, run: str, target: Target = TARGET) -> Replay:
    """The run replayed from its ledger, of which nothing is changed."""
    with Ledger.open(folder / "records.db", actor="test") as ledger:
        begun, head = review_run(ledger, run), ledger.head()
        assert isinstance(begun, ReviewRun)
        found = replay(ledger, begun, target)
        assert ledger.head() == head
    return found


async def test_offline_and_the_same_to_the_byte(tmp_path: Path) -> None:
    async with misbehaving() as server:
        run = await reviewed(server, tmp_path)
        sent = len(server.models)
    found = again(tmp_path, run)
    assert found.same and found.difference == () and len(server.models) == sent
    assert found.seats == (
        Seat("glm", "complete", "complete"),
        Seat("minimax", "complete", "complete"),
        Seat("cut", "invalid_json", "invalid_json"),
        Seat("agent", "could_not_start", "could_not_start"),
    )
    assert len(found.arms_now) == 2


async def test_what_is_read_otherwise_today_is_shown(server: Misbehaving, tmp_path: Path) -> None:
    run = await reviewed(server, tmp_path)
    narrower = TARGET.model_copy(update={"allowed_flags": {}})
    found = again(tmp_path, run, narrower)
    assert not found.same and len(found.arms_now) == len(found.arms_then) - 1
    assert all(seat.same for seat in found.seats), "an arm that cannot run does not spoil a review"
    assert found.difference[:2] == ("--- brief.md as recorded", "+++ brief.md today")
    assert any(line.startswith("+") and "Cannot be run" in line for line in found.difference)


async def test_a_run_without_a_brief_cannot_be_compared(server: Misbehaving, tmp_path: Path) -> None:
    run = await reviewed(server, tmp_path, Stage.REVIEW)
    with pytest.raises(BadFileError, match="came to no brief"):
        again(tmp_path, run)
