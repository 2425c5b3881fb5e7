"""What a person is told to do next, for every outcome."""

from typing import Any

import pytest

from committee.report.history import History
from committee.report.next_step import NextStep, after_verdict, measure_command
from committee.report.outlook import Outlook
from harness.verdicts.guards import guard_blocks
from harness.vocabulary.criteria import Guard
from harness.vocabulary.outcome import Metric
from harness.vocabulary.target import Planning
from harness.workflow.going_on import new_run_min
from ledger.entries import Look, MeasuringRun, Verdict
from tests.committee.report.sample import KNOBS, KNOBS_RUN
from tests.harness.verdicts.records import criteria

GUARD = Guard(metric=Metric.USER_TOK_S, load=1, margin_pct=10)
OPEN_BLOCKS = 37


@pytest.fixture
def run(history: History) -> MeasuringRun:
    return history.runs[0].payload


def verdict_on(history: History, arm: str, **change: Any) -> Verdict:
    """A recorded verdict with some fields replaced."""
    found = next(one.payload for one in history.verdicts if one.payload.arm_name == arm and one.payload.primary)
    return Verdict.model_validate({**found.as_json(), **change})


def guard_on(history: History, arm: str, estimate_pct: float = -0.6) -> Verdict:
    """The recorded verdict on the guard, with another estimate where one is given."""
    found = next(one.payload for one in history.verdicts if one.payload.arm_name == arm and not one.payload.primary)
    recorded = found.as_json()
    return Verdict.model_validate({**recorded, "interval": {**recorded["interval"], "estimate_pct": estimate_pct}})


def test_a_clear_gain_can_be_accepted(history: History, run: MeasuringRun) -> None:
    step = after_verdict(run, verdict_on(history, "parallel-4"), [guard_on(history, "parallel-4")])
    assert step == NextStep("accept it", f'committee accept {KNOBS} parallel-4 --reason "..."')


def test_a_changed_text_is_no_case_where_identity_is_asked(history: History, run: MeasuringRun) -> None:
    faster = verdict_on(history, "parallel-4", numerics="CHANGED")
    assert after_verdict(run, faster, ()).command is None
    assert "CHANGED" in after_verdict(run, faster, ()).words
    unknown = verdict_on(history, "parallel-4", numerics="UNKNOWN")
    assert after_verdict(run, unknown, ()).command is None


def test_another_numerics_policy_does_not_ask_for_identity(history: History, run: MeasuringRun) -> None:
    open_minded = run.model_copy(update={"criteria": {**run.criteria, "numerics": {"policy": "report"}}})
    guard = guard_on(history, "parallel-4")
    step = after_verdict(open_minded, verdict_on(history, "parallel-4", numerics="CHANGED"), [guard])
    assert step.words == "accept it"


def test_a_worse_guard_stops_the_suggestion(history: History, run: MeasuringRun) -> None:
    guard = verdict_on(history, "parallel-4", metric="ttft_ms", load=1, primary=False, speed="SLOWER")
    step = after_verdict(run, verdict_on(history, "parallel-4"), [guard])
    assert step == NextStep("faster, but worse on a guard (time to first token at 1 user): look at it first")


def test_a_guard_that_does_not_hold_is_not_to_be_accepted(history: History, run: MeasuringRun) -> None:
    faster, words = verdict_on(history, "parallel-4"), "a guard (rate per user at 1 user) may be more than 10 % worse"
    for guards in ([], [guard_on(history, "parallel-4", -9.5)]):
        step = after_verdict(run, faster, guards)
        assert (step.command, f"faster, but {words}, and no number of blocks" in step.words) == (None, True), step


def test_an_open_guard_names_the_run_that_answers_its_own_question(history: History, run: MeasuringRun) -> None:
    """Not the blocks that its speed needs, which has another margin and a level divided over the arms."""
    whole = criteria(**{name: run.criteria[name] for name in ("blocks", "level", "primary", "guard")})
    run = run.model_copy(update={"criteria": whole.model_dump(mode="json", by_alias=True)})
    open_one = guard_on(history, "parallel-4", -8.0).model_copy(update={"speed": "AMBIGUOUS", "more_blocks": 500})
    total = guard_blocks(open_one, GUARD, float(run.criteria["level"]))
    assert total == OPEN_BLOCKS
    step = after_verdict(run, verdict_on(history, "parallel-4"), [open_one])
    assert f"a new run of {total} blocks ({3 * total} launches) would show" in step.words
    assert step.command == f"committee measure {KNOBS} --arm parallel-4 --blocks {total}"
    planning = Planning(launch_sd_pct=2, start_s=10, user_tok_s=50)
    minutes = new_run_min(planning, run.criteria, total)
    known = Outlook({run.target: planning}, left_min={KNOBS: 1e6})
    priced = after_verdict(run, verdict_on(history, "parallel-4"), [open_one], known)
    assert f"({3 * total} launches, about {minutes:.1f} server minutes) would show" in priced.words
    short = after_verdict(
        run, verdict_on(history, "parallel-4"), [open_one], Outlook({run.target: planning}, left_min={KNOBS: 1.0})
    )
    assert short.command is None and "but 1.0 are left of the proposal's budget" in short.words


def test_fewer_blocks_than_the_proposal_asks_for_are_not_to_be_accepted(history: History, run: MeasuringRun) -> None:
    faster, guards = verdict_on(history, "parallel-4"), [guard_on(history, "parallel-4")]
    for asked, sentence in (
        (run.blocks, "accept it"),
        (run.blocks + 1, f"in {run.blocks} blocks where the proposal asks"),
    ):
        step = after_verdict(run, faster, guards, Outlook(asked_blocks={KNOBS: asked}))
        assert sentence in step.words and step.command is not None, step
    assert step.command == f"committee measure {KNOBS} --arm parallel-4"


def test_a_faster_arm_on_too_few_blocks_is_not_said_to_be_accepted(history: History, run: MeasuringRun) -> None:
    lost, guards = verdict_on(history, "parallel-4", blocks=2), [guard_on(history, "parallel-4")]
    for known in (Outlook(asked_blocks={KNOBS: run.blocks}), Outlook()):
        step = after_verdict(run, lost, guards, known)
        assert step.words.startswith(f"faster, but in 2 blocks where the proposal asks for {run.blocks}"), step
    looks = run.model_copy(update={"looks": (Look(blocks=2, levels=(0.01,)),)})
    assert after_verdict(looks, lost, guards).words == "accept it", "it ended early by its own rule"


def test_an_ambiguous_number_names_its_price(history: History, run: MeasuringRun) -> None:
    step = after_verdict(run, verdict_on(history, "kv-q8", numerics="IDENTICAL"), ())
    more = "undecided: 6 more blocks would settle it; blocks are fixed beforehand, so in a new run of"
    assert step.words == f"{more} {KNOBS_RUN.blocks + 6}"
    assert step.command == f"committee measure {KNOBS} --arm kv-q8 --blocks {KNOBS_RUN.blocks + 6}"


def test_an_ambiguous_number_with_a_changed_text_is_not_worth_more_blocks(history: History, run: MeasuringRun) -> None:
    assert after_verdict(run, verdict_on(history, "kv-q8"), ()).command is None


def test_an_ambiguous_number_without_a_plan_says_so(history: History, run: MeasuringRun) -> None:
    unplanned = verdict_on(history, "kv-q8", numerics="IDENTICAL", more_blocks=None, more_server_minutes=None)
    step = after_verdict(run, unplanned, ())
    assert "no number of blocks that a run may have (at most 200)" in step.words and step.command is None


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        ("no-op", "nothing to gain above 10 % at this load: leave it off"),
        ("one-thread", "leave it off at this load"),
        ("v-cache-q8", "read the engine's words, correct or drop the arm"),
    ],
)
def test_what_is_not_worth_more_is_left_off(history: History, run: MeasuringRun, arm: str, words: str) -> None:
    assert after_verdict(run, verdict_on(history, arm), ()) == NextStep(words)


@pytest.mark.parametrize(
    ("validity", "word"),
    [("NOT_ARMED", "flags"), ("NOT_SHOWN_ENGAGED", "witness"), ("INPUT_WRONG", "input"), ("CONTAMINATED", "quiet")],
)
def test_every_kind_of_missing_proof_has_its_remedy(
    history: History, run: MeasuringRun, validity: str, word: str
) -> None:
    assert word in after_verdict(run, verdict_on(history, "v-cache-q8", validity=validity), ()).words


def test_a_capability_is_not_judged_by_speed(history: History, run: MeasuringRun) -> None:
    asked = {"check": "context_tokens", "value": 131072}
    wanted = run.model_copy(update={"criteria": {**run.criteria, "capability": asked}})
    step = after_verdict(wanted, verdict_on(history, "no-op"), ())
    assert step.words.startswith("the criteria ask for a capability")
    assert step.command == f'committee accept {KNOBS} no-op --reason "..."'
    assert after_verdict(wanted, verdict_on(history, "one-thread"), ()).words == "leave it off at this load"


def test_arms_without_a_proposal_have_no_command(history: History, run: MeasuringRun) -> None:
    alone = run.model_copy(update={"proposal": None})
    assert after_verdict(alone, verdict_on(history, "parallel-4"), ()).command is None
    assert after_verdict(alone, verdict_on(history, "kv-q8", numerics="IDENTICAL"), ()).command is None
    assert measure_command(None, "x") is None
