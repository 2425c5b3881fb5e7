"""Rates of one record, where several tokens come in one event and where all come at once."""

from dataclasses import replace

from harness.client.record import RequestRecord
from harness.client.sse import Reading
from harness.client.stream import Ask, judged
from harness.vocabulary.outcome import Reason


def reading(text: str, events: int, tokens: int) -> Reading:
    return Reading(text, tuple(float(i) for i in range(events)), 0, 5, 0, tokens, "length", None, None)


def test_several_tokens_in_one_event_are_counted_by_usage() -> None:
    record = RequestRecord(t_send=0, t_end=9, text="x" * 40, stamps=(1.0, 2.0, 3.0, 4.0), tokens=12)
    assert record.weight == 3
    assert record.user_tok_s == (12 - 3) / 3


def test_all_tokens_in_one_event_give_no_rate() -> None:
    assert RequestRecord(t_send=0, t_end=9, text="x", stamps=(1.0,), tokens=12).user_tok_s is None


def test_one_event_cannot_stand_for_more_tokens_than_an_engine_drafts() -> None:
    record = judged(0, 9, Ask("x", 64, 1), reading("x" * 300, 1, 64), None)
    assert record.reason is Reason.COUNT_MISMATCH


def test_a_token_is_at_least_one_byte_of_text() -> None:
    assert judged(0, 9, Ask("x", 64, 1), reading("ab" * 20, 40, 64), None).reason is Reason.COUNT_MISMATCH
    assert judged(0, 9, Ask("x", 64, 1), reading("ab" * 40, 40, 64), None).reason is None


def test_more_events_than_tokens_is_a_mismatch() -> None:
    assert judged(0, 99, Ask("x", 64, 1), reading("ab" * 70, 70, 64), None).reason is Reason.COUNT_MISMATCH


def test_a_stream_that_broke_carries_no_number() -> None:
    broken = replace(reading("ab" * 40, 40, 64), broken="an event is not a JSON object: '{'")
    record = judged(0, 9, Ask("x", 64, 1), broken, None)
    assert (record.reason, record.detail) == (Reason.REQUEST_FAILED, "an event is not a JSON object: '{'")
