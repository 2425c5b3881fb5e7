"""The bytes of an answer in each API: events of a stream and whole answers. Pure; knows nothing of time or faults."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.simulator.asked import Api
from harness.simulator.tools import Call

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True)
class Piece:
    """Part of an answer: text of the answer proper, or thought."""

    text: str
    thought: bool = False


@dataclass(frozen=True)
class Usage:
    """The server's own count, as it says it."""

    prompt_tokens: int
    tokens: int
    cached_tokens: int

    def fields(self, api: Api) -> dict[str, Any]:
        """The usage object of an API."""
        if api is Api.RESPONSES:
            return {
                "input_tokens": self.prompt_tokens,
                "input_tokens_details": {"cached_tokens": self.cached_tokens},
                "output_tokens": self.tokens,
                "total_tokens": self.prompt_tokens + self.tokens,
            }
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.tokens,
            "total_tokens": self.prompt_tokens + self.tokens,
            "prompt_tokens_details": {"cached_tokens": self.cached_tokens},
        }


def frame(value: Mapping[str, Any], event: str = "") -> bytes:
    """One server-sent event."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


@dataclass(frozen=True)
class Wording:
    """How one request is answered: its API, its id, and the fields that thought goes into."""

    api: Api
    answer_id: str
    model: str
    reasoning: str  # see settings.REASONING

    def role(self) -> bytes:
        """The first event of a chat, which carries no text; empty in other APIs."""
        if self.api is Api.CHAT:
            return self._chunk({"delta": {"role": "assistant", "content": ""}})
        if self.api is Api.RESPONSES:
            return frame({"type": "response.created", "response": {"id": self.answer_id}}, "response.created")
        return b""

    def piece(self, piece: Piece) -> bytes:
        """One event with text."""
        if self.api is Api.COMPLETIONS:
            return self._chunk({"text": piece.text})
        if self.api is Api.RESPONSES:
            kind = "response.reasoning_text.delta" if piece.thought else "response.output_text.delta"
            return frame({"type": kind, "item_id": self.answer_id, "delta": piece.text}, kind)
        return self._chunk({"delta": self._delta(piece)})

    def tool_call(self, call: Call) -> bytes:
        """The two events of a tool call: its name, then its arguments."""
        if self.api is Api.RESPONSES:
            item = {"type": "function_call", "name": call.name, "call_id": "call_0", "arguments": ""}
            added, delta = "response.output_item.added", "response.function_call_arguments.delta"
            return frame({"type": added, "output_index": 0, "item": item}, added) + frame(
                {"type": delta, "output_index": 0, "delta": call.arguments}, delta
            )
        function = {"name": call.name, "arguments": ""}
        named = {"index": 0, "id": "call_0", "type": "function", "function": function}
        rest = {"index": 0, "function": {"arguments": call.arguments}}
        return self._chunk({"delta": {"tool_calls": [named]}}) + self._chunk({"delta": {"tool_calls": [rest]}})

    def finish(self, reason: str | None) -> bytes:
        """The event that carries the finish reason."""
        if self.api is Api.RESPONSES:
            return b""
        rest: dict[str, Any] = {"text": ""} if self.api is Api.COMPLETIONS else {"delta": {}}
        return self._chunk(rest | {"finish_reason": reason})

    def usage(self, usage: Usage | None, reason: str | None) -> bytes:
        """The last event: the server's count; in the responses API also the end."""
        if self.api is Api.RESPONSES:
            response: dict[str, Any] = {"id": self.answer_id, "status": _status(reason)}
            response |= {"usage": usage.fields(self.api)} if usage else {}
            kind = f"response.{_status(reason)}"
            return frame({"type": kind, "response": response}, kind)
        if usage is None:
            return b""
        return frame(self._head(".chunk") | {"choices": [], "usage": usage.fields(self.api)})

    def error(self, message: str) -> bytes:
        """An error inside the stream."""
        return frame({"error": {"message": message, "type": "InternalServerError", "code": 500}})

    def whole(self, pieces: list[Piece], call: Call | None, usage: Usage | None, reason: str | None) -> dict[str, Any]:
        """A whole answer that was not streamed."""
        text = "".join(piece.text for piece in pieces if not piece.thought)
        thought = "".join(piece.text for piece in pieces if piece.thought)
        counted = {"usage": usage.fields(self.api)} if usage else {}
        if self.api is Api.RESPONSES:
            output: list[dict[str, Any]] = [
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
            ]
            if call is not None:
                output = [
                    {"type": "function_call", "name": call.name, "call_id": "call_0", "arguments": call.arguments}
                ]
            return {"id": self.answer_id, "object": "response", "status": _status(reason), "output": output} | counted
        if self.api is Api.COMPLETIONS:
            return self._head() | {"choices": [{"index": 0, "text": text, "finish_reason": reason}]} | counted
        message: dict[str, Any] = {"role": "assistant", "content": text or (None if thought else "")}
        message |= self._thought_fields(thought, streamed=False) if thought else {}
        if call is not None:
            function = {"name": call.name, "arguments": call.arguments}
            message |= {"content": None, "tool_calls": [{"id": "call_0", "type": "function", "function": function}]}
        return self._head() | {"choices": [{"index": 0, "message": message, "finish_reason": reason}]} | counted

    def _delta(self, piece: Piece) -> dict[str, Any]:
        if piece.thought:
            return {"content": ""} | self._thought_fields(piece.text, streamed=True)
        empty = {"reasoning": "", "reasoning_content": ""} if self.reasoning == "both-empty" else {}
        return {"content": piece.text} | empty

    def _thought_fields(self, text: str, *, streamed: bool) -> dict[str, str]:
        """One text under the names this server uses: `vllm` names it differently when it streams (M3)."""
        names = {
            "both": ("reasoning", "reasoning_content"),
            "both-empty": ("reasoning", "reasoning_content"),
            "vllm": ("reasoning",) if streamed else ("reasoning_content",),
            "whole-only": () if streamed else ("reasoning_content",),
            "reasoning_content": ("reasoning_content",),
        }.get(self.reasoning, ("reasoning",))
        return dict.fromkeys(names, text)

    def _chunk(self, choice: dict[str, Any]) -> bytes:
        return frame(self._head(".chunk") | {"choices": [{"index": 0, "finish_reason": None} | choice]})

    def _head(self, suffix: str = "") -> dict[str, Any]:
        kind = "chat.completion" if self.api is Api.CHAT else "text_completion"
        return {"id": self.answer_id, "object": kind + (suffix if self.api is Api.CHAT else ""), "model": self.model}


def _status(reason: str | None) -> str:
    return "incomplete" if reason == "length" else "completed"
