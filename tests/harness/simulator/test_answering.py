"""What one request gets, in every API and with every fault that spoils an answer; read from real sockets."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from harness.protocols.tool_cases import CASES, offered
from harness.simulator.asked import Api, read_body
from harness.simulator.embedded import serving
from harness.simulator.tools import wish
from harness.simulator.words import count

FAST = ("--style", "v100-fork", "--time-scale", "0.002", "--gather-ms", "0")
PROMPT = "The history of the lighthouse begins in the year 1782"
CHAT = {"messages": [{"role": "user", "content": PROMPT}]}
TOKENS = 40


@dataclass(frozen=True)
class Streamed:
    """A stream that was read to its end."""

    events: list[dict[str, Any]]
    done: bool
    broken: str

    @property
    def deltas(self) -> list[dict[str, Any]]:
        return [choice.get("delta", choice) for event in self.events for choice in event.get("choices", ())]

    @property
    def text(self) -> str:
        return "".join(str(delta.get("content", delta.get("text", "")) or "") for delta in self.deltas)

    @property
    def usage(self) -> dict[str, Any] | None:
        return next((event["usage"] for event in self.events if event.get("usage")), None)

    @property
    def finish(self) -> object:
        reasons = [choice.get("finish_reason") for event in self.events for choice in event.get("choices", ())]
        return next((reason for reason in reversed(reasons) if reason), None)


async def stream(url: str, body: Mapping[str, Any], path: str = "/v1/chat/completions") -> Streamed:
    """Ask for a stream and read all of it."""
    asked = {"max_tokens": TOKENS, "ignore_eos": True, "stream": True, "stream_options": {"include_usage": True}}
    lines: list[str] = []
    broken = ""
    async with httpx.AsyncClient(trust_env=False, timeout=20) as client:
        try:
            async with client.stream("POST", url + path, json={**asked, **body}) as response:
                async for line in response.aiter_lines():
                    lines.append(line)
        except httpx.HTTPError as error:
            broken = type(error).__name__
    payloads = [line[6:] for line in lines if line.startswith("data: ")]
    events = [json.loads(payload) for payload in payloads if payload.startswith('{"')]
    return Streamed(events, "[DONE]" in payloads, broken)


async def whole(url: str, body: Mapping[str, Any], path: str = "/v1/chat/completions") -> dict[str, Any]:
    """Ask for an answer in one piece."""
    async with httpx.AsyncClient(trust_env=False, timeout=20) as client:
        answer = await client.post(url + path, json={"max_tokens": TOKENS, "ignore_eos": True, **body})
    found: dict[str, Any] = answer.json() | {"status": answer.status_code}
    return found


async def spoilt(fault: str, body: Mapping[str, Any] | None = None) -> Streamed:
    async with serving((*FAST, "--fault", fault)) as url:
        return await stream(url, body or CHAT)


async def test_chat_and_completions_stream_the_same_text_as_they_give_whole() -> None:
    async with serving(FAST) as url:
        chat, chat_whole = await stream(url, CHAT), await whole(url, CHAT)
        plain = await stream(url, {"prompt": PROMPT}, "/v1/completions")
        plain_whole = await whole(url, {"prompt": PROMPT}, "/v1/completions")
    texts = {chat.text, chat_whole["choices"][0]["message"]["content"], plain.text, plain_whole["choices"][0]["text"]}
    assert len(texts) == 1 and count(chat.text) == TOKENS
    assert chat.done and chat.finish == "length" and chat.usage is not None
    assert chat.usage["completion_tokens"] == TOKENS and chat.usage["prompt_tokens"] == count(PROMPT) + 8
    assert plain_whole["usage"]["prompt_tokens"] == count(PROMPT)


async def test_the_responses_api_streams_and_takes_a_priority() -> None:
    async with serving(FAST) as url:
        body = {"input": PROMPT, "max_output_tokens": 12, "priority": -1}
        streamed = await stream(url, body, "/v1/responses")
        answer = await whole(url, body, "/v1/responses")
    kinds = [event["type"] for event in streamed.events]
    text = "".join(event["delta"] for event in streamed.events if event["type"] == "response.output_text.delta")
    assert kinds[0] == "response.created" and kinds[-1] == "response.incomplete"
    assert answer["output"][0]["content"][0]["text"] == text and answer["usage"]["output_tokens"] == 12


async def test_an_answer_may_end_by_itself() -> None:
    async with serving(FAST) as url:
        answer = await whole(url, CHAT | {"ignore_eos": False, "max_tokens": 1000})
        kept = await whole(url, CHAT | {"ignore_eos": False, "max_tokens": 1000, "min_tokens": 1000})
    assert answer["choices"][0]["finish_reason"] == "stop" and 200 <= answer["usage"]["completion_tokens"] <= 600
    assert kept["choices"][0]["finish_reason"] == "length" and kept["usage"]["completion_tokens"] == 1000


@pytest.mark.parametrize(
    ("option", "streamed", "in_whole"),
    [
        ("reasoning", {"reasoning"}, {"reasoning"}),
        ("reasoning_content", {"reasoning_content"}, {"reasoning_content"}),
        ("both", {"reasoning", "reasoning_content"}, {"reasoning", "reasoning_content"}),
        ("vllm", {"reasoning"}, {"reasoning_content"}),
        ("whole-only", set(), {"reasoning_content"}),
    ],
)
async def test_thought_stands_under_the_names_a_server_has_for_it(
    option: str, streamed: set[str], in_whole: set[str]
) -> None:
    async with serving((*FAST, "--reasoning", option)) as url:
        found, answer = await stream(url, CHAT), await whole(url, CHAT)
    named = {key for delta in found.deltas for key in delta if key.startswith("reasoning")}
    message = answer["choices"][0]["message"]
    assert named == streamed and {key for key in message if key.startswith("reasoning")} == in_whole
    assert count(found.text) == TOKENS // 2 == count(message["content"])
    thoughts = {"".join(str(delta.get(name, "")) for delta in found.deltas) for name in streamed}
    assert all(count(thought) == TOKENS // 2 for thought in thoughts) and len(thoughts) <= 1


async def test_both_names_with_empty_strings() -> None:
    async with serving((*FAST, "--reasoning", "both-empty")) as url:
        found = await stream(url, CHAT)
    last = found.deltas[-2]
    assert last["reasoning"] == last["reasoning_content"] == "" and last["content"]


TOOL = {
    "type": "function",
    "function": {
        "name": "lookup_inventory",
        "description": "Look up how many pieces of an article are in stock",
        "parameters": {
            "type": "object",
            "properties": {"article": {"type": "string"}, "count": {"type": "integer"}},
        },
    },
}
ASK_TOOL = {"messages": [{"role": "user", "content": "Is article AB-12 in stock, at least 3 of it?"}], "tools": [TOOL]}


@pytest.mark.parametrize(
    ("mode", "choice", "called"),
    [
        ("both", "auto", True),
        ("both", "required", True),
        ("auto", "auto", True),
        ("auto", "required", False),
        ("required", "required", True),
        ("required", "auto", False),
        ("none", "auto", False),
        ("both", "none", False),
    ],
)
async def test_tool_calls_come_out_where_the_mode_lets_them(mode: str, choice: str, called: bool) -> None:
    body = ASK_TOOL | {"tool_choice": choice, "max_tokens": 200}
    async with serving((*FAST, "--tool-calls", mode)) as url:
        streamed, answer = await stream(url, body), await whole(url, body)
    message = answer["choices"][0]["message"]
    pieces = [call["function"] for delta in streamed.deltas for call in delta.get("tool_calls", ())]
    assert bool(message.get("tool_calls")) == bool(pieces) == called
    if called:
        expected = {"article": "AB-12", "count": 3}
        assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == expected
        assert json.loads("".join(piece.get("arguments", "") for piece in pieces)) == expected
        assert pieces[0]["name"] == "lookup_inventory" and streamed.finish == "tool_calls"
    elif choice != "none":
        assert "I should call lookup_inventory" in message["reasoning"]


async def test_a_question_that_needs_no_tool_gets_text() -> None:
    async with serving(FAST) as url:
        answer = await whole(url, {"messages": [{"role": "user", "content": "Good day"}], "tools": [TOOL]})
    assert count(answer["choices"][0]["message"]["content"]) == TOKENS


async def test_a_picture_costs_tokens() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}]}
    ignored = ("--fault", "image-ignored")
    for words, tokens in (((), 81), (("--image-min-tokens", "1024"), 1103), (ignored, 0)):
        async with serving((*FAST, *words)) as url:
            assert (await whole(url, body))["usage"]["prompt_tokens"] == tokens + 8 + count("What is it?")


async def test_faults_of_length() -> None:
    short = await spoilt("two-tokens")
    assert count(short.text) == 2 and short.finish == "stop" and short.usage and short.usage["completion_tokens"] == 2
    lying = await spoilt("two-tokens-counted-full")
    assert count(lying.text) == 2 and lying.usage and lying.usage["completion_tokens"] == TOKENS
    collapsed = await spoilt("collapsed-text")
    assert collapsed.text == "**" and collapsed.finish == "stop"


async def test_faults_of_text() -> None:
    good = (await spoilt("role-only-first")).text
    assert (await spoilt("repeated-output")).text == "<h2>" * 13 + "<"
    assert set((await spoilt("one-word")).text.split()) == {"the"}
    empty = await spoilt("empty-content")
    assert empty.text == "" and empty.usage and empty.usage["completion_tokens"] == TOKENS
    assert "\ufffd" in (await spoilt("mojibake")).text
    changed = (await spoilt("changed-numerics")).text
    assert changed != good and changed.split()[:4] == good.split()[:4]
    assert (await spoilt("nondeterministic")).text != good
    async with serving((*FAST, "--fault", "text-varies")) as url:
        assert (await stream(url, CHAT)).text != (await stream(url, CHAT)).text
    only = await spoilt("usage-only")
    assert only.text == "" and only.usage and only.usage["completion_tokens"] == TOKENS


async def test_faults_of_the_stream() -> None:
    inside = await spoilt("error-after-tokens")
    assert count(inside.text) == 10 and not inside.done and "out of blocks" in inside.events[-1]["error"]["message"]
    early = await spoilt("early-end")
    assert count(early.text) == 10 and early.finish is None and not early.done and not early.broken
    assert (await spoilt("connection-reset")).broken in ("ReadError", "RemoteProtocolError")
    unfinished = await spoilt("no-finish-reason")
    assert count(unfinished.text) == TOKENS and unfinished.finish is None and unfinished.done


async def test_harmless_habits_change_no_text() -> None:
    good = await spoilt("role-only-first")
    assert good.deltas[0] == {"role": "assistant", "content": ""}
    for habit in ("several-per-event=5", "keepalive-comments", "split-events"):
        found = await spoilt(habit)
        assert found.text == good.text and found.done and found.usage == good.usage
    several = await spoilt("several-per-event=5")
    assert len([delta for delta in several.deltas if delta.get("content")]) == TOKENS // 5


async def test_faults_of_counts() -> None:
    for fault, counted in (("usage-too-high", TOKENS + 40), ("usage-too-low", TOKENS // 2)):
        found = await spoilt(fault)
        assert found.usage and found.usage["completion_tokens"] == counted and count(found.text) == TOKENS
    assert (await spoilt("no-usage")).usage is None
    prompt = await spoilt("prompt-count-wrong")
    assert prompt.usage and prompt.usage["prompt_tokens"] == (count(PROMPT) + 8) // 2


async def test_answers_that_are_no_answers() -> None:
    async with serving((*FAST, "--fault", "html-200")) as url, httpx.AsyncClient(trust_env=False) as client:
        page = await client.post(url + "/v1/completions", json={"prompt": "a"})
        assert page.status_code == 200 and "<html>" in page.text
    async with serving((*FAST, "--fault", "busy-503=1")) as url:
        assert [(await whole(url, CHAT))["status"] for _ in range(2)] == [200, 503]


async def test_a_hang_keeps_the_stream_open() -> None:
    async with serving((*FAST, "--fault", "hang-in-load=2")) as url:
        await whole(url, CHAT)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await whole(url, CHAT)


def test_every_tool_case_of_the_bench_gets_its_right_call() -> None:
    for index, case in enumerate(CASES):
        body = {"messages": [{"role": "user", "content": case.question}]}
        tools = [tool.schema for tool in offered(index)]
        wanted = wish(read_body(Api.CHAT, {**body, "tools": tools}, 0), "both")
        assert wanted is not None and wanted.comes_out and wanted.call.name == case.tool.name
        arguments = json.loads(wanted.call.arguments)
        assert set(arguments) == {one.name for one in case.tool.needed}
