"""Counts that disagree with the tokenizer take a trial's numbers away, and the client's own part goes on record."""

from dataclasses import replace

import pytest

from harness.client.load import ClientLoad
from harness.client.record import RequestRecord
from harness.protocols import ProtocolOutcome
from harness.vocabulary.outcome import Reason
from harness.workflow.cross_check import cross_checked
from ledger.entries import Metric
from ledger.entries.trial import ClientCost
from tests.harness.client.raw_server import door
from tests.harness.client.test_counting import tokenizer

LOAD = ClientLoad(
    requests=2,
    events=100,
    open_s=2.0,
    cpu_s=0.01,
    dispatch_p99_ms=0.1,
    dispatch_max_ms=0.1,
    lag_p99_ms=0.2,
    lag_max_ms=0.3,
)
METRICS = (Metric(metric="user_tok_s", load=1, value=60, samples=1),)


def trial(tokens: int) -> ProtocolOutcome:
    record = RequestRecord(t_send=0, t_end=1, text="word " * 50, stamps=(0.5, 0.9), tokens=tokens)
    return ProtocolOutcome(METRICS, None, "", (record,))


async def test_counts_that_agree_are_shown_beside_the_clients_own_part() -> None:
    async with tokenizer() as (url, _):
        checked = await cross_checked(trial(51), LOAD, door(url), "/tokenize")
    assert (checked.metrics, checked.reason) == (METRICS, None)
    assert checked.findings == (LOAD.sentence, "51 tokens by the server, 50 by the tokenizer, in 1 answers")
    assert checked.client == LOAD


@pytest.mark.parametrize(("answer", "reason"), [(None, Reason.COUNT_MISMATCH), ("{}", Reason.NO_PROOF)])
async def test_counts_that_disagree_or_cannot_be_had_leave_no_number(answer: str | None, reason: Reason) -> None:
    async with tokenizer(answer) as (url, _):
        checked = await cross_checked(trial(64), LOAD, door(url), "/tokenize")
    assert (checked.metrics, checked.reason) == ((), reason)
    assert checked.detail and checked.client == LOAD


async def test_prompts_whose_count_disagrees_leave_no_number() -> None:
    (good,) = trial(50).records
    prompted = replace(good, prompt="word " * 40, prompt_tokens=40)
    async with tokenizer() as (url, _):
        plain = replace(door(url), api="completions")
        shown = await cross_checked(replace(trial(50), records=(prompted,)), LOAD, plain, "/tokenize")
        cut = replace(prompted, prompt_tokens=20)
        checked = await cross_checked(replace(trial(50), records=(cut,)), LOAD, plain, "/tokenize")
    assert shown.findings[-1] == "40 prompt tokens by the server, 40 by the tokenizer, in 1 prompts"
    assert (checked.metrics, checked.reason) == ((), Reason.PROMPT_COUNT)
    assert "counted 20 prompt tokens in request 0 and the model's tokenizer 40" in checked.detail


async def test_no_tokenizer_is_asked_where_none_is_named_or_nothing_was_measured() -> None:
    async with tokenizer() as (url, asked):
        assert (await cross_checked(trial(64), LOAD, door(url), "")).metrics == METRICS
        failed = replace(trial(64), metrics=(), reason=Reason.REQUEST_FAILED, detail="gone")
        assert (await cross_checked(failed, LOAD, door(url), "/tokenize")).detail == "gone"
    assert asked == []


def test_what_is_recorded_of_the_client_is_all_of_it() -> None:
    assert ClientCost(**LOAD.as_json()).model_dump() == LOAD.as_json()
    assert ClientCost(**LOAD.as_json()).bound is False
