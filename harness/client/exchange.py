"""One request and its answer on one connection: bytes are stamped as they arrive and kept, nothing else is done.

Everything that may go wrong on the way ends in `ended` as a code and a sentence. Reading is `sse`'s work, afterwards.
"""

import asyncio
import time
from typing import cast

import httptools

from harness.client.failure import Failure
from harness.client.intake import Intake
from harness.vocabulary.outcome import Reason

# 8192 tokens of 300 bytes an event are 2.5 MB; far more is no answer but a server that has lost its way.
MAX_BODY_BYTES = 256 * 1024 * 1024
SHOWN = 200  # characters of a refusing server's words in a message


class Exchange(asyncio.Protocol):
    """`ended` resolves to none once the answer came whole, else to what went wrong.

    Per piece of body one float and one bytes object are kept: neither is tracked by the garbage collector, so a
    stream of any length starts no collection.
    """

    def __init__(self, request: bytes) -> None:
        self.ended: asyncio.Future[Failure | None] = asyncio.get_running_loop().create_future()
        self.stamps: list[float] = []  # arrival of each piece of body
        self.pieces: list[bytes] = []
        self.t_connected = 0.0  # 0.0: never
        self.t_send = 0.0  # 0.0: never
        self.t_end = 0.0
        self._request = request
        self._intake: Intake | None = None  # who reads the connection; none: the event loop
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._now = 0.0
        self._size = 0
        self._status = 0
        self._framed = False  # whether the answer says itself where it ends
        self._encoding = ""

    def read_by(self, intake: Intake) -> None:
        """From now on the intake reads, and no longer the event loop. A connection that is gone stays as it is."""
        if self._transport is not None and not self._transport.is_closing():
            self._intake = intake
            intake.take(self._transport, self)

    def begin(self) -> None:
        """Hand the request to the socket."""
        if self._transport is not None and not self.ended.done():
            self.t_send = time.perf_counter()
            self._transport.write(self._request)

    def abort(self) -> None:
        """Let go of the connection, whatever state it is in."""
        if self._intake is not None:
            self._intake.leave(self)
        if self._transport is not None:
            self._transport.abort()

    # what the event loop or the intake calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is open, with TLS where it is asked for."""
        self.t_connected = time.perf_counter()
        self._transport = cast(asyncio.Transport, transport)  # uvloop's own class is none of asyncio's by name

    def data_received(self, data: bytes) -> None:
        """Some bytes were handed over by the event loop: stamp first."""
        self.received(data, time.perf_counter())

    def received(self, data: bytes, at: float) -> None:
        """Some bytes that arrived then."""
        self._now = at
        if self.ended.done():
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._failed(Reason.REQUEST_FAILED, f"the server does not speak HTTP/1: {error or type(error).__name__}")

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone; where nothing says how long the answer is, that is its end."""
        if exc is not None:
            self._failed(Reason.CONNECTION_LOST, f"the connection was lost after {self._size} bytes of answer: {exc}")
        elif not self._status:
            self._failed(Reason.CONNECTION_LOST, "the server closed the connection without an answer")
        elif self._framed:
            said = f"the server closed the connection within its answer, after {self._size} bytes"
            self._failed(Reason.CONNECTION_LOST, said)
        else:
            self._now = time.perf_counter()
            self._complete()

    # what the parser calls

    def on_header(self, name: bytes, value: bytes) -> None:
        """Two headers say how the answer ends, one that it cannot be read."""
        key = name.lower()
        if key in (b"content-length", b"transfer-encoding"):
            self._framed = True
        elif key == b"content-encoding":
            self._encoding = value.decode("latin-1").strip().lower()

    def on_headers_complete(self) -> None:
        """The status is known."""
        self._status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        """A piece of body, whatever the framing."""
        self.stamps.append(self._now)
        self.pieces.append(body)
        self._size += len(body)
        if self._size > MAX_BODY_BYTES:
            self._failed(Reason.REQUEST_FAILED, f"the answer is larger than {MAX_BODY_BYTES} bytes")

    def on_message_complete(self) -> None:
        """The answer is whole, unless it only announces another one."""
        if self._status >= 200:
            self._complete()
        self._framed = False

    def _complete(self) -> None:
        if self._status != 200:
            body = b"".join(self.pieces).decode("utf-8", errors="replace")
            self._failed(Reason.BAD_STATUS, f"status {self._status}: {' '.join(body.split())[:SHOWN]}")
        elif self._encoding not in ("", "identity"):
            said = f"the server compressed its answer ({self._encoding}) although it was asked not to"
            self._failed(Reason.REQUEST_FAILED, said)
        else:
            self._end(None, self._now)

    def _failed(self, reason: Reason, said: str) -> None:
        self._end(Failure(reason, said), time.perf_counter())

    def _end(self, failure: Failure | None, at: float) -> None:
        if not self.ended.done():
            self.t_end = at
            self.ended.set_result(failure)
