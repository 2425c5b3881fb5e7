"""What a variable or flag changes is data: a campaign's truth can be told to the simulator arm by arm."""

import pytest

from harness.simulator.effects import applied, parse
from harness.simulator.process import plan_of

FORK = ("--style", "v100-fork")
CORE = "SPEC_CORE_OP=1:draft-cost=1.595;acceptance=0.493;fault=changed-numerics"
BOTH = "SPEC_CORE_OP=1+COMPILE_GRAPH=1:acceptance=0.523"


def pace_with(env: dict[str, str], *words: str) -> tuple[float, float]:
    plan = plan_of((*FORK, "--draft-tokens", "1", "--draft-cost", "2.04", *words), env)
    return plan.engine.pace.drafting.cost, plan.engine.pace.drafting.acceptance


def test_an_effect_holds_where_its_variable_has_its_value() -> None:
    assert pace_with({}, "--effect", CORE) == (2.04, 0.52)
    assert pace_with({"SPEC_CORE_OP": "0"}, "--effect", CORE) == (2.04, 0.52)
    assert pace_with({"SPEC_CORE_OP": "1"}, "--effect", CORE) == (1.595, 0.493)


def test_effects_stack_and_the_later_one_is_on_top() -> None:
    env = {"SPEC_CORE_OP": "1", "COMPILE_GRAPH": "1"}
    assert pace_with(env, "--effect", CORE, "--effect", BOTH) == (1.595, 0.523)
    assert pace_with({"COMPILE_GRAPH": "1"}, "--effect", CORE, "--effect", BOTH) == (2.04, 0.52)


def test_a_flag_is_a_condition_too_and_a_fault_an_effect() -> None:
    sizes = ("--effect", "cudagraph-capture-sizes=8,16:speed-pct=117;fault=two-tokens")
    plan = plan_of((*FORK, *sizes, "--cudagraph-capture-sizes", "8,16"), {})
    assert plan.engine.pace.speed == pytest.approx(2.17)
    assert plan.settings.faults.values.keys() == {"two-tokens"}
    assert plan_of((*FORK, *sizes), {}).engine.pace.speed == 1.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("A=1", "changes nothing"),
        ("A:speed-pct=1", "is not NAME=VALUE"),
        ("A=1:speed-pct", "is not NAME=VALUE"),
    ],
)
def test_an_effect_that_cannot_be_read(words: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse(words)


@pytest.mark.parametrize(
    ("words", "said"),
    [("A=1:style=vllm", "cannot change"), ("A=1:nothing=1", "cannot change"), ("A=1:speed-pct=fast", "is no float")],
)
def test_an_effect_that_cannot_be_applied(words: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        applied({"style": "vllm", "speed-pct": 0.0}, (), [parse(words)], {}, {"A": "1"})


def test_a_switch_is_turned_on() -> None:
    own, _ = applied({"prefix-cache": False}, (), [parse("A=1:prefix-cache=true")], {}, {"A": "1"})
    assert own == {"prefix-cache": True}
