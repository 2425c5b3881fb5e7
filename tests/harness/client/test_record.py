"""Rates of one record, where several tokens come in one event and where all come at once."""

from dataclasses import replace

from harness.client.ask import Ask
from harness.client.judge import Times, judged
from harness.client.record import RequestRecord, ToolCall
from harness.client.sse import Reading
from harness.vocabulary.outcome import Reason

TIMES = Times(due=0, t_send=0.5, t_end=99, connect_s=0.25)


def reading(text: str, events: int, tokens: int) -> Reading:
    return Reading(text, tuple(float(i) for i in range(events)), (), 5, 0, tokens, "length", None, None)


def test_several_tokens_in_one_event_are_counted_by_usage() -> None:
    record = RequestRecord(t_send=0, t_end=9, text="x" * 40, stamps=(1.0, 2.0, 3.0, 4.0), tokens=12)
    assert record.weight == 3
    assert record.user_tok_s == (12 - 3) / 3


def test_all_tokens_in_one_event_give_no_rate() -> None:
    assert RequestRecord(t_send=0, t_end=9, text="x", stamps=(1.0,), tokens=12).user_tok_s is None


def test_one_event_cannot_stand_for_more_tokens_than_an_engine_drafts() -> None:
    record = judged(TIMES, Ask("x", 64, 1), reading("x" * 300, 1, 64), None)
    assert record.reason is Reason.ALL_AT_ONCE


def test_a_token_is_at_least_one_byte_of_text() -> None:
    assert judged(TIMES, Ask("x", 64, 1), reading("ab" * 20, 40, 64), None).reason is Reason.COUNT_MISMATCH
    assert judged(TIMES, Ask("x", 64, 1), reading("ab" * 40, 40, 64), None).reason is None


def test_more_events_than_tokens_is_a_wrong_count_and_not_a_short_answer() -> None:
    assert judged(TIMES, Ask("x", 64, 1), reading("ab" * 64, 64, 32), None).reason is Reason.UNDERCOUNTED
    assert judged(TIMES, Ask("x", 64, 1), reading("ab" * 70, 70, 64), None).reason is Reason.UNDERCOUNTED


def test_a_stream_that_broke_carries_no_number() -> None:
    broken = replace(reading("ab" * 40, 40, 64), broken="an event is not a JSON object: '{'")
    record = judged(TIMES, Ask("x", 64, 1), broken, None)
    assert (record.reason, record.detail) == (Reason.STREAM_GARBLED, "an event is not a JSON object: '{'")


def test_at_most_so_many_tokens_may_come_where_not_exactly_so_many_are_asked_for() -> None:
    ask = Ask("x", 64, 1, exact=False)
    assert judged(TIMES, ask, reading("ab" * 20, 10, 10), None).ok
    assert judged(TIMES, Ask("x", 64, 1), reading("ab" * 20, 10, 10), None).reason is Reason.TOO_FEW_TOKENS
    assert judged(TIMES, ask, reading("ab" * 70, 65, 65), None).reason is Reason.OVERCOUNTED


def test_an_answer_without_a_word_is_none() -> None:
    record = judged(TIMES, Ask("x", 64, 1, exact=False), reading("", 0, 1), None)
    assert (record.reason, record.detail) == (
        Reason.NO_TEXT,
        "neither text nor a tool call came, the server counted 1 tokens",
    )
    record = judged(TIMES, Ask("x", 64, 1), replace(reading("", 0, 64), empty=64), None)
    assert (record.reason, record.detail) == (
        Reason.EMPTY_TEXT,
        "64 events came and the text of each is empty, the server counted 64 tokens",
    )


def test_a_text_that_ends_by_itself_after_two_bytes_is_no_short_answer() -> None:
    record = judged(TIMES, Ask("x", 64, 1), reading("**", 1, 1), None)
    assert (record.reason, record.detail) == (Reason.COLLAPSED, "1 tokens came of 64 asked for, 2 bytes")
    assert judged(TIMES, Ask("x", 64, 1), reading("Yes", 1, 1), None).reason is Reason.TOO_FEW_TOKENS


def test_what_a_stream_lacks_at_its_end_has_a_reason_of_its_own() -> None:
    whole = reading("ab" * 64, 64, 64)
    silent = judged(TIMES, Ask("x", 64, 1), replace(whole, finish_reason=None), None)
    cut = judged(TIMES, Ask("x", 64, 1), replace(whole, finish_reason=None, tokens=None), None)
    uncounted = judged(TIMES, Ask("x", 64, 1), replace(whole, tokens=None), None)
    foreign = judged(TIMES, Ask("x", 64, 1), replace(whole, broken="no stream", foreign=True), None)
    reasons = (silent.reason, cut.reason, uncounted.reason, foreign.reason)
    assert reasons == (Reason.NO_FINISH_REASON, Reason.STREAM_CUT, Reason.NO_USAGE, Reason.NO_STREAM)


def test_a_tool_call_is_an_answer_and_may_come_in_any_number_of_events() -> None:
    called = replace(reading("", 1, 60), tool_calls=(ToolCall("weather", '{"town": "Taipei"}'),))
    record = judged(TIMES, Ask("x", 64, 1, exact=False), called, None)
    assert record.ok and record.tool_calls == (ToolCall("weather", '{"town": "Taipei"}'),)
    assert record.as_json()["tool_calls"] == ({"name": "weather", "arguments": '{"town": "Taipei"}'},)
    for tokens in (0, 65):
        counted = judged(TIMES, Ask("x", 64, 1, exact=False), replace(called, tokens=tokens), None)
        assert counted.reason is (Reason.COUNT_MISMATCH if tokens == 0 else Reason.OVERCOUNTED)


def test_the_delay_of_sending_and_the_connections_part_of_it_are_kept_apart() -> None:
    record = judged(TIMES, Ask("x", 64, 1), reading("ab" * 40, 40, 64), None)
    assert (record.dispatch_delay_ms, record.connect_ms, record.t_send) == (500, 250, 0.5)
