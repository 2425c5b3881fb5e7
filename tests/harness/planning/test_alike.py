"""When three failures that look alike stop a plan, and when they are only one arm's own."""

import pytest

from harness.planning.alike import Ending, three_alike

GOOD = Ending("baseline", None, None)


def failed(name: str, reason: str = "port_in_use") -> Ending:
    return Ending(name, None if name in ("baseline", "placebo") else name, reason)


def sound(name: str) -> Ending:
    return Ending(name, name, None)


@pytest.mark.parametrize(
    "endings",
    [
        [failed("baseline"), failed("baseline"), failed("baseline")],
        [failed("baseline"), GOOD, failed("one"), GOOD, failed("placebo")],
        [failed("one"), failed("two"), sound("three"), failed("one")],
        [GOOD, failed("one"), GOOD, failed("one"), GOOD, failed("one")],
        [failed("one"), failed("one"), failed("one"), failed("two", "died")],
        [failed("one"), failed("one"), failed("one"), sound("two"), failed("two", "died")],
    ],
)
def test_three_alike_stop_the_plan_with_a_sentence(endings: list[Ending]) -> None:
    said = three_alike(endings)
    assert said is not None and said.startswith("3 launches ended in port_in_use (")
    assert "assumption is wrong" in said and "finished blocks are kept" in said


@pytest.mark.parametrize(
    "endings",
    [
        [],
        [failed("baseline"), failed("baseline")],
        [failed("baseline"), failed("placebo", "died"), failed("one", "not_armed")],
        [failed("one"), sound("two"), failed("one"), sound("two"), failed("one"), sound("two")],
        [GOOD, GOOD, GOOD],
    ],
)
def test_two_alike_and_one_arms_own_failures_do_not(endings: list[Ending]) -> None:
    assert three_alike(endings) is None


def test_the_sentence_names_reason_and_launches() -> None:
    said = three_alike([failed("baseline"), failed("one"), failed("one")]) or ""
    assert "(baseline, one)" in said
