"""Which of eight cases are right, in which mode, and why the others are not."""

import json
from dataclasses import replace

import pytest

from harness.client.record import RequestRecord, ToolCall
from harness.protocols.tool_calls import outcome
from harness.protocols.tool_cases import CASES, ToolCase, fault, offered
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values

WORTH = {"string": "x", "number": 2.5, "integer": 3}


def called(case: ToolCase, **changes: object) -> RequestRecord:
    """The right call of a case, with some arguments changed; none takes one away."""
    arguments = {one.name: WORTH[one.type] for one in case.tool.needed} | changes
    kept = {name: value for name, value in arguments.items() if value is not None}
    return replace(stream(0, 1, text=""), tool_calls=(ToolCall(case.tool.name, json.dumps(kept)),))


RIGHT = [called(case) for case in CASES]
TALK = [stream(0, 1) for _ in CASES]


def test_eight_cases_with_the_right_tool_among_three_others() -> None:
    assert len(CASES) == 8 and len({case.tool.name for case in CASES}) == 8
    for index, case in enumerate(CASES):
        assert case.tool in offered(index) and len({tool.name for tool in offered(index)}) == 3
    assert len({tuple(tool.name for tool in offered(index)).index(CASES[index].tool.name) for index in range(8)}) == 3


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (called(CASES[0]), None),
        (stream(0, 1, text="It is sunny."), "0 calls where one was due, and the text 'It is sunny.'"),
        (called(CASES[1]), "it called 'convert_currency' where 'get_weather' was due"),
        (called(CASES[0], city=None), "argument 'city' is None, not of type string"),
        (called(CASES[0], city=5), "argument 'city' is 5"),
        (replace(RIGHT[0], tool_calls=(ToolCall("get_weather", "{'city'"),)), "no JSON"),
        (replace(RIGHT[0], tool_calls=(ToolCall("get_weather", "[" * 3000),)), "the arguments are no JSON: "),
        (replace(RIGHT[0], tool_calls=(ToolCall("get_weather", "[]"),)), "no JSON object"),
        (replace(RIGHT[0], tool_calls=RIGHT[0].tool_calls * 2), "2 calls where one was due"),
        (failure(), "the sentence"),
    ],
)
def test_what_a_right_call_is(record: RequestRecord, said: str | None) -> None:
    found = fault(CASES[0], record)
    assert found is None if said is None else found is not None and said in found


def test_true_is_no_number() -> None:
    assert fault(CASES[5], called(CASES[5], people=True)) is not None
    assert fault(CASES[7], called(CASES[7], degrees=21)) is None  # a whole number is a number


def test_it_says_which_mode_works() -> None:
    found = outcome([RIGHT, TALK], least=8)
    seen = values(found.metrics)
    assert (seen["tool_auto_ok", 1], seen["tool_required_ok", 1]) == (8, 0)
    assert seen["tool_call_ms", 1] == pytest.approx(2000)
    assert found.findings[0].startswith("auto 8 of 8; required 0 of 8 (case 0: 0 calls")


def test_too_few_right_cases_in_both_modes() -> None:
    found = outcome([[*RIGHT[:7], failure()], TALK], least=8)
    assert (found.metrics, found.reason) == ((), Reason.NO_TOOL_CALL)
    assert "auto 7 of 8 (case 7: the sentence)" in found.detail and "8 right ones are needed" in found.detail
    assert outcome([[*RIGHT[:7], failure()], TALK], least=7).reason is None
