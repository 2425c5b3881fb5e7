"""The embedded reviewer's server is a child of ours: started, read, stopped by pid."""

import asyncio
import json
import sys
from pathlib import Path

import httpx
import pytest

from committee.review.embedded import EngineNotStartedError, embedded_model
from committee.review.order import Edge, Order
from committee.vocabulary.answer_schema import AnswerOf, compact_schema
from committee.vocabulary.config import Reviewer
from committee.vocabulary.exclusion import Reason
from committee.vocabulary.review import ReviewAnswer
from harness.vocabulary.target import Allowed
from tests.committee.review.answers import PROPOSAL, review
from tests.committee.review.sitting import called

ENDS_AT_ONCE = (sys.executable, "-c", "import sys; sys.exit('no model')")


def recorded_server(folder: Path) -> tuple[str, ...]:
    answer = {key: value for key, value in review().items() if key != "nonce"}
    (folder / "demo.json").write_text(json.dumps({"label": "recorded", "model": "m", "answer": answer}))
    return (sys.executable, "-m", "committee.review.recorded", str(folder))


async def test_it_is_ready_by_its_own_log_and_gone_afterwards(tmp_path: Path) -> None:
    async with asyncio.timeout(20), httpx.AsyncClient(trust_env=False) as client:
        async with embedded_model(recorded_server(tmp_path)) as base_url:
            assert (await client.get(f"{base_url}/models")).status_code == 200
        with pytest.raises(httpx.ConnectError):
            await client.get(f"{base_url}/models")


@pytest.mark.parametrize("argv", [ENDS_AT_ONCE, ("committee-no-such-engine",)])
async def test_a_server_that_does_not_start_is_an_expected_failure(argv: tuple[str, ...]) -> None:
    async with asyncio.timeout(20):
        with pytest.raises(EngineNotStartedError, match="embedded model"):
            async with embedded_model(argv):
                pass
        order = Order(Reviewer(name="small", kind="embedded"), "", {}, ())
        received = await called(order, Edge({}, argv))
    assert received.failure is Reason.COULD_NOT_START


@pytest.mark.system
@pytest.mark.alone
async def test_the_small_model_fills_the_compact_schema() -> None:
    flags = {"n-parallel": Allowed(type="int", min=1, max=8), "threads": Allowed(type="int", min=1, max=2)}
    schema = compact_schema(AnswerOf("c0ffee123456", PROPOSAL, (), flags, (1, 2, 4)))
    reviewer = Reviewer(name="small", kind="embedded", timeout_s=120, max_tokens=500)
    prompt = f"Review.\nnonce: c0ffee123456\nproposal: {PROPOSAL}\nWhich knob of llama.cpp is real on a small CPU?\n"
    received = await called(Order(reviewer, prompt, schema, ()), Edge({}))
    body = json.loads(received.raw)
    assert received.failure is None
    assert ReviewAnswer.model_validate_json(body["choices"][0]["message"]["content"]).count == 1
    assert body["usage"]["completion_tokens"] <= 350
