"""A prompt of so many tokens, by the server's own count, is answered."""

from harness.client.record import RequestRecord
from harness.client.stream import Door, connections
from harness.gates.capability import check_capability, judge_capability
from harness.vocabulary.criteria import Capability
from harness.vocabulary.outcome import Reason
from tests.harness.client.test_stream import sampling
from tests.harness.small_server import Behaviour, serving

WANTED = Capability(check="context_tokens", value=1000)


def test_the_servers_count_decides_not_the_length_sent() -> None:
    answered = RequestRecord(t_send=0, t_end=1, prompt_tokens=1000, tokens=16)
    assert judge_capability(WANTED, answered).passed
    short = RequestRecord(t_send=0, t_end=1, prompt_tokens=999, tokens=16)
    outcome = judge_capability(WANTED, short)
    assert (outcome.passed, outcome.reason) == (False, Reason.CAPABILITY_MISSING)


async def test_a_prompt_is_sent_and_a_refusal_is_a_missing_capability() -> None:
    behaviour = Behaviour(mode="status-500")
    async with serving(behaviour) as url, connections() as client:
        outcome, record = await check_capability(client, Door(url, "completions", "m", sampling), WANTED, 10)
    assert (outcome.passed, outcome.reason) == (False, Reason.CAPABILITY_MISSING)
    assert "status 500" in outcome.evidence and not record.ok


async def test_the_prompt_holds_more_words_than_tokens_asked_for() -> None:
    behaviour = Behaviour()
    async with serving(behaviour) as url, connections() as client:
        await check_capability(client, Door(url, "completions", "m", sampling), WANTED, 10)
    assert len(str(behaviour.requests[0]["prompt"]).split()) > 1000
