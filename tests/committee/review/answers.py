"""Answers that the tests of the border and the callers start from."""

import json
from typing import Any

from committee.review.received import Expected

NONCE = "c0ffee123456"
PROPOSAL = "0001-which-knob"
FILES = {"PROPOSAL.md": b"# Which knob\n\nThe server has one slot, and four users.\n", "criteria.toml": b"schema = 1\n"}
EXPECTED = Expected(nonce=NONCE, proposal=PROPOSAL, files=FILES)


def hypothesis(**changes: Any) -> dict[str, Any]:
    """One valid hypothesis with a few keys replaced."""
    value: dict[str, Any] = {
        "mechanism": "four slots decode together",
        "predicted": {"metric": "total_tok_s", "load": 4, "direction": "up", "low_pct": 20, "high_pct": 60.5},
        "falsifier": "the total of four users stays within 10 %",
        "citations": [{"file": "PROPOSAL.md", "line": 3, "quote": "one slot"}],
        "arm": {"name": "slots-4", "title": "four slots", "flags": {"n-parallel": 4}, "env": {}, "witness": []},
    }
    return value | changes


def review(*hypotheses: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A valid review; with no hypotheses given, it holds one."""
    listed = list(hypotheses) or [hypothesis()]
    return {"nonce": NONCE, "proposal": PROPOSAL, "count": len(listed), "hypotheses": listed} | changes


def body(content: object, finish: object = "stop", **message: Any) -> bytes:
    """A chat completion's body around a content."""
    said = content if isinstance(content, str) or content is None else json.dumps(content)
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "served-model",
            "choices": [
                {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": said} | message}
            ],
            "usage": {"prompt_tokens": 1200, "completion_tokens": 300, "total_tokens": 1500},
        }
    ).encode()
