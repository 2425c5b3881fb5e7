"""Engagement: which witness tells an arm from the baseline, and when a capability counts as gained."""

from dataclasses import replace

from harness.verdicts.cells import layout
from harness.verdicts.validity import capability_gained, shared_failure, soundness, witness_lacks
from harness.vocabulary.outcome import Reason
from tests.harness.verdicts.records import Record, arm, launch_id, record

VALUES = {name: [1.0, 2.0, 3.0, 4.0] for name in ("baseline", "placebo", "x", "y")}


def noted(made: Record, name: str) -> Record:
    gate = made.gates[0].model_copy(
        update={
            "launch": launch_id("placebo", 0),
            "gate": "armed",
            "reason": "self_armed",
            "evidence": f"shows {name!r}",
            "about": (arm(name).fingerprint,),
        }
    )
    return replace(made, gates=(*made.gates, gate))


def test_only_the_arm_that_the_note_names_lacks_a_witness() -> None:
    made = noted(record(VALUES), "x")
    whole = layout(made.run, made.criteria, made.evidence)
    assert witness_lacks(whole, arm("x"), made.gates) == "self_armed: shows 'x'"
    assert witness_lacks(whole, arm("y"), made.gates) is None


def test_a_capability_that_a_placebo_has_is_not_gained() -> None:
    made = record(VALUES)
    for block in range(4):
        made = made.with_gate("baseline", block, "capability", False, Reason.CAPABILITY_MISSING)
        made = made.with_gate("x", block, "capability", True)
    whole = layout(made.run, made.criteria, made.evidence)
    assert capability_gained(whole, arm("x").fingerprint, made.gates)
    made = made.with_gate("placebo", 3, "capability", True)
    assert not capability_gained(whole, arm("x").fingerprint, made.gates)


def test_strangers_on_every_launch_contaminate_and_say_nothing_about_the_input() -> None:
    made = record(VALUES)
    for name in VALUES:
        for block in range(4):
            made = made.with_gate(name, block, "isolated", False, Reason.STRANGER)
    whole = layout(made.run, made.criteria, made.evidence)
    assert shared_failure(whole) is None
    assert soundness(whole, arm("x").fingerprint).validity == "CONTAMINATED"


def test_one_control_that_held_means_that_the_arm_is_at_fault() -> None:
    made = record(VALUES)
    for name in ("baseline", "x", "y"):
        for block in range(4):
            made = made.with_gate(name, block, "coherent", False, Reason.DEGENERATE)
    whole = layout(made.run, made.criteria, made.evidence)
    assert shared_failure(whole) is None
    assert soundness(whole, arm("x").fingerprint).validity == "INVALID"
