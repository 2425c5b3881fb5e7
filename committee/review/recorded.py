"""Recorded reviews, served over loopback by the same wire as a live endpoint and labelled as recorded.

A recording is a JSON file {"label": "recorded", "model": ..., "answer": {...}}: a review that was really given once.
Only the nonce is filled in, from the request's prompt, so that everything behind the wire is the ordinary path.
`python -m committee.review.recorded DIR` serves every recording of a folder until it is stopped.
"""

import asyncio
import json
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from committee.review.loopback_http import HttpRequest, response, serving
from harness.procfs import json_of
from harness.vocabulary.base import BadFileError, Value

HEADER = {"x-committee-recorded": "true"}
PREFIX = "recorded/"
NONCE_LINE = re.compile(r"^nonce: (?P<nonce>[0-9a-f]{8,64})$", re.MULTILINE)


class Recording(Value):
    """One recorded review."""

    label: Literal["recorded"] = Field(description="says what it is")
    model: str = Field(min_length=1, description="the model that gave the review")
    answer: dict[str, Any] = Field(description="the review without its nonce")


def read_recording(path: Path) -> Recording:
    """Read one recording. Raises BadFileError with one sentence."""
    try:
        value = json_of(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFileError(f"the recording {str(path)!r} cannot be read ({error.strerror}); check its path") from error
    except ValueError as error:
        raise BadFileError(f"the recording {str(path)!r} is not JSON ({error}); correct it there") from error
    if not isinstance(value, dict):
        raise BadFileError(f"the recording {str(path)!r} is not a JSON object; correct it there")
    return Recording.from_mapping(value, str(path))


@asynccontextmanager
async def serving_recordings(recordings: Mapping[str, Recording], port: int = 0) -> AsyncIterator[str]:
    """Serve recordings by name as models `recorded/<name>`; yields the base URL."""

    async def respond(request: HttpRequest, writer: asyncio.StreamWriter) -> None:
        writer.write(_reply(request, recordings))
        await writer.drain()

    async with serving(respond, port) as base_url:
        yield base_url


def _reply(request: HttpRequest, recordings: Mapping[str, Recording]) -> bytes:
    if (request.method, request.path) == ("GET", "/v1/models"):
        models = [{"id": PREFIX + name, "object": "model", "owned_by": "recorded"} for name in recordings]
        return _json(200, {"object": "list", "data": models})
    if (request.method, request.path) != ("POST", "/v1/chat/completions"):
        return _json(404, {"error": {"message": "this server answers /v1/models and /v1/chat/completions"}})
    asked = request.json()
    name = str(asked.get("model", "")).removeprefix(PREFIX)
    if name not in recordings:
        return _json(404, {"error": {"message": f"there is no recording {name!r}"}})
    found = NONCE_LINE.search(json.dumps(asked.get("messages", "")).replace("\\n", "\n"))
    if found is None:
        return _json(400, {"error": {"message": "the prompt holds no line 'nonce: ...'"}})
    answer = json.dumps({"nonce": found["nonce"]} | recordings[name].answer, ensure_ascii=False)
    return _json(200, _completion(PREFIX + name, answer, len(request.body)))


def _completion(model: str, answer: str, prompt_bytes: int) -> dict[str, Any]:
    """A chat completion. Token counts are estimates (4 bytes a token): nobody counted them when it was recorded."""
    return {
        "id": "chatcmpl-recorded",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}],
        "usage": {
            "prompt_tokens": prompt_bytes // 4,
            "completion_tokens": len(answer) // 4,
            "total_tokens": (prompt_bytes + len(answer)) // 4,
        },
    }


def _json(status: int, value: Mapping[str, Any]) -> bytes:
    return response(status, json.dumps(value, ensure_ascii=False).encode(), HEADER)


async def _serve_until_stopped(recordings: Mapping[str, Recording], port: int) -> None:
    stopped = asyncio.Event()
    with suppress(NotImplementedError):  # loops of Windows know no signals; there Ctrl-C is Python's own
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with serving_recordings(recordings, port) as base_url:
        address = base_url.removesuffix("/v1")
        print(f"recorded reviews {sorted(recordings)}: listening on {address}", file=sys.stderr, flush=True)  # noqa: T201
        await stopped.wait()


def main(argv: list[str]) -> int:
    """Serve a folder until stopped. Exit: 0 stopped, 1 unusable recording, 2 usage."""
    if len(argv) not in (1, 2) or not Path(argv[0]).is_dir() or not (argv[1:] or ["0"])[0].isdigit():
        print("usage: python -m committee.review.recorded DIR [PORT]", file=sys.stderr)  # noqa: T201
        return 2
    try:
        recordings = {path.stem: read_recording(path) for path in sorted(Path(argv[0]).glob("*.json"))}
        asyncio.run(_serve_until_stopped(recordings, int((argv[1:] or ["0"])[0])))
    except BadFileError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
