"""Every metric of the ladder on streams with known times, and the reasons why a trial carries no number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.client.record import RequestRecord
from harness.client.stream import Door, connections
from harness.protocols.base import Surroundings
from harness.protocols.ladder import ladder, outcome
from harness.protocols.rates import streaming_tok_s, total_tok_s, user_tok_s
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Reason
from tests.harness.client.test_stream import sampling
from tests.harness.small_server import Behaviour, serving


def record(send: float, first: float, step_s: float, events: int, tokens: int | None = None) -> RequestRecord:
    """A stream with one event every `step_s` seconds."""
    stamps = tuple(first + index * step_s for index in range(events))
    return RequestRecord(
        t_send=send, t_end=stamps[-1], text="x", stamps=stamps, tokens=tokens or events, finish_reason="length"
    )


def broken(reason: Reason) -> RequestRecord:
    return RequestRecord(t_send=0, t_end=1, reason=reason, detail="the sentence")


def test_one_user() -> None:
    step = [record(0.0, 1.0, 0.1, 11)]
    assert user_tok_s(step) == pytest.approx(10)
    assert total_tok_s(step) == pytest.approx(11 / 2)
    assert streaming_tok_s(step) == pytest.approx(10)


def test_two_users_staggered_have_a_lower_total_than_while_both_stream() -> None:
    step = [record(0.0, 1.0, 0.1, 21), record(0.0, 2.0, 0.1, 21)]  # 1.0 to 3.0 and 2.0 to 4.0
    assert user_tok_s(step) == pytest.approx(10)
    assert total_tok_s(step) == pytest.approx(42 / 4)
    assert streaming_tok_s(step) == pytest.approx(20, rel=0.06)  # both streams between 2.0 and 3.0


def test_streams_that_never_overlap_have_no_rate_while_all_stream() -> None:
    one_after_the_other = [record(0.0, 1.0, 0.1, 11), record(0.0, 3.0, 0.1, 11)]
    assert streaming_tok_s(one_after_the_other) is None
    hardly = [record(0.0, 1.0, 0.1, 21), record(0.0, 2.8, 0.1, 21)]
    assert streaming_tok_s(hardly) is None


def test_several_tokens_in_one_event_are_weighted_by_usage() -> None:
    step = [record(0.0, 1.0, 0.1, 11, tokens=33)]
    assert user_tok_s(step) == pytest.approx(30)
    assert total_tok_s(step) == pytest.approx(33 / 2)
    assert streaming_tok_s(step) == pytest.approx(30)


@given(st.lists(st.tuples(st.floats(0.01, 3), st.floats(0.01, 0.5), st.integers(2, 40)), min_size=1, max_size=6))
def test_no_metric_is_negative_and_the_total_never_exceeds_all_tokens(users: list[tuple[float, float, int]]) -> None:
    step = [record(0.0, first, gap, events) for first, gap, events in users]
    total, streaming = total_tok_s(step), streaming_tok_s(step)
    assert total is not None and total > 0
    assert total * max(one.t_last for one in step) == pytest.approx(sum(one.tokens for one in step))
    assert streaming is None or streaming > 0


def test_metrics_are_means_over_the_steps_of_a_load() -> None:
    found = outcome([[record(0, 1, 0.1, 11)], [record(0, 1, 0.1, 11), record(0, 1, 0.1, 11)], [record(0, 1, 0.2, 11)]])
    assert (found.reason, found.detail, len(found.records)) == (None, "", 4)
    values = {(metric.metric, metric.load): metric.value for metric in found.metrics}
    assert values["user_tok_s", 1] == pytest.approx(7.5)
    assert values["total_tok_s", 1] == pytest.approx((11 / 2 + 11 / 3) / 2)
    assert values["total_tok_s", 2] == pytest.approx(11)
    assert values["ttft_ms", 2] == pytest.approx(1000)
    assert {(metric.load, metric.samples) for metric in found.metrics} == {(1, 2), (2, 1)}


def test_a_metric_that_one_step_lacks_does_not_exist_for_that_load() -> None:
    apart = [record(0, 1, 0.1, 11), record(0, 3, 0.1, 11)]
    together = [record(0, 1, 0.1, 11), record(0, 1, 0.1, 11)]
    names = {metric.metric for metric in outcome([apart, together]).metrics}
    assert names == {"user_tok_s", "total_tok_s", "ttft_ms"}


@pytest.mark.parametrize("reason", [Reason.REQUEST_FAILED, Reason.TOO_FEW_TOKENS, Reason.COUNT_MISMATCH])
def test_one_bad_request_voids_the_whole_trial(reason: Reason) -> None:
    found = outcome([[record(0, 1, 0.1, 11)], [record(0, 1, 0.1, 11), broken(reason)]])
    assert (found.metrics, found.reason) == ((), reason)
    assert found.detail == "step 1 (2 users), user 1: the sentence"
    assert len(found.records) == 3


def criteria(steps: list[int]) -> Criteria:
    return Criteria.from_mapping(
        {
            "schema": 1,
            "blocks": 2,
            "level": 0.05,
            "ladder": {"steps": steps, "tokens": 16, "request_timeout_s": 10},
            "primary": {"metric": "total_tok_s", "load": steps[0], "smallest_effect_pct": 10},
            "numerics": {"policy": "identical"},
        },
        "criteria",
    )


async def test_prompts_are_unique_in_a_launch_and_the_same_in_the_next_of_the_block() -> None:
    sent: list[list[str]] = []
    for seed in (7, 7, 8):
        behaviour = Behaviour()
        async with serving(behaviour) as url, connections() as client:
            found = await ladder(
                client, Door(url, "completions", "m", sampling), criteria([1, 2, 1]), seed, Surroundings()
            )
        assert found.reason is None and len(found.records) == 4
        sent.append(sorted(str(body["prompt"]) for body in behaviour.requests))
    assert sent[0] == sent[1] and len(set(sent[0])) == 4
    assert not set(sent[0]) & set(sent[2])
    assert len({prompt[:8] for prompt in sent[0] + sent[2]}) == 8  # already the first words differ


async def test_users_of_a_step_are_served_at_the_same_time() -> None:
    behaviour = Behaviour(token_s=0.01)
    async with serving(behaviour) as url, connections() as client:
        found = await ladder(client, Door(url, "completions", "m", sampling), criteria([4]), 1, Surroundings())
    assert max(record.t_send for record in found.records) < min(record.t_first for record in found.records)
    assert {metric.metric for metric in found.metrics} == {"user_tok_s", "total_tok_s", "streaming_tok_s", "ttft_ms"}


async def test_the_ladder_ends_at_the_first_bad_step() -> None:
    behaviour = Behaviour(mode="early-end")
    async with serving(behaviour) as url, connections() as client:
        found = await ladder(client, Door(url, "completions", "m", sampling), criteria([1, 2]), 1, Surroundings())
    assert (found.metrics, found.reason, len(found.records)) == ((), Reason.STREAM_CUT, 1)
