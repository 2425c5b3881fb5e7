"""Nothing that looks like a secret leaves beside the proposal's files, and all that leaves can be read before."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from committee.review.ask import Sitting, ask, order_for
from committee.review.leaving import said_beside_prompt, secret_leaving
from committee.review.openai_call import request_of
from committee.review.order import Order
from committee.testing.misbehaving import Misbehaving
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from ledger.entries import Attempt
from tests.committee.review.sitting import SUBJECT, TARGET, config, openai, seat, sitting

ROOT = Path(__file__).parents[3]
NONCE = "c0ffee123456"
KEY = "sk-" + "proj-" + "Zx81kLmN04pQrS7tUvW2"  # in pieces: a made-up key must not look like one here


def with_flag(value: str) -> Target:
    flags = TARGET.baseline.flags | {"served": value}
    return TARGET.model_copy(update={"baseline": TARGET.baseline.model_copy(update={"flags": flags})})


def orders(sat: Sitting) -> list[Order]:
    return [order_for(sat, reviewer, NONCE) for reviewer in sat.config.reviewer]


def test_a_secret_in_the_targets_flags_is_named_and_not_shown(tmp_path: Path) -> None:
    sat = sitting(tmp_path, config(openai("glm", "good", "http://127.0.0.1:9/v1")))
    with sat.ledger:
        assert secret_leaving(orders(sat), "demo") == ""
        told = secret_leaving(orders(replace(sat, subject=replace(SUBJECT, target=with_flag(KEY)))), "demo")
    assert told == (
        "what 'glm' would be sent looks like it holds a secret (model provider's key); look at target 'demo' and "
        "the proposal's title and question, take it out, change that secret"
    )


async def test_a_call_that_would_carry_a_secret_is_not_made(server: Misbehaving, tmp_path: Path) -> None:
    settings = config(openai("glm", "good", server.base_url))
    sat = sitting(tmp_path, settings, subject=replace(SUBJECT, target=with_flag(KEY)))
    with sat.ledger:
        with pytest.raises(BadFileError, match="looks like it holds a secret") as refused:
            await ask(sat, seat(settings, "glm"))
        assert KEY not in str(refused.value)
        assert sat.ledger.of(Attempt) == []
    assert server.models == []


def test_the_shipped_target_holds_none(tmp_path: Path) -> None:
    target = Target.from_toml(ROOT / "targets" / "local-llamacpp.toml")
    settings = config(openai("glm", "good", "http://127.0.0.1:9/v1"), {"name": "small", "kind": "embedded"})
    sat = sitting(tmp_path, settings, subject=replace(SUBJECT, target=target))
    with sat.ledger:
        assert secret_leaving(orders(sat), target.name) == ""


def test_what_goes_with_the_prompt_is_said(tmp_path: Path) -> None:
    settings = config(
        openai("glm", "good", "http://127.0.0.1:9/v1"), {"name": "agent", "kind": "command", "argv": ["agent"]}
    )
    sat = sitting(tmp_path, settings)
    with sat.ledger:
        glm, agent = orders(sat)
    said = said_beside_prompt(glm)
    body = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert body == {key: value for key, value in request_of(glm).items() if key != "messages"}
    assert body["response_format"]["json_schema"]["schema"]["properties"]["nonce"] == {"const": NONCE}
    assert said.endswith("accept, accept-encoding, connection, user-agent, authorization")
    assert said_beside_prompt(agent) == "with it, in a folder of its own: PROPOSAL.md, proposal.toml"
