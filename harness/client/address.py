"""Where a request goes: host, port and target of its URL, and the bytes that are sent there. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

PORTS = {"http": 80, "https": 443}
_SAFE = re.compile(r"[\x21-\x7e]+")  # what a request line may hold: printable, no space


@dataclass(frozen=True)
class Address:
    """One HTTP address, taken apart."""

    host: str
    port: int
    tls: bool
    target: str  # path and query

    @classmethod
    def of(cls, url: str) -> Self:
        """Take a URL apart. Raises ValueError with one sentence where it is not http(s)://HOST[:PORT]/PATH."""
        try:
            parts = urlsplit(url)
            port = parts.port or PORTS.get(parts.scheme, 0)
        except ValueError as error:
            raise ValueError(f"{url!r} is no address of a server ({error}); give http://HOST:PORT") from error
        if not parts.hostname or not port or not _SAFE.fullmatch(url):
            raise ValueError(f"{url!r} is no address of a server; give http://HOST:PORT or https://HOST:PORT")
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(parts.hostname, port, parts.scheme == "https", target)

    @property
    def name(self) -> str:
        """Host and port as a person or a Host header writes them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def post(address: Address, body: Mapping[str, object]) -> bytes:
    """A whole POST of JSON that asks for an uncompressed stream on a connection of its own."""
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    head = (
        f"POST {address.target} HTTP/1.1\r\nHost: {address.name}\r\nUser-Agent: committee-harness\r\n"
        f"Accept: text/event-stream\r\nAccept-Encoding: identity\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode("ascii") + content
