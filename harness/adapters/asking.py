"""Read an engine's own endpoints once, with a wall-clock limit; what cannot be read is absent, never guessed."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from harness.adapters.exposition import Exposition, exposition
from harness.adapters.framing import HalfError, whole_lines, whole_text

OK = 200
SHOWN = 20  # characters of what a server said instead of a status
ASK_TIMEOUT_S = 10.0  # an idle engine answers in milliseconds; a busy one is not asked
NO_SUCH_PAGE = (404, 405, 501)  # an answer: the engine publishes nothing there
ENDED = frozenset({"content-length", "transfer-encoding"})  # headers by which httpx itself refuses half a body
MOST_BYTES = 16 << 20  # an engine's counters and settings are some hundred kilobytes


@dataclass(frozen=True)
class NoAnswer:
    """There is no text, and why."""

    why: str


async def get_text(base_url: str, path: str) -> str:
    """The body of a GET, empty when it is not answered with 200 in time, or longer than `MOST_BYTES`."""
    answer = await _get(base_url, path)
    return answer if isinstance(answer, str) else ""


async def get_metrics(base_url: str) -> Exposition:
    """What `/metrics` says; an engine that has no such page is none that did not answer. Raises nothing.

    A text that only the end of its connection ends is whole if its last line is: half of one is no answer.
    """
    answer = await _get(base_url, "/metrics", lines=True)
    return exposition(answer) if isinstance(answer, str) else Exposition(silent=answer.why)


async def _get(base_url: str, path: str, lines: bool = False) -> str | NoAnswer:
    """The body of a GET, empty where the server says that there is no such page; `lines`: a text of whole lines."""
    body = b""
    try:
        async with (
            asyncio.timeout(ASK_TIMEOUT_S),
            httpx.AsyncClient(verify=False, trust_env=False, timeout=None) as client,  # noqa: S501, S113 - plain http
            client.stream("GET", f"{base_url}{path}", headers={"Connection": "close"}) as answer,
        ):
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > MOST_BYTES:
                    return NoAnswer(f"it answered more than {MOST_BYTES >> 20} MiB")
            if lines and answer.status_code == OK and not ENDED.intersection(answer.headers):
                whole_lines(body)
    except TimeoutError:
        return NoAnswer(f"it did not answer within {ASK_TIMEOUT_S:g} s")
    except HalfError as error:
        return NoAnswer(str(error))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return NoAnswer(f"it did not answer ({type(error).__name__})")
    if answer.status_code in NO_SUCH_PAGE:
        return ""
    if answer.status_code != OK:
        return NoAnswer(f"it answered with status {answer.status_code}")
    return body.decode("utf-8", errors="replace") if body.strip() else NoAnswer("its answer was empty")


async def glance(base_url: str, path: str) -> str | NoAnswer:
    """A text of lines with as little work as can be, for use beside a load: one bare connection, HTTP/1.0, no client.

    Plain http only. Raises nothing, whatever answers.
    """
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
        asked = f"GET {parts.path}{path} HTTP/1.0\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode("ascii")
    except ValueError:
        return NoAnswer("its address is none")
    if parts.scheme != "http" or host is None or port is None:
        return NoAnswer("its address is none of plain http")
    try:
        async with asyncio.timeout(ASK_TIMEOUT_S):
            answer = await _exchanged(host, port, asked)
    except TimeoutError:
        return NoAnswer(f"it did not answer within {ASK_TIMEOUT_S:g} s")
    except (OSError, ValueError) as error:
        return NoAnswer(f"it did not answer ({type(error).__name__})")
    head, _, body = answer.partition(b"\r\n\r\n")
    if len(answer) > MOST_BYTES:
        return NoAnswer(f"it answered more than {MOST_BYTES >> 20} MiB")
    status = (head.split(None, 2)[1:2] or [b"nothing"])[0].decode("ascii", errors="replace")[:SHOWN]
    if status != "200":
        return NoAnswer(f"it answered with status {status}")
    try:
        return whole_text(head, body).decode("utf-8", errors="replace")
    except HalfError as error:
        return NoAnswer(str(error))


async def _exchanged(host: str, port: int, asked: bytes) -> bytes:
    """What comes back until the connection closes, at most a byte more than `MOST_BYTES`."""
    reader, writer = await asyncio.open_connection(host, port)
    answer = b""
    try:
        writer.write(asked)
        while len(answer) <= MOST_BYTES and (piece := await reader.read(MOST_BYTES + 1 - len(answer))):
            answer += piece
    finally:
        writer.close()
    return answer


async def get_json(base_url: str, path: str) -> Mapping[str, Any]:
    """The JSON object a GET answers, empty when there is none."""
    return json_object(await get_text(base_url, path))


def json_object(text: str) -> Mapping[str, Any]:
    """The JSON object that `text` is, empty when it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


async def served_models(base_url: str) -> tuple[str, ...]:
    """Ids and aliases that `/v1/models` lists."""
    data = (await get_json(base_url, "/v1/models")).get("data")
    listed = data if isinstance(data, list) else []
    found = [str(model["id"]) for model in listed if isinstance(model, dict) and "id" in model]
    return tuple(dict.fromkeys(found))
