"""Temperature-0 texts of three prompts, one at a time."""

from itertools import pairwise

from harness.client.record import RequestRecord
from harness.client.stream import Door, connections
from harness.gates.numerics import PROMPTS, SHORT_TOKENS, check_numerics, numerics_records, protocol_texts
from harness.vocabulary.outcome import GateName, Reason
from tests.harness.client.test_stream import sampling
from tests.harness.small_server import Behaviour, serving


async def records_of(behaviour: Behaviour) -> tuple[RequestRecord, ...]:
    async with serving(behaviour) as url, connections() as client:
        return await numerics_records(client, Door(url, "completions", "m", sampling), 10)


async def test_prompts_go_one_after_the_other_and_the_first_is_the_probe() -> None:
    behaviour = Behaviour()
    records = await records_of(behaviour)
    assert [body["prompt"] for body in behaviour.requests] == list(PROMPTS)
    assert [record.tokens for record in records] == [100, SHORT_TOKENS, SHORT_TOKENS]
    assert all(one.t_end <= other.t_send for one, other in pairwise(records))
    outcome = check_numerics(records)
    assert outcome.passed and outcome.texts is not None and len(outcome.texts) == 3


async def test_a_text_that_did_not_come_fails_and_ends_the_asking() -> None:
    behaviour = Behaviour(mode="short")
    records = await records_of(behaviour)
    assert len(behaviour.requests) == 1
    outcome = check_numerics(records)
    assert (outcome.passed, outcome.reason) == (False, Reason.TOO_FEW_TOKENS)


def test_a_protocols_texts_join_the_gates_own() -> None:
    gate = protocol_texts(("a", "b"), ("c",))
    assert gate.passed and gate.gate is GateName.IDENTICAL and gate.texts == ("a", "b", "c")
