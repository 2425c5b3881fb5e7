"""An endpoint that answers every chat completion with a complete review, at once or after a fixed time; one process.

`python -m benchmarks.review_server DELAY_S` prints its port and serves until standard input ends.
"""

import asyncio
import json
import re
import sys

from committee.testing.replies import Asked, completion, review

NONCE = re.compile(rb"nonce: ([0-9a-f]+)\\n")
PROPOSAL = re.compile(rb"proposal: ([0-9a-z-]+)\\n")
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


class Instant(asyncio.Protocol):
    """HTTP/1.1 with kept connections, as little of it as the clients need."""

    def __init__(self, delay_s: float) -> None:
        self.delay_s, self.read = delay_s, b""
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """One client."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answers each request that is whole."""
        self.read += data
        while (end := self.read.find(b"\r\n\r\n")) >= 0:
            found = LENGTH.search(self.read[:end])
            whole = end + 4 + (int(found[1]) if found else 0)
            if len(self.read) < whole:
                return
            body, self.read = self.read[end + 4 : whole], self.read[whole:]
            asyncio.get_running_loop().call_later(self.delay_s, self.answer, reply(body))

    def answer(self, said: bytes) -> None:
        """One whole response."""
        if self.transport is not None and not self.transport.is_closing():
            head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(said)}\r\n\r\n"
            self.transport.write(head.encode() + said)


def reply(body: bytes) -> bytes:
    """A complete review for the nonce and the proposal in the request."""
    nonce, proposal = NONCE.search(body), PROPOSAL.search(body)
    asked = Asked(nonce[1].decode() if nonce else "", proposal[1].decode() if proposal else "", 0)
    return completion(json.dumps(review(asked)))


async def _serve(delay_s: float) -> None:
    loop = asyncio.get_running_loop()
    async with await loop.create_server(lambda: Instant(delay_s), "127.0.0.1", 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
