"""Read an engine's own endpoints once, with a wall-clock limit; what cannot be read is absent, never guessed."""

import asyncio
import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import httpx

ASK_TIMEOUT_S = 10.0  # an idle engine answers in milliseconds; a busy one is not asked
SAMPLE = re.compile(r"^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{[^}]*\})?\s+([-+0-9.eE]+|NaN|[-+]Inf)\s*$", re.MULTILINE)


async def get_text(base_url: str, path: str) -> str:
    """The body of a GET, empty when it is not answered with 200 in time."""
    try:
        async with asyncio.timeout(ASK_TIMEOUT_S), httpx.AsyncClient(verify=False, trust_env=False) as client:  # noqa: S501 - plain http on loopback
            answer = await client.get(f"{base_url}{path}", headers={"Connection": "close"})
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError):
        return ""
    return answer.text if answer.status_code == 200 else ""


async def glance(base_url: str, path: str) -> str:
    """As `get_text` with as little work as can be, for use beside a load: one bare connection, HTTP/1.0, no client.

    Empty when it is not answered with 200 in time; plain http only.
    """
    parts = urlsplit(base_url)
    if parts.scheme != "http" or parts.hostname is None or parts.port is None:
        return ""
    asked = f"GET {parts.path}{path} HTTP/1.0\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n"
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(ASK_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
            try:
                writer.write(asked.encode("ascii"))
                head, _, body = (await reader.read(-1)).partition(b"\r\n\r\n")
            finally:
                writer.close()
        status = head.split(None, 2)[1:2]
        return body.decode("utf-8", errors="replace") if status == [b"200"] else ""
    return ""


async def get_json(base_url: str, path: str) -> Mapping[str, Any]:
    """The JSON object a GET answers, empty when there is none."""
    return json_object(await get_text(base_url, path))


def json_object(text: str) -> Mapping[str, Any]:
    """The JSON object that `text` is, empty when it is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


async def served_models(base_url: str) -> tuple[str, ...]:
    """Ids and aliases that `/v1/models` lists."""
    data = (await get_json(base_url, "/v1/models")).get("data")
    found = [str(model["id"]) for model in data or () if isinstance(model, dict) and "id" in model]
    return tuple(dict.fromkeys(found))


def prometheus(text: str) -> dict[str, float]:
    """Samples of a Prometheus text, summed over labels; values that are not finite are left out."""
    totals: dict[str, float] = {}
    for name, number in SAMPLE.findall(text):
        value = float(number)
        if math.isfinite(value):
            totals[name] = totals.get(name, 0.0) + value
    return totals
