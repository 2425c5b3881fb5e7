"""The graph from a proposal to a waiting person, over real HTTP, with its checkpoint lost at will."""

import asyncio
import json
from pathlib import Path
from typing import TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph

from committee.review.progress import ReviewerEvent
from committee.testing.misbehaving import Misbehaving
from committee.vocabulary.config import CommitteeConfig
from committee.workflow.desk import Measured, Measuring, StageEvent
from committee.workflow.graph import decide, resume, start
from committee.workflow.state import Stage
from harness.vocabulary.base import BadFileError
from ledger.entries import Arm, Attempt, Brief, Exclusion, Hypothesis, Review, ReviewRun, Verdict
from ledger.verify import verify
from tests.committee.review.sitting import TARGET, config, openai
from tests.committee.workflow.office import PROPOSAL, Bench, office


def three(server: Misbehaving, quorum: int = 2) -> CommitteeConfig:
    return config(
        openai("glm", "good+a", server.base_url),
        openai("minimax", "good+b", server.base_url),
        {"name": "agent", "kind": "command", "argv": ["committee-no-such-agent"]},
        quorum=quorum,
    )


async def test_from_proposal_to_brief(server: Misbehaving, tmp_path: Path) -> None:
    stages: list[StageEvent] = []
    events: list[ReviewerEvent] = []
    with office(tmp_path, three(server), watch=events.append, watch_stages=stages.append) as desk:
        result = await start(desk, PROPOSAL)
        assert (result.exit_code, result.ended, result.waiting) == (0, "", False)
        assert result.seats == {"glm": "complete", "minimax": "complete", "agent": "could_not_start"}
        assert len(result.arms) == 2  # both reviewers name one and the same change, the author another
        (_, brief) = desk.ledger.of(Brief, run=result.run)[0]
        assert brief.took_part == ("glm", "minimax") and brief.excluded == ("agent",)
        assert brief.arms == result.arms == tuple(sorted(brief.arms))
        text = (tmp_path / "proposals" / PROPOSAL / "brief.md").read_text()
        assert desk.ledger.read_blob(brief.markdown.sha256).decode() == text
        assert "agent" in text and "could_not_start" in text
    assert [event.stage for event in stages] == ["freeze", "preflight", "quorum", "fuse", "brief"]
    assert [event.state for event in events if event.reviewer == "glm"] == ["asked", "answered", "complete"]
    assert verify(tmp_path / "records.db").ok


async def test_all_the_way_to_a_waiting_person_and_their_decision(server: Misbehaving, tmp_path: Path) -> None:
    with office(tmp_path, three(server)) as desk:
        waiting = await start(desk, PROPOSAL, Stage.ACCEPT)
        assert waiting.waiting and waiting.exit_code == 0
        assert waiting.measuring_run == waiting.run.replace("review-", "measure-")
        assert len(waiting.verdicts) == 2 == len(desk.ledger.of(Verdict))
        assert len(desk.ledger.of(Arm)) == 2
        head = desk.ledger.head()
        assert (await resume(desk, waiting.run, Stage.ACCEPT)).waiting
        done = await decide(desk, waiting.run, {"arm": "two-slots"})
        assert not done.waiting and done.exit_code == 0
        assert desk.ledger.head() == head  # waiting and deciding write nothing by themselves
        assert isinstance(desk.measure, Bench) and len(desk.measure.asked) == 1


@pytest.mark.parametrize(
    ("loss", "reached"),
    [("nothing", Stage.BRIEF), ("gone", Stage.REVIEW), ("gone", Stage.BRIEF), ("no database", Stage.REVIEW)],
)
async def test_a_run_goes_on_without_its_checkpoint_and_nothing_is_sent_twice(
    server: Misbehaving, tmp_path: Path, loss: str, reached: Stage
) -> None:
    with office(tmp_path, three(server)) as desk:
        begun = await start(desk, PROPOSAL, reached)
    cache = tmp_path / ".committee" / "checkpoints.db"
    assert cache.exists()
    if loss == "gone":
        cache.unlink()
    elif loss == "no database":
        cache.write_bytes(b"this is no database" * 100)
    with office(tmp_path, three(server)) as desk:
        result = await resume(desk, begun.run, Stage.RANK)
        assert result.exit_code == 0
        assert result.seats == {"glm": "complete", "minimax": "complete", "agent": "could_not_start"}
        assert len(result.verdicts) == 2
        for schema, count in ((ReviewRun, 1), (Attempt, 3), (Review, 2), (Exclusion, 1), (Hypothesis, 2), (Brief, 1)):
            assert len(desk.ledger.of(schema)) == count, schema
    assert sorted(server.models) == ["good+a", "good+b"]


async def test_the_folder_may_change_while_a_run_stands(server: Misbehaving, tmp_path: Path) -> None:
    with office(tmp_path, three(server)) as desk:
        begun = await start(desk, PROPOSAL, Stage.REVIEW)
        (tmp_path / "proposals" / PROPOSAL / "arms" / "two-slots.toml").write_text("broken")
        result = await resume(desk, begun.run, Stage.ARMS)
        assert result.exit_code == 0 and len(result.arms) == 2


@pytest.mark.parametrize("mode", ["empty", "other-count"])
async def test_without_a_quorum_the_run_ends_with_a_sentence(server: Misbehaving, tmp_path: Path, mode: str) -> None:
    settings = config(openai("glm", "good", server.base_url), openai("minimax", mode, server.base_url), quorum=2)
    reason = {"empty": "empty", "other-count": "count_differs"}[mode]
    with office(tmp_path, settings) as desk:
        result = await start(desk, PROPOSAL, Stage.ACCEPT)
        assert result.exit_code == 1
        assert result.ended == (
            "1 of 2 reviewers gave a complete review, but the quorum is 2 "
            f"(left out: minimax {reason}); mend them or lower the quorum, then review again"
        )
        assert desk.ledger.of(Brief) == [] and desk.ledger.of(Arm) == []
    assert not (tmp_path / "proposals" / PROPOSAL / "brief.md").exists()


async def test_nothing_of_a_failed_review_reaches_the_brief(server: Misbehaving, tmp_path: Path) -> None:
    settings = config(
        {"name": "agent", "kind": "command", "argv": ["sh", "-c", "echo LEAKED-WORDS; exit 3"]},
        openai("glm", "good", server.base_url),
        openai("prose", "prose", server.base_url),
        openai("shape", "wrong-shape", server.base_url),
    )
    with office(tmp_path, settings) as desk:
        result = await start(desk, PROPOSAL)
        assert result.seats == {
            "agent": "bad_exit",
            "glm": "complete",
            "prose": "invalid_json",
            "shape": "wrong_shape",
        }
        assert {h.reviewer for _, h in desk.ledger.of(Hypothesis)} == {"glm"}
    for name in ("brief.md", "brief.html"):
        text = (tmp_path / "proposals" / PROPOSAL / name).read_text()
        assert "LEAKED-WORDS" not in text
        assert "I would try four slots" not in text
        assert "ranking" not in text


async def test_a_proposal_that_does_not_pass_is_not_sent(server: Misbehaving, tmp_path: Path) -> None:
    with office(tmp_path, three(server)) as desk:
        arm = tmp_path / "proposals" / PROPOSAL / "arms" / "two-slots.toml"
        arm.write_text(arm.read_text().replace("n-parallel = 2", "n-parallel = 99"))
        result = await start(desk, PROPOSAL)
        assert result.exit_code == 1
        assert "'n-parallel' = 99 must be between 1 and 8" in result.ended
        assert desk.ledger.of(ReviewRun) == []
    assert server.models == []


async def test_a_secret_in_the_target_stops_the_run_before_it_begins(server: Misbehaving, tmp_path: Path) -> None:
    flags = {"served": "sk-" + "proj-" + "Zx81kLmN04pQrS7tUvW2"}
    leaky = TARGET.model_copy(update={"baseline": TARGET.baseline.model_copy(update={"flags": flags})})
    with office(tmp_path, three(server), target_of=lambda _name: (leaky, "f" * 64)) as desk:
        result = await start(desk, PROPOSAL)
        assert result.exit_code == 1
        assert result.ended.startswith("what 'glm' would be sent looks like it holds a secret (model provider's key)")
        assert desk.ledger.of(ReviewRun) == []
    assert server.models == []


async def test_an_unfinished_measurement_ends_the_run_and_is_rejoined(server: Misbehaving, tmp_path: Path) -> None:
    with office(tmp_path, three(server)) as desk:
        assert isinstance(desk.measure, Bench)
        desk.measure.complete = False
        first = await start(desk, PROPOSAL, Stage.ACCEPT)
        assert (first.exit_code, first.ended) == (1, "the run was interrupted; resume it")
        desk.measure.complete = True
        second = await resume(desk, first.run, Stage.ACCEPT)
        assert second.waiting
        assert {measuring.run for measuring in desk.measure.asked} == {first.measuring_run}
    assert sorted(server.models) == ["good+a", "good+b"]


async def test_without_an_arm_or_a_verdict_the_run_ends_with_a_sentence(tmp_path: Path) -> None:
    answer = {"proposal": PROPOSAL, "count": 0, "hypotheses": []}
    (tmp_path / "nothing.json").write_text(json.dumps({"label": "recorded", "model": "m", "answer": answer}))
    settings = config({"name": "rec", "kind": "recorded", "recording": str(tmp_path / "nothing.json")}, quorum=1)

    async def silent(measuring: Measuring) -> Measured:
        return Measured(measuring.run, True, "")

    with office(tmp_path, settings, measure=silent) as desk:
        arm = tmp_path / "proposals" / PROPOSAL / "arms" / "two-slots.toml"
        no_verdict = await start(desk, PROPOSAL, Stage.ACCEPT)
        assert no_verdict.ended == f"run {no_verdict.measuring_run} came to no verdict"
        arm.unlink()
        no_arm = await start(desk, PROPOSAL, Stage.ACCEPT)
        assert no_arm.ended == "no reviewer and no file in arms/ names an arm that can be measured"
        assert no_arm.measuring_run == ""


async def test_an_unknown_run_is_one_sentence(server: Misbehaving, tmp_path: Path) -> None:
    with office(tmp_path, three(server)) as desk:
        for call in (resume(desk, "review-none-000"), decide(desk, "review-none-000", {})):
            with pytest.raises(BadFileError, match="no review run 'review-none-000'"):
                await call


async def test_a_reviewer_taken_out_of_the_file_stops_before_anything_is_sent(
    server: Misbehaving, tmp_path: Path
) -> None:
    with office(tmp_path, three(server)) as desk:
        begun = await start(desk, PROPOSAL, Stage.PREFLIGHT)
    fewer = config(openai("glm", "good+a", server.base_url), quorum=1)
    with office(tmp_path, fewer) as desk:
        with pytest.raises(BadFileError, match="no reviewer 'minimax'"):
            await resume(desk, begun.run)
        assert desk.ledger.of(Attempt) == []
    assert server.models == []


async def test_a_reviewer_whose_answer_is_there_may_have_left_the_file(server: Misbehaving, tmp_path: Path) -> None:
    with office(tmp_path, three(server)) as desk:
        begun = await start(desk, PROPOSAL, Stage.QUORUM)
    asked = len(server.models)
    fewer = config(openai("glm", "good+a", server.base_url), quorum=1)
    with office(tmp_path, fewer, checkpoints=tmp_path / "other" / "checkpoints.db") as desk:
        done = await resume(desk, begun.run)
        assert (done.exit_code, len(desk.ledger.of(Brief))) == (0, 1)
    assert len(server.models) == asked, "nothing is paid twice"


async def test_a_reviewer_that_became_another_one_stops_before_anything_is_sent(
    server: Misbehaving, tmp_path: Path
) -> None:
    with office(tmp_path, three(server)) as desk:
        begun = await start(desk, PROPOSAL, Stage.PREFLIGHT)
    agent = {"name": "agent", "kind": "command", "argv": ["committee-no-such-agent"]}
    other = config(openai("glm", "good+a", server.base_url), openai("minimax", "good+c", server.base_url), agent)
    with office(tmp_path, other) as desk:
        with pytest.raises(BadFileError, match=r"the run began with 'good\+b'"):
            await resume(desk, begun.run)
        assert desk.ledger.of(Attempt) == [], "nobody else's intent either"
    assert server.models == []


async def test_two_that_come_to_the_brief_record_it_once(server: Misbehaving, tmp_path: Path) -> None:
    """As from two machines: each has a scratch folder, and so a lock, of its own."""
    with office(tmp_path, three(server)) as desk:
        begun = await start(desk, PROPOSAL, Stage.QUORUM)
        with office(tmp_path, three(server), checkpoints=tmp_path / "other" / "checkpoints.db") as other:
            both = await asyncio.gather(resume(desk, begun.run), resume(other, begun.run))
        assert [result.exit_code for result in both] == [0, 0]
        assert len(desk.ledger.of(Brief)) == 1


class OlderState(TypedDict, total=False):
    """As an earlier release may have had it."""

    upto: str
    votes: str


async def test_a_checkpoint_of_an_older_graph_is_passed_over(server: Misbehaving, tmp_path: Path) -> None:
    """It stands in the middle of stages that today's graph does not have; what is done is in the ledger."""
    with office(tmp_path, three(server)) as desk:
        begun = await start(desk, PROPOSAL, Stage.REVIEW)
        desk.checkpoints.unlink()
        older = StateGraph(OlderState)
        older.add_node("ask_everybody", lambda _state: {"votes": "three"})
        older.add_node("count_votes", lambda _state: {})
        older.add_edge(START, "ask_everybody")
        older.add_edge("ask_everybody", "count_votes")
        async with AsyncSqliteSaver.from_conn_string(str(desk.checkpoints)) as saver:
            graph = older.compile(checkpointer=saver, interrupt_before=["count_votes"])
            place: RunnableConfig = {"configurable": {"thread_id": begun.run}}
            await graph.ainvoke({"upto": "brief"}, place)
            assert (await graph.aget_state(place)).next == ("count_votes",)
        result = await resume(desk, begun.run)
        assert (result.exit_code, len(desk.ledger.of(Brief)), len(desk.ledger.of(Attempt))) == (0, 1, 3)
    assert sorted(server.models) == ["good+a", "good+b"]
