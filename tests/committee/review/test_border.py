"""Every way in which an answer can be wrong is excluded with its own reason; a right one is accepted whole."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from committee.review.border import MAX_ANSWER_BYTES, judge
from committee.review.received import Accepted, Excluded, Received, Wire
from committee.vocabulary.example import EXAMPLES
from committee.vocabulary.exclusion import Reason
from committee.vocabulary.language import Language
from tests.committee.review.answers import EXPECTED, NONCE, body, hypothesis, review

MARK = "UNTRUSTED-WORDS"


def outcome(raw: bytes, wire: Wire = "openai") -> Accepted | Excluded:
    return judge(Received(wire=wire, raw=raw), EXPECTED)


def reason(raw: bytes, wire: Wire = "openai") -> Reason:
    result = outcome(raw, wire)
    assert isinstance(result, Excluded), result
    return result.reason


def test_a_complete_review_is_accepted() -> None:
    result = outcome(body(review()))
    assert isinstance(result, Accepted)
    assert result.answer.count == 1
    assert result.answer.hypotheses[0].predicted.high_pct == 60.5
    arm = result.answer.hypotheses[0].arm
    assert arm is not None and arm.flags == {"n-parallel": 4}


def test_a_review_without_hypotheses_is_complete() -> None:
    result = outcome(body({"nonce": NONCE, "proposal": EXPECTED.proposal, "count": 0, "hypotheses": []}))
    assert isinstance(result, Accepted) and result.answer.hypotheses == ()


def test_a_review_that_only_repeats_the_example_is_left_out() -> None:
    echo = hypothesis(mechanism=EXAMPLES[Language.EN].mechanism, citations=[])
    chinese = hypothesis(mechanism=EXAMPLES[Language.ZH_TW].mechanism)
    said = Excluded(Reason.EXAMPLE_ECHOED, "it holds nothing but the example of the prompt")
    assert outcome(body(review(echo))) == outcome(body(review(chinese, echo))) == said
    whole = outcome(body(review(echo, hypothesis())))
    assert isinstance(whole, Accepted) and len(whole.answer.hypotheses) == 2, "one of its own is a review"


def test_a_commands_output_is_judged_by_the_same_rules() -> None:
    assert isinstance(outcome(json.dumps(review()).encode(), "command"), Accepted)
    assert reason(b"", "command") is Reason.EMPTY
    assert reason(b"\xff\xfe{", "command") is Reason.INVALID_JSON


def test_a_failed_call_keeps_its_reason_whatever_it_brought() -> None:
    received = Received("openai", body(review()), Reason.TIMED_OUT, "no answer within 3 s")
    assert judge(received, EXPECTED) == Excluded(Reason.TIMED_OUT, "no answer within 3 s")


UNPLAIN = "\x00\x1b\x7f\x80\x9b\x9f\u2028\u2029\u202a\u202e\u2066\u2069"
UNSEEN = "\u200b\u200d\u200e\u200f\u061c\u2060\ufeff\u00ad\u180e\u115f\u1160\u3164\uffa0\U000e0041"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"<html>busy</html>", Reason.NOT_A_COMPLETION),
        (b'data: {"choices": []}\n\ndata: [DONE]\n\n', Reason.NO_FINISH),
        (body(review())[:-40], Reason.NOT_A_COMPLETION),
        (b"[]", Reason.NOT_A_COMPLETION),
        (b'{"choices": []}', Reason.NOT_A_COMPLETION),
        (b'{"choices": [{"finish_reason": "stop"}]}', Reason.NOT_A_COMPLETION),
        (b'{"choices": [], "error": {"message": "overloaded"}}', Reason.ERROR_IN_BODY),
        (b'{"choices": [{"error": {"code": 5}, "message": {"content": "{}"}}]}', Reason.ERROR_IN_BODY),
        (b'{"choices": [{"finish_reason": "stop", "message": {"content": ["x"]}}]}', Reason.NOT_A_COMPLETION),
        (body(review(), "error"), Reason.ERROR_IN_BODY),
        (body(review(), None), Reason.NO_FINISH),
        (body(review(), "eos_unknown"), Reason.NO_FINISH),
        (body(review(), "length"), Reason.CUT_BY_LENGTH),
        (body(None, "length"), Reason.CUT_BY_LENGTH),
        (body("", "content_filter"), Reason.FILTERED),
        (body(None, refusal="I cannot"), Reason.FILTERED),
        (body(None, "tool_calls"), Reason.TOOL_CALLS),
        (body(review(), tool_calls=[{"id": "1"}]), Reason.TOOL_CALLS),
        (body(""), Reason.EMPTY),
        (body("  \n\t "), Reason.EMPTY),
        (body("", reasoning="hm, let me think"), Reason.EMPTY),
        (body("", reasoning=json.dumps(review())), Reason.ANSWER_IN_REASONING),
        (body(None, reasoning_content=json.dumps(review())), Reason.ANSWER_IN_REASONING),
        (body("<think>well</think>" + json.dumps(review())), Reason.THINKING_LEAKED),
        (body("so be it</think>\n" + json.dumps(review())), Reason.THINKING_LEAKED),
    ],
)
def test_completions_that_are_no_answer(raw: bytes, expected: Reason) -> None:
    assert reason(raw) is expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Here is my review: " + json.dumps(review()), Reason.INVALID_JSON),
        (json.dumps(review()) + " Hope this helps!", Reason.INVALID_JSON),
        (json.dumps(review())[:-2], Reason.INVALID_JSON),
        (json.dumps(review()).replace("60.5", "NaN"), Reason.INVALID_JSON),
        (json.dumps(review()).replace("60.5", "-Infinity"), Reason.INVALID_JSON),
        ("[" * 100_000, Reason.INVALID_JSON),
        (json.dumps(review()).replace('"count": 1', '"count": 1, "count": 1'), Reason.DUPLICATE_KEYS),
        (json.dumps(review()).replace('"load": 4', '"load": 4, "load": 8'), Reason.DUPLICATE_KEYS),
        (json.dumps([review()]), Reason.WRONG_SHAPE),
        (json.dumps(review(score=9)), Reason.WRONG_SHAPE),
        (json.dumps(review()).replace("60.5", "1e999"), Reason.WRONG_SHAPE),
        (json.dumps(review(hypothesis(mechanism="\ud800"))), Reason.WRONG_SHAPE),
        *((json.dumps(review(hypothesis(mechanism=f"a{c}b"))), Reason.WRONG_SHAPE) for c in UNPLAIN + UNSEEN),
        (json.dumps(review(hypothesis(mechanism="x" * 2001))), Reason.WRONG_SHAPE),
        (json.dumps(review(hypothesis(arm={"name": "a", "flags": {"n": 2**60}}))), Reason.WRONG_SHAPE),
        (json.dumps(review(hypothesis(falsifier=7))), Reason.WRONG_SHAPE),
        (json.dumps(review(count="1")), Reason.WRONG_SHAPE),
        (json.dumps(review(*[hypothesis()] * 13)), Reason.WRONG_SHAPE),
        (json.dumps(review(nonce="another")), Reason.NONCE_MISSING),
        (json.dumps({"hypotheses": []}), Reason.NONCE_MISSING),
        (json.dumps(review(proposal="0002-else")), Reason.OTHER_PROPOSAL),
        (json.dumps(review(count=2)), Reason.COUNT_DIFFERS),
        (json.dumps(review(count=0)), Reason.COUNT_DIFFERS),
        (" " * 10 + "x" * (MAX_ANSWER_BYTES + 1), Reason.TOO_LONG),
    ],
)
def test_answers_that_are_no_review(answer: str, expected: Reason) -> None:
    assert reason(body(answer)) is expected


def test_a_file_outside_the_revision_cannot_be_cited() -> None:
    cited = hypothesis(citations=[{"file": "../etc/passwd", "line": 1, "quote": "root"}])
    result = outcome(body(review(hypothesis(), cited)))
    assert result == Excluded(Reason.UNKNOWN_FILE_CITED, "hypothesis 2 cites a file that is not in the revision")


@pytest.mark.parametrize(
    ("quotes", "detail"),
    [
        (["one slot", "never written"], ""),  # half is not most
        (["one slot", "never written", "nor this"], "2 of 3 quotes stand nowhere in the files they cite"),
        ([" "], "1 of 1 quotes stand nowhere in the files they cite"),
    ],
)
def test_a_review_whose_quotes_are_mostly_false_is_left_out(quotes: list[str], detail: str) -> None:
    cited = [{"file": "PROPOSAL.md", "line": 9, "quote": quote} for quote in quotes]
    result = outcome(body(review(hypothesis(citations=cited))))
    if detail:
        assert result == Excluded(Reason.FALSE_QUOTES, detail)
    else:
        assert isinstance(result, Accepted)


def test_an_interval_upside_down_is_no_prediction() -> None:
    predicted = {"metric": "ttft_ms", "load": 1, "direction": "down", "low_pct": -5, "high_pct": -20}
    result = outcome(body(review(hypothesis(predicted=predicted))))
    assert isinstance(result, Excluded) and result.reason is Reason.WRONG_SHAPE
    assert result.detail == "at hypotheses.0.predicted: low_pct is above high_pct", "no number of the answer"


@pytest.mark.parametrize("number", [10**16, 1e16, -(10**30), 1e300])
def test_a_number_that_no_record_can_hold_is_refused_wherever_it_stands(number: float) -> None:
    witness = [{"source": "props", "path": "slots", "equals": number}]
    for arm in ({"name": "a", "witness": witness}, {"name": "a", "flags": {"n-parallel": number}}):
        result = outcome(body(review(hypothesis(arm=arm))))
        assert isinstance(result, Excluded) and result.detail.endswith("holds a number that is too large")


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```", " ```json\r\n{}\r\n``` \n"])
def test_exactly_one_fence_is_taken_off(fence: str) -> None:
    inside = json.dumps(review(), indent=1)
    assert isinstance(outcome(body(fence.replace("{}", inside))), Accepted)


@pytest.mark.parametrize(
    "fence", ["```json\n```json\n{}\n```\n```", "Sure:\n```json\n{}\n```", "```json\n{}", "{}\n```"]
)
def test_anything_beyond_one_fence_is_not_guessed_at(fence: str) -> None:
    assert reason(body(fence.replace("{}", json.dumps(review())))) is Reason.INVALID_JSON


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(review() | {MARK: 1}),
        json.dumps(review(hypothesis(arm={"name": "a", "flags": {MARK: None}}))),
        json.dumps(review(hypothesis(predicted=hypothesis()["predicted"] | {"metric": MARK}))),
        json.dumps(review(hypothesis(citations=[{"file": MARK, "line": 1, "quote": MARK}]))),
        json.dumps(review(nonce=MARK)),
        json.dumps(review(proposal=MARK)),
        json.dumps(review()).replace('"count"', f'"{MARK}": 1, "{MARK}": 2, "count"'),
        MARK,
    ],
)
def test_an_exclusion_never_quotes_the_answer(answer: str) -> None:
    result = outcome(body(answer))
    assert isinstance(result, Excluded)
    assert MARK not in result.detail


@given(st.binary(max_size=200))
def test_any_bytes_end_in_a_value(raw: bytes) -> None:
    assert isinstance(outcome(raw), Excluded)
    assert isinstance(outcome(raw, "command"), Excluded)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, st.sampled_from(["nonce", "proposal", "count", "hypotheses", "extra"]))
def test_no_key_can_be_replaced_by_another_shape_and_crash(value: Any, key: str) -> None:
    assert isinstance(outcome(body(json.dumps(review(**{key: value})))), Accepted | Excluded)
