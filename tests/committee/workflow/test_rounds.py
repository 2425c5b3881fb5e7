"""Later rounds of a run: who is asked, what they are shown, what it adds, and that nothing is paid twice."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from committee.fuse.fuse import fuse
from committee.review.rounds import bare, round_run, shown_of
from committee.testing.gullible import Gullible, gullible
from committee.testing.misbehaving import Misbehaving
from committee.vocabulary.config import CommitteeConfig
from committee.workflow.frozen import review_run
from committee.workflow.graph import resume, start
from committee.workflow.replay import replay
from committee.workflow.state import Stage
from ledger.entries import Attempt, Brief, Hypothesis, Response, Review, ReviewRun
from ledger.store import Ledger
from ledger.verify import verify
from tests.committee.fuse.sample import make_arm, make_hypothesis
from tests.committee.review.sitting import REVISION, TARGET, config, openai
from tests.committee.workflow import run_rounds
from tests.committee.workflow.office import PROPOSAL, office

ROOT = Path(__file__).parents[3]
PATIENCE_S = 60


def committee(server: Gullible | Misbehaving, *models: str, second_look: bool = True) -> CommitteeConfig:
    """Reviewers named by their models, with a second look."""
    seats = [openai(model.partition("+")[2] or model, model, server.base_url) for model in models]
    made = config(*seats, quorum=1)
    return made.model_copy(update={"review": made.review.model_copy(update={"second_look": second_look})})


async def test_a_second_look_adds_and_refutes_and_shows_no_names(tmp_path: Path) -> None:
    async with gullible() as server:
        with office(tmp_path, committee(server, "refuter+ada", "sober+bob")) as desk:
            run = (await start(desk, PROPOSAL, Stage.BRIEF)).run
            second = round_run("second_look", run)
            (begun,) = [entry for _, entry in desk.ledger.of(ReviewRun, run=second)]
            assert (begun.round, begun.of_run, [seat.name for seat in begun.reviewers]) == (
                "second_look",
                run,
                ["ada", "bob"],
            )
            told = {one.hypothesis: one for _, one in desk.ledger.of(Hypothesis, run=second)}
            refuted, lost = told[f"{second}/ada/1"], told[f"{second}/ada/2"]
            assert refuted.refutes in {f"{run}/ada/1", f"{run}/bob/1"}
            assert refuted.arm_fingerprint == desk.ledger.of(Hypothesis, run=run)[0][1].arm_fingerprint
            assert "'H99' is wrong, which was not shown" in str(lost.not_runnable)
            (brief,) = [entry for _, entry in desk.ledger.of(Brief, run=run)]
            assert set(told) <= set(brief.hypotheses)
            text = desk.ledger.read_blob(brief.markdown.sha256).decode()
            sent = len(desk.ledger.of(Attempt))
            assert (await resume(desk, run, Stage.BRIEF)).ended == ""
            assert len(desk.ledger.of(Attempt)) == sent == 4 == len(server.prompts)
    assert "Refutes: " in text and "Refuted by: ada \\#2" in text and "## Contradictions\n\n- total" in text
    looks = [prompt for prompt in server.prompts if "second look" in prompt]
    assert len(looks) == 2 and all("begin hypothesis H2" in prompt for prompt in looks)
    assert not any("ada" in prompt or "bob" in prompt for prompt in looks)
    assert verify(tmp_path / "records.db").ok


async def test_without_the_setting_nobody_is_asked_again(tmp_path: Path) -> None:
    async with gullible() as server:
        with office(tmp_path, committee(server, "sober", second_look=False)) as desk:
            await start(desk, PROPOSAL, Stage.BRIEF)
            assert len(desk.ledger.of(ReviewRun)) == len(server.prompts) == 1


async def test_who_failed_in_the_first_round_has_no_second_look(server: Misbehaving, tmp_path: Path) -> None:
    with office(tmp_path, committee(server, "good+ada", "prose+bob")) as desk:
        run = (await start(desk, PROPOSAL, Stage.BRIEF)).run
        (begun,) = [entry for _, entry in desk.ledger.of(ReviewRun, run=round_run("second_look", run))]
        assert [seat.name for seat in begun.reviewers] == ["ada"]
        assert [entry.reviewer for _, entry in desk.ledger.of(Review)] == ["ada", "ada"]


@pytest.mark.system
async def test_a_round_that_was_answered_is_not_asked_again_when_the_checkpoint_is_gone(tmp_path: Path) -> None:
    async with gullible() as server:
        with office(tmp_path, committee(server, "refuter+ada", "sober+bob"), differential=True) as desk:
            run = (await start(desk, PROPOSAL, Stage.SECOND_LOOK)).run
        (tmp_path / ".committee" / "checkpoints.db").unlink()
        sent = len(server.prompts)
        with office(tmp_path, committee(server, "refuter+ada", "sober+bob")) as desk:
            assert (await resume(desk, run, Stage.BRIEF)).ended == ""
        assert len(server.prompts) == sent == 6
    with Ledger.open(tmp_path / "records.db", actor="test") as ledger:
        rounds = {entry.round for _, entry in ledger.of(ReviewRun)}
    assert rounds == {"first", "without_comments", "second_look"}


async def test_a_run_with_every_round_replays_byte_for_byte(tmp_path: Path) -> None:
    async with gullible() as server:
        with office(tmp_path, committee(server, "refuter+ada", "sober+bob"), differential=True) as desk:
            run = (await start(desk, PROPOSAL, Stage.BRIEF)).run
            begun = review_run(desk.ledger, run)
            assert begun is not None
            found = replay(desk.ledger, begun, TARGET)
    assert found.same, found.difference
    assert [seat.reviewer for seat in found.seats][2:] == [
        "ada (without_comments)", "bob (without_comments)", "ada (second_look)", "bob (second_look)"
    ]  # fmt: skip


def test_labels_say_nothing_about_who_and_secrets_are_not_shown_on() -> None:
    one = make_hypothesis("ada", 1, make_arm("a", threads=1))
    other = make_hypothesis("bob", 1, None)
    leak = make_hypothesis("cyd", 1, None, mechanism="use HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzabcdefgh")
    shown = shown_of(fuse([one, other, leak], []))
    assert [each.label for each in shown] == ["H1", "H2"]
    assert {each.hypothesis for each in shown} == {one.hypothesis, other.hypothesis}
    renamed = [each.model_copy(update={"reviewer": "zoe", "hypothesis": each.hypothesis.replace("ada", "zoe")})
               for each in (one, other)]  # fmt: skip
    assert [each.mechanism for each in shown_of(fuse(renamed, []))] == [each.mechanism for each in shown]


def test_comments_go_from_every_file_but_the_header() -> None:
    files = (("evidence/a.c", b"int a; // why\n"), ("proposal.toml", b"# kept\n"), ("evidence/x.bin", b"\xff//\n"))
    assert dict(bare(replace(REVISION, files=files)).files) == {
        "evidence/a.c": b"int a;  \n",
        "proposal.toml": b"# kept\n",
        "evidence/x.bin": b"\xff//\n",
    }


def answers(folder: Path) -> int:
    """How many answers are on record."""
    with Ledger.open(folder / "records.db", actor="test") as ledger:
        return len(ledger.of(Response))


@pytest.mark.system
async def test_killed_in_the_second_look_only_what_was_on_its_way_is_sent_again(tmp_path: Path) -> None:
    async with gullible() as server:
        words = ("-m", "tests.committee.workflow.run_rounds", str(tmp_path / "killed"), server.base_url)
        process = await asyncio.create_subprocess_exec(sys.executable, *words, cwd=ROOT)
        async with asyncio.timeout(PATIENCE_S):
            await server.held.wait()
            while answers(tmp_path / "killed") < 5:  # noqa: ASYNC110 - of another process: three, then two second looks
                await asyncio.sleep(0.05)
        process.kill()
        await process.wait()
        server.released.set()
        made = run_rounds.settings(server.base_url)
        with office(tmp_path / "killed", made) as desk:
            run = desk.ledger.of(ReviewRun)[0][1].run
            assert (await resume(desk, run, Stage.BRIEF)).ended == ""
            second = round_run("second_look", run)
            attempts = sorted(one.attempt for _, one in desk.ledger.of(Attempt, run=second))
            assert attempts == [f"{second}/{name}" for name in ("ada/1", "bob/1", "bob/2", "cyd/1")]
        with office(tmp_path / "whole", made) as desk:
            await start(desk, PROPOSAL, Stage.BRIEF)
    killed, whole = (tmp_path / name / "proposals" / PROPOSAL / "brief.md" for name in ("killed", "whole"))
    assert killed.read_bytes() == whole.read_bytes()
    assert verify(tmp_path / "killed" / "records.db").ok
