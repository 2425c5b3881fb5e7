"""Attribution by two lengths, held against a real campaign's calls (lesson M11)."""

import re

import pytest

from harness.analyses.answer import Answer, NoNumber
from harness.analyses.attribution import Attributed, Belongs, Calls, Family, Profile, analyse, attribute

SHORT, LONG = 58, 208  # steps of 50 and of 200 tokens; 58/208 = 0.279


def profiles(name: str, short: int, long: int, ms_a_call: float = 0.01) -> tuple[Profile, Profile]:
    return (
        Profile(SHORT, {name: Calls(short, short * ms_a_call)}),
        Profile(LONG, {name: Calls(long, long * ms_a_call)}),
    )


def one(name: str, short: int, long: int, layers: dict[str, int] | None = None) -> Attributed:
    kernels = attribute(*profiles(name, short, long), layers or {})
    assert not isinstance(kernels, NoNumber)
    return kernels[0]


@pytest.mark.parametrize("ratio", [0.289, 0.292, 0.256, 0.282, 0.292, 0.263])
def test_the_campaigns_six_kernels_belong_to_the_step(ratio: float) -> None:
    found = one("gemv", round(100_000 * ratio), 100_000)
    assert found.belongs is Belongs.STEP
    assert found.ms_a_step == pytest.approx(1000 / LONG)


def test_the_burst_that_was_averaged_into_every_step_is_no_cost_of_a_step() -> None:
    answer = analyse(*profiles("FillFunctor<int>", 160, 50_095), {}, ())
    assert isinstance(answer, Answer)
    assert answer.value("time a step, attributed") == 0
    assert any(
        "FillFunctor<int>: the shorter run has 0.00319 of the longer one's calls" in said and "burst" in said
        for said in answer.cautions
    )


def test_once_a_run_and_mixed() -> None:
    assert one("load", 500, 500).belongs is Belongs.ONCE
    mixed = one("both", 1000 + 2 * SHORT, 1000 + 2 * LONG)
    assert mixed.belongs is Belongs.MIXED
    assert mixed.calls_a_step == pytest.approx(2.0)


def test_a_kernel_of_one_run_alone_is_a_burst() -> None:
    assert one("gone", 7, 0).belongs is Belongs.BURST
    assert one("new", 0, 7).belongs is Belongs.BURST
    for few, many, which in ((7, 0, "shorter"), (0, 7, "longer")):
        answer = analyse(*profiles("alone", few, many), {}, ())
        assert isinstance(answer, Answer)
        assert answer.cautions[0].startswith(f"alone: only the {which} run called it, so it is a burst")


def test_calls_that_match_a_kind_of_layer_are_named() -> None:
    layers = {"all": 65, "recurrent": 48}
    assert "48 layers of kind 'recurrent', once each" in one("gdn", 48 * SHORT, 48 * LONG, layers).layers
    assert "9 times each" in one("quantize", 432 * SHORT, 432 * LONG, layers).layers
    assert one("gemv", 438 * SHORT, 438 * LONG, layers).layers == ""


def test_a_name_that_a_compiler_numbers_anew_is_flagged() -> None:
    assert one("triton_poi_fused_0", 78 * SHORT, 78 * LONG).ambiguous
    assert not one("mul_mat_vec_iq4xs_batched", SHORT, LONG).ambiguous


def test_bandwidth_of_a_family() -> None:
    short, long = profiles("iq4xs", 438 * SHORT, 438 * LONG, 20.6 / 438)
    answer = analyse(short, long, {}, (Family("IQ4_XS", re.compile("iq4"), 14.42e9),))
    assert isinstance(answer, Answer)
    assert round(answer.value("bandwidth, IQ4_XS")) == 700


@pytest.mark.parametrize(("short", "long"), [(0, 208), (208, 208), (300, 208)])
def test_lengths_that_carry_no_number(short: int, long: int) -> None:
    answer = attribute(Profile(short, {"a": Calls(1, 1.0)}), Profile(long, {"a": Calls(1, 1.0)}), {})
    assert isinstance(answer, NoNumber)


def test_profiles_without_a_kernel_carry_no_number() -> None:
    answer = analyse(Profile(SHORT, {}), Profile(LONG, {}), {}, ())
    assert isinstance(answer, NoNumber)
    assert "workers" in answer.sentence


def test_a_kernel_whose_time_nobody_told_has_no_time_a_step() -> None:
    answer = analyse(*profiles("gdn", 2827, 10026, ms_a_call=0.0), {"page": 48, "telemetry": 49}, ())
    assert isinstance(answer, Answer)
    assert [fact.name for fact in answer.facts if "time" in fact.name] == []
    (said,) = (one for one in answer.cautions if one.startswith("gdn"))
    assert said == (
        "gdn: matches the 48 layers of kind 'page', once each; 49 of kind 'telemetry' cannot be told from them"
    )
