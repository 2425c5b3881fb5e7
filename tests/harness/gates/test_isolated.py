"""Tokens counted by the engine against tokens that the harness asked for."""

from harness.adapters.base import Counters
from harness.client.record import RequestRecord
from harness.gates.isolated import check_isolated
from harness.vocabulary.outcome import Reason


def record(prompt: int, tokens: int, cached: int = 0) -> RequestRecord:
    return RequestRecord(t_send=0, t_end=1, prompt_tokens=prompt, cached_tokens=cached, tokens=tokens)


RECORDS = (record(10, 64), record(12, 64, cached=4))


def test_exactly_our_tokens_is_isolated() -> None:
    outcome = check_isolated(Counters(100, 50, False), Counters(118, 178, False), RECORDS)
    assert outcome is not None and outcome.passed


def test_engines_that_count_cached_tokens_are_compared_with_whole_prompts() -> None:
    outcome = check_isolated(Counters(0, 0, True), Counters(22, 128, True), RECORDS)
    assert outcome is not None and outcome.passed


def test_one_token_more_is_a_stranger() -> None:
    for prompt, generated in ((119, 178), (118, 179)):
        outcome = check_isolated(Counters(100, 50, False), Counters(prompt, generated, False), RECORDS)
        assert outcome is not None and (outcome.passed, outcome.reason) == (False, Reason.STRANGER)


def test_without_counters_nothing_is_shown() -> None:
    assert check_isolated(None, Counters(1, 1, False), RECORDS) is None
    assert check_isolated(Counters(1, 1, False), None, RECORDS) is None
