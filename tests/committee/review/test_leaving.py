"""Nothing that looks like a secret leaves beside the proposal's files, and all that leaves can be read before."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from committee.review.ask import ask
from committee.review.leaving import Lookout, said_beside_prompt
from committee.review.openai_call import request_of
from committee.review.order import Order
from committee.review.ordering import beside_files, order_for
from committee.review.prompt import Subject
from committee.testing.misbehaving import Misbehaving
from committee.vocabulary.config import CommitteeConfig
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from ledger.entries import Attempt
from tests.committee.review.sitting import SUBJECT, TARGET, config, openai, seat, sitting

ROOT = Path(__file__).parents[3]
NONCE = "c0ffee123456"
KEY = "sk-" + "proj-" + "Zx81kLmN04pQrS7tUvW2"  # in pieces: a made-up key must not look like one here
ONE = config(openai("glm", "good", "http://127.0.0.1:9/v1"))


def leaky() -> Subject:
    flags = TARGET.baseline.flags | {"served": KEY}
    baseline = TARGET.baseline.model_copy(update={"flags": flags})
    return replace(SUBJECT, target=TARGET.model_copy(update={"baseline": baseline}))


def refusal(lookout: Lookout, subject: Subject, settings: CommitteeConfig = ONE) -> str:
    return lookout.refusal(subject, settings.reviewer, settings.review.language)


def orders(settings: CommitteeConfig) -> list[Order]:
    return [order_for(SUBJECT, reviewer, NONCE, "en") for reviewer in settings.reviewer]


def test_a_secret_in_the_targets_flags_is_named_and_not_shown() -> None:
    lookout = Lookout()
    assert refusal(lookout, SUBJECT) == ""
    for _ in range(2):
        assert refusal(lookout, leaky()) == (
            "what 'glm' would be sent looks like it holds a secret (model provider's key); look at target 'demo' and "
            "the proposal's title and question, take it out, change that secret"
        )


@pytest.mark.parametrize("where", ["title", "question", "earlier"])
def test_each_thing_beside_the_files_is_looked_over(where: str) -> None:
    said = f"with {KEY} in it"
    subject = replace(SUBJECT, **{where: (said,) if where == "earlier" else said})  # type: ignore[arg-type]
    assert "model provider's key" in refusal(Lookout(), subject)
    assert said in beside_files(subject, ONE.reviewer[0], "en")


async def test_a_call_that_would_carry_a_secret_is_not_made(server: Misbehaving, tmp_path: Path) -> None:
    settings = config(openai("glm", "good", server.base_url))
    async with sitting(tmp_path, settings) as sat:
        with pytest.raises(BadFileError, match="looks like it holds a secret") as refused:
            await ask(replace(sat, subject=leaky()), seat(settings, "glm"))
        assert KEY not in str(refused.value)
        assert sat.shared.ledger.of(Attempt) == []
    assert server.models == []


def test_the_shipped_target_holds_none() -> None:
    target = Target.from_toml(ROOT / "targets" / "local-llamacpp.toml")
    settings = config(openai("glm", "good", "http://127.0.0.1:9/v1"), {"name": "small", "kind": "embedded"})
    assert refusal(Lookout(), replace(SUBJECT, target=target), settings) == ""


def test_what_goes_with_the_prompt_is_said() -> None:
    glm, agent = orders(
        config(openai("glm", "good", "http://127.0.0.1:9/v1"), {"name": "agent", "kind": "command", "argv": ["agent"]})
    )
    said = said_beside_prompt(glm)
    body = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert body == {key: value for key, value in request_of(glm).items() if key != "messages"}
    assert body["response_format"]["json_schema"]["schema"]["properties"]["nonce"] == {"const": NONCE}
    assert said.endswith("accept, accept-encoding, connection, user-agent, authorization")
    assert said_beside_prompt(agent) == "with it, in a folder of its own: PROPOSAL.md, proposal.toml"
