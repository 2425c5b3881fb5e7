"""What a person says at `committee run` and `committee measure` is what the bench is told."""

from committee.cli.terms import NOTHING_GIVEN, Given
from harness.vocabulary.arm import Arm
from harness.workflow.drain import WhenBusy

KNOB = Arm.model_validate({"schema": 1, "name": "knob", "flags": {"a": 1}})
CODE = Arm.model_validate({"schema": 1, "name": "code", "deploy": [{"find": "a", "replace": "b"}]})


def test_each_word_is_passed_on_and_nothing_else() -> None:
    assert NOTHING_GIVEN.words == NOTHING_GIVEN.told == ()
    given = Given(WhenBusy.DRAIN, users_accept=True, stricter=True)
    assert given.words == ("--when-busy", "drain", "--drain-limit-s", "600", "--users-accept", "--stricter")
    assert Given(stricter=True, yes=True).told == ("--stricter", "--yes"), "the yes is for this start alone"
    assert Given(stricter=True, yes=True).words == ("--stricter",)


def test_a_yes_is_for_arms_that_are_code_and_needs_a_name() -> None:
    assert [Given(approve="Ada").approves(arm) for arm in (KNOB, CODE)] == [None, "Ada"]
    assert NOTHING_GIVEN.approves(CODE) is None
