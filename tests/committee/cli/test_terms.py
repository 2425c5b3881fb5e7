"""What a person says at `committee run` and `committee measure` is what the bench is told."""

import pytest
from typer.main import get_command

from committee.cli.terms import NOTHING_GIVEN, Given
from harness.cli.subcommands import Subcommands
from harness.vocabulary.arm import Arm
from harness.workflow.drain import WhenBusy
from tests.committee.cli.yard import APPS

KNOB = Arm.model_validate({"schema": 1, "name": "knob", "flags": {"a": 1}})
CODE = Arm.model_validate({"schema": 1, "name": "code", "deploy": [{"find": "a", "replace": "b"}]})


def test_each_word_is_passed_on_and_nothing_else() -> None:
    assert NOTHING_GIVEN.words == NOTHING_GIVEN.told == ()
    given = Given(WhenBusy.DRAIN, users_accept=True, stricter=True)
    assert given.words == ("--when-busy", "drain", "--drain-limit-s", "600", "--users-accept", "--stricter")
    assert Given(WhenBusy.DRAIN, drain_limit_s=90).told == ("--when-busy", "drain", "--drain-limit-s", "90")
    assert Given(stricter=True, yes=True).told == ("--stricter", "--yes"), "the yes is for this start alone"
    assert Given(stricter=True, yes=True).words == ("--stricter",)


def test_a_yes_is_for_arms_that_are_code_and_needs_a_name() -> None:
    assert [Given(approve="Ada").approves(arm) for arm in (KNOB, CODE)] == [None, "Ada"]
    assert NOTHING_GIVEN.approves(CODE) is None


@pytest.mark.parametrize("command", ["measure", "run", "resume"])
def test_whatever_leads_to_measuring_takes_the_benchs_own_options(command: str) -> None:
    def options(program: str, command: str) -> dict[str, tuple[str, object]]:
        group = get_command(APPS[program])
        assert isinstance(group, Subcommands)
        return {one.opts[0]: (one.help, one.default) for one in group.load(command).params if hasattr(one, "help")}

    bench, here = options("harness", "measure"), options("committee", command)
    for option in ("--when-busy", "--drain-limit-s", "--users-accept", "--stricter", "--yes", "--approve"):
        assert here[option] == bench[option], option
