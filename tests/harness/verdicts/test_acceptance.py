"""What is missing before an arm may be accepted."""

import math
from dataclasses import replace

import pytest
from scipy import stats

from harness.verdicts import assemble, criteria_missing, guard_holds
from harness.vocabulary.criteria import Guard
from harness.vocabulary.outcome import Metric, Reason
from ledger.entries import Interval, Verdict
from tests.harness.verdicts.records import Record, arm, criteria, launch_id, record

VALUES = {
    "baseline": [100.0, 103.0, 98.0, 101.0],
    "placebo": [101.0, 102.0, 99.0, 100.0],
    "fast": [149.0, 154.0, 149.0, 150.0],
    "noop": [99.5, 103.5, 98.0, 101.8],
}
GUARD = Guard(metric=Metric.USER_TOK_S, load=4, margin_pct=5)
CAPABILITY = {"check": "context_tokens", "value": 131072}


def missing(made: Record, name: str = "fast") -> tuple[str, ...]:
    verdicts = assemble(made.run, made.criteria, made.by_fingerprint, made.evidence, 1.0).verdicts
    return criteria_missing(made.criteria, arm(name).fingerprint, verdicts, made.launches, made.gates)


def with_capability(made: Record, **held: bool) -> Record:
    for name, passed in held.items():
        for block in range(4):
            reason = None if passed else Reason.CAPABILITY_MISSING
            made = made.with_gate(name, block, "capability", passed, reason)
    return made


def verdict(estimate_pct: float, *, sd_pct: float = 2.0, metric: Metric = Metric.USER_TOK_S) -> Verdict:
    interval = Interval(
        estimate_pct=estimate_pct, low_pct=-50, high_pct=50, level=0.0125, launch_sd_pct=sd_pct,
        degrees_of_freedom=15, pooled=True,
    )  # fmt: skip
    return Verdict(
        run="measure-000001", target="t", arm="0" * 64, arm_name="a", metric=metric, load=4, primary=False,
        validity="VALID", reasons=(), speed="SAME", numerics="IDENTICAL", interval=interval, smallest_effect_pct=5,
        blocks=4, placebo_low_pct=-1, placebo_high_pct=1, visible_effect_pct=3, more_blocks=None,
        more_server_minutes=None, trials=(),
    )  # fmt: skip


def test_nothing_is_missing_for_an_arm_that_is_faster() -> None:
    assert missing(record(VALUES)) == ()


def test_an_arm_that_is_not_faster_is_told_so() -> None:
    assert missing(record(VALUES), "noop") == ("total_tok_s at load 4 is SAME, FASTER is needed",)


def test_an_arm_that_is_not_valid_is_told_why() -> None:
    made = record(VALUES).without_number("fast", 1, Reason.DIED, "killed")
    said = missing(made)
    assert said[0] == "total_tok_s at load 4 is INVALID, VALID is needed (died: killed (block 2))"
    assert "gate ready did not hold in block 2" in said


def test_an_arm_that_was_not_measured_is_told_so() -> None:
    said = missing(record(VALUES), "other")
    assert said[0] == "no verdict on total_tok_s at load 4 for this arm; measure it"
    assert "gate armed was not checked: the arm has no launch" in said


def test_a_guard_is_asked_for() -> None:
    given = criteria(guard=[GUARD.model_dump()])
    worse = VALUES | {"fast": [0.9 * one for one in VALUES["baseline"]]}
    assert missing(record(VALUES, criteria=given, more={"user_tok_s": VALUES})) == ()
    assert missing(record(VALUES, criteria=given)) == ("guard user_tok_s at load 4 has no number",)
    (said,) = missing(record(VALUES, criteria=given, more={"user_tok_s": worse}))
    assert said.startswith("guard user_tok_s at load 4 may be more than 5 % worse (seen: -10.")


def test_text_identity_is_asked_for_by_policy_or_by_gate() -> None:
    texts = {launch_id("fast", block): ("other",) for block in range(4)}
    for given in (
        criteria(numerics={"policy": "identical"}),
        criteria(gates=["ready", "armed", "coherent", "identical"]),
    ):
        made = record(VALUES, criteria=given)
        assert missing(made) == ()
        changed = replace(made, texts=dict(made.texts) | texts)
        assert missing(changed) == ("numerics is CHANGED, IDENTICAL is needed",)
    made = record(VALUES)
    assert missing(replace(made, texts=dict(made.texts) | texts)) == ()


def test_the_quality_policy_asks_for_its_gate_on_every_launch() -> None:
    given = criteria(numerics={"policy": "quality", "reason": "another model file", "min_quality": 0.8})
    made = record(VALUES, criteria=given)
    assert missing(made) == ("gate quality did not hold in block 1, 2, 3, 4",)
    for block in range(4):
        made = made.with_gate("fast", block, "quality", True)
    assert missing(made) == ()
    assert missing(made.with_gate("fast", 2, "quality", False, Reason.QUALITY_BELOW)) == (
        "gate quality did not hold in block 3",
    )


def test_a_required_gate_without_a_record_is_missing() -> None:
    made = record(VALUES, criteria=criteria(gates=["ready", "armed", "coherent", "isolated"]))
    assert "gate isolated did not hold in block 1, 2, 3, 4" in missing(made)


def test_a_missing_witness_does_not_stop_an_arm_that_is_faster() -> None:
    made = record(VALUES, witness=False)
    verdicts = assemble(made.run, made.criteria, made.by_fingerprint, made.evidence, 1.0).verdicts
    for block in range(4):
        made = made.with_gate("fast", block, "armed", False, Reason.NO_WITNESS)
    found = criteria_missing(made.criteria, arm("fast", witness=False).fingerprint, verdicts, made.launches, made.gates)
    assert found == ()


def test_a_capability_gained_may_be_accepted_at_unchanged_speed() -> None:
    made = record(VALUES, criteria=criteria(capability=CAPABILITY))
    assert missing(with_capability(made, baseline=False, placebo=False, noop=True), "noop") == ()
    assert missing(with_capability(made, baseline=False, noop=True), "noop") == ()


@pytest.mark.parametrize(("gained", "validity"), [(True, "VALID"), (False, "NOT_SHOWN_ENGAGED")])
def test_a_capability_gained_shows_engagement_without_a_witness(gained: bool, validity: str) -> None:
    made = record(VALUES, criteria=criteria(capability=CAPABILITY), witness=False)
    made = with_capability(made, baseline=False, noop=gained)
    verdicts = assemble(made.run, made.criteria, made.by_fingerprint, made.evidence, 1.0).verdicts
    assert [one.validity for one in verdicts if one.arm_name == "noop"] == [validity]


def test_a_capability_that_is_not_gained_is_told_why() -> None:
    made = record(VALUES, criteria=criteria(capability=CAPABILITY))
    name = "capability context_tokens 131072"
    assert missing(with_capability(made, baseline=True, noop=True), "noop") == (
        f"{name} did not fail on every baseline launch, so nothing is gained",
    )
    assert missing(with_capability(made, noop=True), "noop") == (
        f"{name} did not fail on every baseline launch, so nothing is gained",
    )
    assert missing(with_capability(made, baseline=False, placebo=True, noop=True), "noop") == (
        f"{name} held on a placebo launch, so the baseline has it already",
    )
    assert missing(with_capability(made, baseline=False, noop=False), "noop") == (
        f"{name} did not hold on every launch of the arm",
    )
    assert missing(with_capability(made, baseline=False), "noop") == (
        f"{name} did not hold on every launch of the arm",
    )


def test_a_broken_attempt_does_not_count_against_an_arm() -> None:
    made = record(VALUES)
    verdicts = assemble(made.run, made.criteria, made.by_fingerprint, made.evidence, 1.0).verdicts
    again = [one.model_copy(update={"attempt": 2}) for one in made.launches if one.block == 0]
    broken = [
        one.model_copy(update={"launch": f"old.{one.launch}", "outcome": "invalid", "reason": "harness_lost"})
        for one in made.launches
        if one.block == 0
    ]
    rest = [one for one in made.launches if one.block != 0]
    found = criteria_missing(made.criteria, arm("fast").fingerprint, verdicts, [*broken, *again, *rest], made.gates)
    assert found == ()


def test_a_guard_is_a_one_sided_bound_at_the_undivided_level() -> None:
    half = stats.t.isf(0.05, 15) * 0.02 * math.sqrt(1.5 / 4)
    edge = 100 * math.expm1(-math.log(1.05) + half)
    assert guard_holds(verdict(edge + 1e-6), GUARD, 0.05)
    assert not guard_holds(verdict(edge - 1e-6), GUARD, 0.05)


def test_a_guard_on_the_time_to_first_token_looks_the_other_way() -> None:
    guard = Guard(metric=Metric.TTFT_MS, load=4, margin_pct=5)
    assert guard_holds(verdict(-20, metric=Metric.TTFT_MS), guard, 0.05)
    assert not guard_holds(verdict(+20, metric=Metric.TTFT_MS), guard, 0.05)


def test_a_guard_without_an_interval_does_not_hold() -> None:
    bare = verdict(0).model_copy(update={"interval": None, "validity": "INVALID", "speed": None})
    assert not guard_holds(bare, GUARD, 0.05)


def test_a_guard_judged_by_another_metric_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot judge guard user_tok_s at 4"):
        guard_holds(verdict(0, metric=Metric.TTFT_MS), GUARD, 0.05)


def test_a_guard_after_looks_holds_at_the_level_of_the_look() -> None:
    """-3 % with an error of 1.22 % clears -5 % at level 0.05, and does not at the look's 0.001."""
    plain = verdict(-3.0, sd_pct=2.0 * math.sqrt(4 / 6))
    assert plain.interval is not None and guard_holds(plain, GUARD, 0.1)
    looked = plain.model_copy(update={"interval": plain.interval.model_copy(update={"nominal_level": 0.001})})
    assert not guard_holds(looked, GUARD, 0.1)
