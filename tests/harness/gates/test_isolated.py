"""Tokens and requests counted by the engine, before, during and after a load, against what the harness sent."""

import pytest

from harness.adapters.base import Counters, EngineReport
from harness.client.record import RequestRecord
from harness.gates.isolated import LAG_S, Sample, Unseen, check_isolated, without_counters
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


def test_fewer_tokens_than_ours_prove_nothing() -> None:
    for prompt, generated in ((117, 178), (118, 177)):
        outcome = check_isolated(Counters(100, 50, False), Counters(prompt, generated, False), RECORDS)
        assert outcome is not None and (outcome.passed, outcome.reason) == (False, Reason.COUNTERS_RESET)


def test_more_tokens_in_no_more_requests_are_a_wrong_count() -> None:
    outcome = check_isolated(BEFORE, Counters(44, 128, True, 2, 0, 0), RECORDS)
    assert outcome is not None and (outcome.passed, outcome.reason) == (False, Reason.PROMPT_COUNT)
    assert "ended no request but ours" in outcome.evidence
    outcome = check_isolated(BEFORE, Counters(44, 129, True, 2, 0, 0), RECORDS)
    assert outcome is not None and outcome.reason is Reason.COUNT_MISMATCH


def test_without_counters_nothing_is_shown() -> None:
    assert check_isolated(None, Counters(1, 1, False), RECORDS) is None
    assert check_isolated(Counters(1, 1, False), None, RECORDS) is None


def test_counters_that_are_no_numbers_are_another_reason_than_none() -> None:
    odd = without_counters(EngineReport("", unread=("b",)), ("a", "b"))
    assert (odd.reason, odd.evidence) == (
        Reason.COUNTERS_UNREADABLE,
        "the engine's b is no finite number, so nothing can be shown",
    )
    assert without_counters(EngineReport("", unread=("c",)), ("a", "b")).reason is Reason.NO_PROOF


def test_looks_that_gave_nothing_are_told() -> None:
    blind = Unseen(0.1, 0.2, "it answered with status 404")
    outcome = check_isolated(BEFORE, AFTER, RECORDS, (blind, sample(0.5, 2), blind))
    assert outcome is not None and outcome.passed
    assert outcome.evidence.endswith("2 looks gave no counters, the first because it answered with status 404")


BEFORE, AFTER = Counters(0, 0, True, 0, 0, 0), Counters(22, 128, True, 2, 0, 0)


def sample(at: float, running: int, waiting: int = 0) -> Sample:
    return Sample(at, at + 0.01, Counters(1, 1, True, 1, running, waiting))


def test_requests_of_ours_that_run_at_every_look_are_isolated() -> None:
    outcome = check_isolated(BEFORE, AFTER, RECORDS, (sample(0.5, 2), sample(0.9, 1, 1), sample(1 + LAG_S / 2, 2)))
    assert outcome is not None and outcome.passed and "never more than ours in 3 looks" in outcome.evidence


@pytest.mark.parametrize("seen", [sample(0.5, 3), sample(0.5, 2, 1), sample(1 + 2 * LAG_S, 1)])
def test_a_request_more_than_ours_at_one_look_is_a_stranger(seen: Sample) -> None:
    outcome = check_isolated(BEFORE, AFTER, RECORDS, (sample(0.2, 2), seen))
    assert outcome is not None and (outcome.passed, outcome.reason) == (False, Reason.STRANGER)
    assert "running or waiting during the load" in outcome.evidence


def test_somebody_who_is_served_before_the_load_is_a_stranger() -> None:
    outcome = check_isolated(Counters(0, 0, True, 0, 1, 0), AFTER, RECORDS)
    assert outcome is not None and outcome.reason is Reason.STRANGER and "before the load began" in outcome.evidence


def test_more_requests_ended_than_were_sent_is_a_stranger_even_without_tokens() -> None:
    outcome = check_isolated(BEFORE, Counters(22, 128, True, 3, 0, 0), RECORDS)
    assert outcome is not None and outcome.reason is Reason.STRANGER and "counted 3 requests" in outcome.evidence


def test_counters_that_went_back_prove_nothing() -> None:
    outcome = check_isolated(Counters(900, 900, True), AFTER, RECORDS)
    assert outcome is not None and (outcome.passed, outcome.reason) == (False, Reason.COUNTERS_RESET)
    assert "went back during the load" in outcome.evidence
