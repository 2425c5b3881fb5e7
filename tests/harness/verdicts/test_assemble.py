"""From the record of a run to its verdicts, on each axis."""

from dataclasses import replace

import pytest

from harness.verdicts import RunVerdict, assemble
from harness.vocabulary.outcome import Reason
from ledger.entries import Verdict
from tests.harness.verdicts.records import Record, arm, criteria, launch_id, record

BASE = [100.0, 103.0, 98.0, 101.0]
PLACEBO = [101.0, 102.0, 99.0, 100.0]
FAST = [149.0, 154.0, 149.0, 150.0]
SLOW = [60.6, 61.0, 58.6, 60.5]
NOISE = [99.5, 103.5, 98.0, 101.8]


def judged(made: Record) -> RunVerdict:
    return assemble(made.run, made.criteria, made.by_fingerprint, made.evidence, minutes_per_block=2.0)


def primary(made: Record) -> dict[str, Verdict]:
    return {one.arm_name: one for one in judged(made).verdicts if one.primary}


def three() -> Record:
    return record({"baseline": BASE, "placebo": PLACEBO, "fast": FAST, "slow": SLOW, "noop": NOISE})


def test_each_word_from_a_run_in_which_everything_held() -> None:
    made = three()
    said = primary(made)
    assert {name: one.speed for name, one in said.items()} == {"fast": "FASTER", "slow": "SLOWER", "noop": "SAME"}
    fast = said["fast"]
    assert fast.validity == "VALID" and fast.reasons == () and fast.blocks == 4 and fast.numerics == "IDENTICAL"
    assert fast.interval is not None and fast.interval.pooled
    assert fast.interval.degrees_of_freedom == 3 * 4
    assert fast.interval.level == pytest.approx(0.05 / 3)
    assert fast.interval.low_pct < fast.interval.estimate_pct < fast.interval.high_pct
    assert fast.interval.estimate_pct == pytest.approx(49.8, abs=0.2)
    behind = {trial.launch.rsplit(".", 1)[1] for entry, trial in made.trials if entry in fast.trials}
    assert len(set(fast.trials)) == 3 * 4 and behind == {"baseline", "placebo", "fast"}
    whole = judged(made)
    assert whole.void is None and whole.sentence.startswith("4 complete blocks; placebo against baseline ")
    assert whole.sentence.endswith(" %, the two-sided 99 % interval of their mean ratio of total_tok_s at load 4")


def test_lower_is_better_for_the_time_to_first_token() -> None:
    made = replace(three(), criteria=criteria(primary={"metric": "ttft_ms", "load": 4, "smallest_effect_pct": 10}))
    made = record(made.values, criteria=made.criteria, metric="ttft_ms")
    said = primary(made)
    assert {name: one.speed for name, one in said.items()} == {"fast": "SLOWER", "slow": "FASTER", "noop": "SAME"}
    assert said["fast"].interval is not None and said["fast"].interval.estimate_pct > 0


def test_a_guard_and_every_other_metric_get_verdicts_that_are_not_primary() -> None:
    values = {"baseline": BASE, "placebo": PLACEBO, "fast": FAST}
    given = criteria(guard=[{"metric": "user_tok_s", "load": 4, "margin_pct": 5}])
    made = record(values, criteria=given, more={"user_tok_s": values, "streaming_tok_s": values})
    verdicts = judged(made).verdicts
    assert [(one.metric, one.primary, one.smallest_effect_pct) for one in verdicts] == [
        ("total_tok_s", True, 10),
        ("user_tok_s", False, 5),
        ("streaming_tok_s", False, 10),
    ]


def test_a_placebo_that_differs_voids_the_run() -> None:
    made = record({"baseline": BASE, "placebo": [1.2 * one for one in PLACEBO], "fast": FAST})
    whole = judged(made)
    assert whole.void is Reason.PLACEBO_DIFFERS and "the machine drifted" in whole.sentence
    (only,) = whole.verdicts
    assert (only.validity, only.speed, only.interval, only.trials) == ("INVALID", None, None, ())
    assert only.reasons[0].startswith("placebo_differs: ") and only.placebo_low_pct is not None
    assert only.placebo_low_pct > 0


def test_a_guards_placebo_that_differs_voids_that_metric_only() -> None:
    values = {"baseline": BASE, "placebo": PLACEBO, "fast": FAST}
    drifted = values | {"placebo": [1.2 * one for one in PLACEBO]}
    whole = judged(record(values, more={"user_tok_s": drifted}))
    assert whole.void is None
    assert [(one.metric, one.validity, one.speed) for one in whole.verdicts] == [
        ("total_tok_s", "VALID", "FASTER"),
        ("user_tok_s", "INVALID", None),
    ]


def test_an_arm_that_the_engine_refuses_is_invalid_in_the_engines_own_words() -> None:
    made = three()
    for block in range(4):
        made = made.without_number("slow", block, Reason.START_REFUSED, "V cache needs flash_attn")
    said = primary(made)
    assert said["slow"].validity == "INVALID"
    assert said["slow"].reasons == ("start_refused: V cache needs flash_attn (4 launches, block 1, 2, 3, 4)",)
    assert said["slow"].interval is None and said["slow"].numerics == "UNKNOWN"
    fast = said["fast"]
    assert fast.speed == "FASTER" and fast.interval is not None
    assert fast.interval.degrees_of_freedom == 3 * 3, "the refused arm leaves the layout"
    assert fast.interval.level == pytest.approx(0.05 / 3), "the level stays divided over the arms planned"


def test_an_arm_without_a_number_in_one_block_is_invalid() -> None:
    made = three().without_number("fast", 2, Reason.DIED, "killed")
    said = primary(made)["fast"]
    assert said.validity == "INVALID" and said.speed is None
    assert said.reasons == ("died: killed (block 3)", "missing_blocks: no number in block 3")


def test_a_metric_missing_in_one_block_has_no_verdict_for_that_arm() -> None:
    made = three()
    at = launch_id("fast", 1)
    other = made.trials[0][1].metrics[0].model_copy(update={"metric": "user_tok_s"})
    trials = tuple(
        (entry, trial.model_copy(update={"metrics": (other,)}) if trial.launch == at else trial)
        for entry, trial in made.trials
    )
    said = primary(replace(made, trials=trials))["fast"]
    assert said.validity == "INVALID" and said.reasons[0].startswith("missing_blocks: ")


def test_a_block_without_a_control_leaves_no_verdict_on_the_fewer_blocks_that_are_left() -> None:
    whole = judged(three().without_number("placebo", 1, Reason.DIED))
    said = next(one for one in whole.verdicts if one.arm_name == "fast" and one.primary)
    assert whole.void is None and (said.blocks, said.validity, said.speed, said.trials) == (3, "INVALID", None, ())
    assert said.reasons == (
        "missing_blocks: total_tok_s at load 4 has a number on both controls in 3 of 4 blocks; launches do not fail at "
        "random, so measure again",
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("'0.00.{}56.307 E V cache'", ["start_refused: '0.00.056.307 E V cache' (4 launches, block 1, 2, 3, 4)"]),
        (
            "11-29 12:00:0{} pid=41{} V cache",
            ["start_refused: 11-29 12:00:00 pid=410 V cache (4 launches, block 1, 2, 3, 4)"],
        ),
        ("17.{} GiB left", [f"start_refused: 17.{block} GiB left (block {block + 1})" for block in range(4)]),
    ],
)
def test_a_reason_is_said_once_whatever_the_clock_was(words: str, said: list[str]) -> None:
    made = three()
    for block in range(4):
        made = made.without_number("slow", block, Reason.START_REFUSED, words.replace("{}", str(block)))
    assert list(primary(made)["slow"].reasons) == said


def test_fewer_than_two_complete_blocks_void_the_run() -> None:
    made = three()
    for block in range(3):
        made = made.without_number("baseline", block, Reason.DIED, "segfault")
    whole = judged(made)
    assert whole.void is Reason.BASELINE_INVALID and "died: segfault (3 launches, block 1, 2, 3)" in whole.sentence
    assert {one.speed for one in whole.verdicts} == {None}


def test_controls_that_fail_alike_mean_that_the_input_is_wrong() -> None:
    made = three()
    for name in made.values:
        for block in range(4):
            made = made.with_gate(name, block, "coherent", False, Reason.DEGENERATE)
    whole = judged(made)
    assert {one.validity for one in whole.verdicts} == {"INPUT_WRONG"}
    assert whole.verdicts[0].reasons[0] == (
        "degenerate: the controls failed in the same way, so the input is wrong, not the arm"
    )
    assert whole.void is Reason.BASELINE_INVALID and "the input is wrong" in whole.sentence


@pytest.mark.parametrize(
    ("gate", "reason", "validity"),
    [
        ("armed", Reason.NOT_ARMED, "NOT_ARMED"),
        ("armed", Reason.NOT_ENGAGED, "NOT_SHOWN_ENGAGED"),
        ("isolated", Reason.STRANGER, "CONTAMINATED"),
        ("coherent", Reason.TOO_FEW_TOKENS, "INVALID"),
    ],
)
def test_a_gate_that_does_not_hold_means_no_number(gate: str, reason: Reason, validity: str) -> None:
    said = primary(three().with_gate("fast", 3, gate, False, reason))["fast"]
    assert (said.validity, said.speed, said.interval) == (validity, None, None)
    assert said.reasons[0].startswith(f"{reason}: gate {gate}: ")


def test_not_armed_comes_before_invalid() -> None:
    made = three().with_gate("fast", 3, "armed", False, Reason.NOT_ARMED)
    said = primary(made.without_number("fast", 0, Reason.DIED))["fast"]
    assert said.validity == "NOT_ARMED" and len(said.reasons) == 3
    assert said.reasons[0].startswith("not_armed: ")


def test_a_gate_without_a_record_means_no_number() -> None:
    made = three()
    kept = tuple(gate for gate in made.gates if (gate.launch, gate.gate) != (launch_id("fast", 0), "armed"))
    said = primary(replace(made, gates=kept))["fast"]
    assert said.validity == "INVALID" and said.reasons[0].startswith("no_proof: gate armed left no record")


def test_a_launch_without_a_trial_means_no_number() -> None:
    made = three()
    kept = tuple(pair for pair in made.trials if pair[1].launch != launch_id("fast", 0))
    said = primary(replace(made, trials=kept))["fast"]
    assert said.validity == "INVALID" and said.reasons[0] == "no_proof: no trial was recorded (block 1)"


def test_a_trial_that_did_not_end_well_means_no_number() -> None:
    made = three()
    broken = {"metrics": (), "reason": "request_failed", "detail": "stream ended"}
    trials = tuple(
        (entry, trial.model_copy(update=broken) if trial.launch == launch_id("fast", 0) else trial)
        for entry, trial in made.trials
    )
    said = primary(replace(made, trials=trials))["fast"]
    assert said.validity == "INVALID"
    assert said.reasons[0] == "request_failed: protocol ladder: stream ended (block 1)"


def test_changed_text_is_a_finding_and_takes_no_number_away() -> None:
    made = three()
    texts = dict(made.texts) | {launch_id("fast", block): ("other",) for block in range(4)}
    made = replace(made, texts=texts).with_gate("fast", 0, "identical", False, Reason.TEXT_CHANGED)
    said = primary(made)
    assert (said["fast"].speed, said["fast"].numerics) == ("FASTER", "CHANGED")
    assert said["noop"].numerics == "IDENTICAL"


def test_without_a_witness_same_is_not_shown_to_be_engaged_but_faster_is_its_own_proof() -> None:
    made = record({"baseline": BASE, "placebo": PLACEBO, "fast": FAST, "noop": NOISE}, witness=False)
    said = primary(made)
    assert (said["fast"].validity, said["fast"].speed) == ("VALID", "FASTER")
    assert (said["noop"].validity, said["noop"].speed, said["noop"].interval) == ("NOT_SHOWN_ENGAGED", None, None)
    assert said["noop"].reasons == ("no_witness: arm 'noop' names no witness of its effect",)


def test_a_witness_that_the_baseline_shows_too_is_no_witness() -> None:
    made = three()
    at = launch_id("baseline", 0)
    noted = made.gates[0].model_copy(
        update={
            "launch": at,
            "gate": "armed",
            "reason": "self_armed",
            "evidence": "the baseline shows that of 'noop'",
            "about": (arm("noop").fingerprint,),
        }
    )
    said = primary(replace(made, gates=(*made.gates, noted)))
    assert said["noop"].validity == "NOT_SHOWN_ENGAGED" and said["noop"].reasons[0].startswith("self_armed: ")
    assert said["fast"].validity == "VALID"


def test_ambiguous_says_what_would_settle_it() -> None:
    made = record({"baseline": BASE, "placebo": PLACEBO, "noop": [104.0, 121.0, 99.0, 116.0]})
    said = primary(made)["noop"]
    assert said.speed == "AMBIGUOUS" and said.more_blocks is not None and said.more_blocks >= 1
    assert said.more_server_minutes == pytest.approx(2.0 * said.more_blocks)
    assert said.visible_effect_pct is not None and said.visible_effect_pct > 0


def test_only_the_last_attempt_of_a_block_counts() -> None:
    made = three()
    first = [one for one in made.launches if one.block == 0]
    again = [one.model_copy(update={"attempt": 2, "launch": one.launch.replace(".t1.", ".t2.")}) for one in first]
    ids = {old.launch: new.launch for old, new in zip(first, again, strict=True)}
    gates = tuple(g.model_copy(update={"launch": ids[g.launch]}) for g in made.gates if g.launch in ids)
    trials = tuple((e[::-1], t.model_copy(update={"launch": ids[t.launch]})) for e, t in made.trials if t.launch in ids)
    spoiled = made.without_number("fast", 0, Reason.HARNESS_LOST)
    spoiled = replace(
        spoiled,
        launches=(*spoiled.launches, *again),
        gates=(*spoiled.gates, *gates),
        trials=(*spoiled.trials, *trials),
        texts=dict(made.texts) | {ids[at]: texts for at, texts in made.texts.items() if at in ids},
    )
    assert primary(spoiled)["fast"].speed == "FASTER"
    assert not set(primary(spoiled)["fast"].trials) & {entry for entry, trial in made.trials if trial.launch in ids}


def test_a_run_that_was_cut_short_supports_no_verdict() -> None:
    made = three()
    gone = launch_id("slow", 3)
    whole = judged(replace(made, launches=tuple(one for one in made.launches if one.launch != gone)))
    assert whole.void is Reason.INTERRUPTED and whole.sentence.startswith("block 4 was not measured whole")
    assert {one.speed for one in whole.verdicts} == {None}


def test_evidence_of_another_run_is_refused() -> None:
    made = three()
    other = made.launches[0].model_copy(update={"run": "measure-000002"})
    with pytest.raises(ValueError, match="evidence of run 'measure-000002' was given"):
        judged(replace(made, launches=(other, *made.launches[1:])))


def test_two_launches_for_one_slot_are_refused() -> None:
    made = three()
    twin = made.launches[0].model_copy(update={"launch": "twin"})
    with pytest.raises(ValueError, match="two launches for one slot"):
        judged(replace(made, launches=(*made.launches, twin)))


def test_an_arm_that_was_not_passed_is_refused() -> None:
    made = three()
    with pytest.raises(ValueError, match="pass every arm of the plan"):
        assemble(made.run, made.criteria, {}, made.evidence, 1.0)


def test_a_number_that_is_not_above_zero_is_refused() -> None:
    made = record({"baseline": BASE, "placebo": PLACEBO, "fast": [150.0, 0.0, 148.0, 151.0]})
    with pytest.raises(ValueError, match=r"a measured value is 0\.0"):
        judged(made)


def test_a_number_of_one_size_is_compared_and_a_count_is_not() -> None:
    values = {"baseline": BASE, "placebo": PLACEBO, "fast": FAST}
    given = criteria(
        protocol="documents",
        documents={"lengths": [512, 1024], "users": [4]},
        primary={"metric": "cold_ttft_ms", "load": 4, "size": 1024, "smallest_effect_pct": 10},
    )
    zero = dict.fromkeys(values, [0.0] * 4)
    more = {"cold_ttft_ms@512": values, "growth_exponent@1024": zero}  # 0 has no logarithm
    verdicts = judged(record(values, criteria=given, metric="cold_ttft_ms@1024", more=more)).verdicts
    assert [(one.metric, one.primary, one.speed) for one in verdicts] == [
        ("cold_ttft_ms@1024", True, "SLOWER"),
        ("cold_ttft_ms@512", False, "SLOWER"),
    ]
