"""What the record keeps of a body, for good bodies and for any bytes."""

import json

from hypothesis import given
from hypothesis import strategies as st

from committee.review.completion import BodyFacts, facts
from tests.committee.review.answers import body, review


def test_the_four_facts_of_a_good_body() -> None:
    size = len(json.dumps(review()))
    assert facts(body(review())) == BodyFacts("stop", "served-model", 1200, 300, size)


def test_the_answers_size_is_that_of_its_text_and_its_thinking() -> None:
    assert facts(body("旋鈕", reasoning="so", tool_calls=["x"], refusal=None)).answer_bytes == 6 + 2
    assert facts(body(None)).answer_bytes == 0
    assert facts(b'{"choices": [{"message": {"content": "\\ud800"}}]}').answer_bytes == 3


def test_wrong_types_are_left_out() -> None:
    assert facts(b'{"model": 7, "choices": [{"finish_reason": null}]}') == BodyFacts()
    assert facts(b'{"usage": {"prompt_tokens": "9", "completion_tokens": -1}}') == BodyFacts()
    assert facts(b'{"usage": {"prompt_tokens": true}, "choices": {}}') == BodyFacts()


def test_a_broken_surrogate_in_a_model_name_can_be_stored() -> None:
    assert facts(b'{"model": "\\ud800x"}').served_model == "?x"


def test_a_servers_word_is_one_line_of_what_can_be_seen() -> None:
    said = facts(b'{"model": "a\\u0000\\u001b[31m\\u202e 8B", "choices": [{"finish_reason": "st\\nop"}]}')
    assert (said.served_model, said.finish_reason) == ("a??[31m? 8B", "st?op")


@given(st.binary(max_size=100))
def test_any_bytes_have_facts(raw: bytes) -> None:
    assert facts(raw).prompt_tokens is None
