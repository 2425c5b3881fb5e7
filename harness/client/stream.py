"""Send one request and record what came back. One connection a request: reused ones failed in 7 of 68 launches.

The only border where transport errors become values: every failure of a request ends in a `RequestRecord`.
"""

import asyncio
import ipaddress
import os
import socket
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from harness.client.address import Address, post
from harness.client.ask import Ask, Door
from harness.client.exchange import Exchange
from harness.client.failure import Failure
from harness.client.intake import Intake
from harness.client.judge import Times, judged
from harness.client.load import ClientLoad, LoadMeter
from harness.client.record import RequestRecord, ToolCall
from harness.client.sse import Arrival, Reader, Reading
from harness.vocabulary.outcome import Reason

__all__ = ["Ask", "Client", "ClientLoad", "Door", "RequestRecord", "ToolCall", "connections", "send"]

CONNECT_AHEAD_S = 0.1  # a request with a due time finds its connection open: a TLS handshake takes a few milliseconds
TIMER_S = 0.002  # timers of event loops are a millisecond coarse, either way
READ_SLICE_BYTES = 4096  # read at a stretch while other streams are open: 20 events, 0.2 ms that a stamp can bear


class Client:
    """What `connections` gives and `send` takes. It opens a fresh connection for every request."""

    def __init__(self, tls: ssl.SSLContext | None) -> None:
        self.meter = LoadMeter()
        self._tls = tls
        self._intake = Intake() if Intake.possible() else None
        self._hosts: dict[str, tuple[str, ...]] = {}  # names are looked up once, so that no request waits for it again
        self._turn = asyncio.Lock()  # one answer is read at a time, a slice in each round of the loop

    def load(self) -> ClientLoad:
        """What the client cost since it was opened or last `restart`ed, and whether it was the bottleneck."""
        return self.meter.load()

    def restart(self) -> None:
        """Begin to measure the client anew, so that a protocol's load is not mixed with what was sent before it."""
        self.meter.restart()

    def close(self) -> None:
        """Read nothing any more."""
        if self._intake is not None:
            self._intake.close()

    async def connect(self, address: Address, exchange: Exchange) -> None:
        """Open a connection for the exchange. Raises OSError with the last address's error."""
        loop, tls = asyncio.get_running_loop(), self._context() if address.tls else None
        hosts = await self._resolved(address)
        for number, host in enumerate(hosts, start=1):
            try:
                await loop.create_connection(
                    lambda: exchange, host, address.port, ssl=tls, server_hostname=address.host if tls else None
                )
            except OSError:
                if number == len(hosts):
                    raise
            else:
                break
        if self._intake is not None and tls is None:  # what is encrypted is read by the event loop, which decrypts it
            exchange.read_by(self._intake)

    async def read(self, exchange: Exchange) -> Reading:
        """Read an answer in slices: while other streams are open, no stamp of theirs waits longer than one slice."""
        reader, taken = Reader(), 0
        async with self._turn:
            for at, piece in zip(exchange.stamps, exchange.pieces, strict=True):
                reader.feed((Arrival(at, piece),))
                taken += len(piece)
                if taken > READ_SLICE_BYTES:
                    taken = 0
                    await asyncio.sleep(0)
        return reader.reading()

    def _context(self) -> ssl.SSLContext:
        """Certificates are verified against the system's authorities unless another context was given."""
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

    async def _resolved(self, address: Address) -> tuple[str, ...]:
        known = self._hosts.get(address.host)
        if known is None:
            try:
                known = (str(ipaddress.ip_address(address.host)),)
            except ValueError:
                loop = asyncio.get_running_loop()
                found = await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
                known = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
            self._hosts[address.host] = known
        return known


@asynccontextmanager
async def connections(tls: ssl.SSLContext | None = None) -> AsyncIterator[Client]:
    """A client that reads no setting of the environment and measures itself while it is open."""
    client = Client(tls)
    sampling = asyncio.ensure_future(client.meter.sample())
    try:
        yield client
    finally:
        sampling.cancel()
        await asyncio.wait([sampling])
        client.close()


async def send(client: Client, door: Door, ask: Ask) -> RequestRecord:
    """Send one request, when it is due, and wait for its end, at most `ask.timeout_s` seconds.

    Raises ValueError where the address or the JSON of the request is none, a fault of whoever asks.
    """
    address = Address.of(door.url_of(ask.path))
    exchange = Exchange(post(address, door.body(ask)))
    due = time.perf_counter() if ask.due is None else ask.due
    await _until(due - CONNECT_AHEAD_S)
    with client.meter.request():
        t_begin = time.perf_counter()
        failure = await _exchanged(client, exchange, address, ask, due)
        t_end = exchange.t_end or time.perf_counter()
        t_send = exchange.t_send or t_end
        connect_s = max(0.0, (exchange.t_connected or t_end) - max(t_begin, due))
        client.meter.dispatched((t_send - due - connect_s) * 1000)
        client.meter.arrived(len(exchange.pieces))
        reading = await client.read(exchange)
    return judged(Times(due, t_send, t_end, connect_s), ask, reading, failure)


async def _exchanged(client: Client, exchange: Exchange, address: Address, ask: Ask, due: float) -> Failure | None:
    """The request's whole way; none when the answer came whole, else what went wrong."""
    try:
        async with asyncio.timeout(ask.timeout_s + max(0.0, due - time.perf_counter())) as limit:
            await client.connect(address, exchange)
            await _until(due)
            exchange.begin()
            return await exchange.ended
    except OSError as error:  # a TimeoutError is one, of the clock here or of the kernel
        if limit.expired():
            within = f"within {ask.timeout_s:g} s"
            if exchange.t_connected:
                return Failure(Reason.NO_END, f"no end {within}")
            return Failure(Reason.NOT_CONNECTED, f"no connection to {address.name} {within}")
        return Failure(Reason.NOT_CONNECTED, f"cannot connect to {address.name}: {_words(error)}")
    finally:
        exchange.abort()


async def _until(moment: float) -> None:
    """Sleep until `moment` on `time.perf_counter`; what is left below a timer's resolution is spent in rounds."""
    left_s = moment - time.perf_counter()
    if left_s > TIMER_S:
        await asyncio.sleep(left_s - TIMER_S)
    while time.perf_counter() < moment:  # noqa: ASYNC110 - a moment is awaited, no event
        await asyncio.sleep(0)


def _words(error: OSError) -> str:
    """The system's own words where it has some; asyncio's would name the address twice."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError | socket.gaierror) or not error.errno:
        return error.strerror or str(error) or type(error).__name__
    return os.strerror(error.errno)
