"""A run with looks, replayed from its record: who stops where, what is due, and the same again after every launch."""

import pytest

from harness.verdicts import assemble
from harness.vocabulary.outcome import Reason
from harness.vocabulary.sequential import Because
from ledger.entries import Metric
from tests.harness.verdicts.played import LOOKS, Play, asking, rates
from tests.harness.verdicts.records import RUN

CONTROLS = {"baseline": rates(0), "placebo": rates(0, phase=5)}


def play(**arms: list[float]) -> Play:
    """A play with these arms."""
    return Play(CONTROLS | arms, asking())


def by_name(one: Play) -> dict[str, tuple[str | None, str | None, int | None, int]]:
    """Speed, because, look and blocks of each arm's primary verdict."""
    judged = assemble(one.run, one.criteria, one.arms, one.evidence, 5.0)
    assert judged.void is None, judged.sentence
    return {v.arm_name: (v.speed, v.because, v.look, v.blocks) for v in judged.verdicts if v.primary}


def test_a_clear_gain_stops_at_the_first_look_and_the_block_shrinks() -> None:
    one = play(fast=rates(8, phase=2), slow=rates(-6, phase=3), weak=rates(2.4, wobble_pct=3, phase=7))
    state = one.to_the_end()
    said = by_name(one)
    assert said["fast"] == ("FASTER", None, 1, 4) and said["slow"] == ("SLOWER", None, 1, 4)
    assert said["weak"][2] in (2, 3)
    assert [len(due) for due in state.due[:5]] == [3, 3, 3, 3, 1]
    assert len(one.launches) == 4 * 5 + 3 * (len(state.due) - 4)


def test_an_arm_below_the_planned_gain_is_given_up_and_that_is_not_same() -> None:
    one = play(dull=rates(0.3, wobble_pct=1.5, phase=4))
    state = one.to_the_end()
    speed, because, look, _ = by_name(one)["dull"]
    assert (speed, because, look) == ("AMBIGUOUS", "futility", 1)
    assert state.notes[0] == "look 1 of 3 after 4 blocks: dull AMBIGUOUS (futility)"
    (verdict,) = assemble(one.run, one.criteria, one.arms, one.evidence, 5.0).verdicts
    assert verdict.more_blocks is not None and verdict.more_server_minutes == 5.0 * verdict.more_blocks


def test_equal_launches_are_same_at_a_look() -> None:
    values = {"baseline": 0, "placebo": 5, "equal": 1}
    one = Play({name: rates(0, wobble_pct=0.2, phase=phase) for name, phase in values.items()}, asking())
    one.to_the_end()
    assert by_name(one)["equal"][0] == "SAME"


def test_what_every_planned_block_leaves_open_is_ambiguous_for_that_reason() -> None:
    one = play(weak=rates(2.6, wobble_pct=6, phase=7))
    state = one.to_the_end()
    assert by_name(one)["weak"] == ("AMBIGUOUS", "blocks", 3, 10) and len(state.due) == 10


def test_the_replay_after_every_launch_is_due_to_the_same_block_and_the_verdicts_follow_from_the_record() -> None:
    whole = play(fast=rates(8, phase=2), weak=rates(2.4, wobble_pct=3, phase=7))
    end = whole.to_the_end()
    for kept in range(len(whole.launches) + 1):
        cut = play(fast=rates(8, phase=2), weak=rates(2.4, wobble_pct=3, phase=7))
        cut.launches, names = whole.launches[:kept], {launch.launch for launch in whole.launches[:kept]}
        cut.gates = [gate for gate in whole.gates if gate.launch in names]
        cut.trials = [pair for pair in whole.trials if pair[1].launch in names]
        state = cut.state
        assert state.due == end.due[: len(state.due)]
        assert {arm: stop for arm, stop in end.stops.items() if arm in state.stops} == state.stops
        if kept < len(whole.launches):
            assert state.next_block == whole.launches[kept].block
    assert end.over and end.next_block is None


def test_a_run_that_was_cut_short_is_void() -> None:
    one = play(fast=rates(8))
    one.block(0, one.state.due[-1])
    judged = assemble(one.run, one.criteria, one.arms, one.evidence, 5.0)
    assert judged.void is Reason.INTERRUPTED and "block 2 was not measured whole" in judged.sentence


def test_an_arm_that_fails_is_not_launched_again() -> None:
    one = play(fast=rates(8, phase=2), unarmed=rates(8, phase=2))
    one.broken = frozenset({("unarmed", 1)})
    state = one.to_the_end()
    assert [len(due) for due in state.due[:3]] == [2, 2, 1]
    judged = assemble(one.run, one.criteria, one.arms, one.evidence, 5.0)
    validity = {v.arm_name: v.validity for v in judged.verdicts}
    assert validity == {"fast": "VALID", "unarmed": "NOT_ARMED"}


@pytest.mark.parametrize("lacking", range(10))
def test_a_metric_that_a_launch_did_not_give_leaves_the_others_their_verdict(lacking: int) -> None:
    """Whether the launch was before the look that the arm stopped at or after it, and no other arm is beside it."""
    one = play(fast=rates(8, phase=2))
    one.to_the_end()
    second = Metric(metric="single_tok_s", load=1, value=50.0, samples=1)
    without = f"{RUN}.b{lacking}.t1.fast"
    one.trials = [
        (at, trial if trial.launch == without else trial.model_copy(update={"metrics": (*trial.metrics, second)}))
        for at, trial in one.trials
    ]
    judged = assemble(one.run, one.criteria, one.arms, one.evidence, 5.0)
    primary, other = sorted(judged.verdicts, key=lambda verdict: not verdict.primary)
    assert (primary.validity, primary.speed) == ("VALID", "FASTER")
    assert (other.metric, other.interval is None) == ("single_tok_s", lacking < 4)


def test_an_arm_that_is_faster_leaves_its_share_of_the_level_to_the_other() -> None:
    alone, both = (
        play(weak=rates(2.4, wobble_pct=3, phase=7)),
        play(fast=rates(8, phase=2), weak=rates(2.4, wobble_pct=3, phase=7)),
    )
    for one in (alone, both):
        one.to_the_end()
    fingerprint = next(arm for arm, known in both.arms.items() if known.name == "weak")
    look = both.state.stops[fingerprint].look
    assert look is not None and both.state.stops[fingerprint].nominal == LOOKS[look - 1].levels[0]
    assert both.state.stops[fingerprint].level == alone.state.stops[fingerprint].level == 0.05


def test_the_screen_keeps_the_best_and_says_nothing_of_the_others() -> None:
    one = Play(
        CONTROLS | {"best": rates(8, phase=2), "middle": rates(3, phase=4), "worst": rates(-2, phase=6)},
        asking(screen={"passes": 1, "keep": 1}),
    )
    state = one.to_the_end()
    assert [len(due) for due in state.due[:2]] == [3, 1]
    assert by_name(one)["worst"] == ("AMBIGUOUS", "screen", None, 0)
    assert by_name(one)["best"] == ("FASTER", None, 1, 4)
    verdicts = {v.arm_name: v for v in assemble(one.run, one.criteria, one.arms, one.evidence, 5.0).verdicts}
    assert verdicts["worst"].interval is None and verdicts["worst"].more_blocks == 10
    of_screen = {entry for entry, trial in one.trials if ".b0." in trial.launch}
    assert not of_screen & set(verdicts["best"].trials), "the screen's numbers decide nothing"


def test_a_budget_ends_the_run_at_the_border_of_a_block() -> None:
    one = play(weak=rates(2.4, wobble_pct=3, phase=7))
    one.criteria = asking(budget={"server_minutes": 18})
    state = one.to_the_end()
    assert len(state.due) == 5, "five blocks of three minutes, half a minute for production, and a sixth would exceed"
    assert by_name(one)["weak"] == ("AMBIGUOUS", "budget", 2, 5)
    assert state.notes[-1] == "the budget of server minutes ends the run after block 5"


def test_a_budget_judges_arms_with_the_same_numbers_alike_whatever_their_fingerprints() -> None:
    weak = rates(2.4, wobble_pct=3, phase=7)
    one = play(first=weak, second=weak)
    one.criteria = asking(budget={"server_minutes": 18})
    one.to_the_end()
    verdicts = [v for v in assemble(one.run, one.criteria, one.arms, one.evidence, 5.0).verdicts if v.primary]
    assert {v.because for v in verdicts} == {"budget"}
    first, second = (v.interval for v in verdicts)
    assert first is not None and first == second


def test_a_budget_that_is_used_up_before_two_blocks_leaves_no_number() -> None:
    one = play(weak=rates(2.4))
    one.criteria = asking(budget={"server_minutes": 4})
    one.to_the_end()
    (verdict,) = assemble(one.run, one.criteria, one.arms, one.evidence, 5.0).verdicts
    assert (verdict.validity, verdict.speed, verdict.because) == ("VALID", "AMBIGUOUS", "budget")
    assert verdict.interval is None and verdict.more_blocks == 10


@pytest.mark.parametrize(
    ("kind", "change_pct", "sentence"),
    [
        ("no-op", 8.0, "control 'planted' is planted as no-op and came out FASTER"),
        ("known-bad", 8.0, "control 'planted' is planted as known-bad and came out FASTER"),
        ("known-bad", -8.0, None),
        ("no-op", 0.0, None),
        ("cheat", 0.0, "control 'planted' is planted as cheat and came out"),
    ],
)
def test_a_planted_control_that_comes_out_wrong_voids_the_run(
    kind: str, change_pct: float, sentence: str | None
) -> None:
    one = play(real=rates(8, phase=2), planted=rates(change_pct, phase=4))
    one.criteria = asking(controls=[{"arm": "planted", "kind": kind}])
    state = one.to_the_end()
    judged = assemble(one.run, one.criteria, one.arms, one.evidence, 5.0)
    assert (judged.void is Reason.CONTROL_WRONG) == (sentence is not None)
    if sentence is not None:
        assert sentence in judged.sentence
        assert {v.validity for v in judged.verdicts} == {"INVALID"}
    real = next(stop for arm, stop in state.stops.items() if one.arms[arm].name == "real")
    assert real.nominal == LOOKS[0].levels[0], "nothing is claimed of a control, so it takes no share"


def test_a_cheat_that_is_caught_leaves_the_others_their_verdicts() -> None:
    one = play(real=rates(8, phase=2), planted=rates(300, phase=4))
    one.criteria = asking(controls=[{"arm": "planted", "kind": "cheat"}])
    one.broken = frozenset({("planted", 0)})
    one.to_the_end()
    assert by_name(one)["real"][0] == "FASTER"


def test_a_known_bad_arm_is_never_given_up() -> None:
    one = play(real=rates(8, phase=2), planted=rates(-1.5, wobble_pct=3, phase=7))
    one.criteria = asking(controls=[{"arm": "planted", "kind": "known-bad"}])
    state = one.to_the_end()
    stop = next(stop for arm, stop in state.stops.items() if one.arms[arm].name == "planted")
    assert stop.because is not Because.FUTILITY


def test_order_and_drift_are_said_with_every_run() -> None:
    one = play(fast=rates(8, phase=2))
    one.to_the_end()
    notes = assemble(one.run, one.criteria, one.arms, one.evidence, 5.0).notes
    assert "for each place later inside a block" in notes[-2] and "from block to block" in notes[-1]
