"""One simulated server on its event loop: connections, the watch over its workers, and how it misbehaves under load."""

import asyncio
import os
import signal
import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from harness.simulator import http
from harness.simulator.asked import Asked
from harness.simulator.clocked import ClockedEngine
from harness.simulator.engine_flags import Engine
from harness.simulator.faults import Fault
from harness.simulator.http import Request
from harness.simulator.scheduler import Scheduler
from harness.simulator.service import APIS, LOAD_DEFAULT, Reply, Service
from harness.simulator.settings import Settings
from harness.simulator.style import Style
from harness.simulator.workers import Worker, say

STATISTICS_S = 10.0  # vLLM's own interval, virtual
REGULAR_S = 0.5  # between two requests of somebody else, virtual
SHORTEST_SLEEP_S = 0.02
STRANGER_AFTER = 3  # requests of the client
WATCH_S = 0.2
PAUSE_AFTER, PAUSE_S = 40, 3


@dataclass
class Server:
    """One running server; `status` is set when it has to end."""

    settings: Settings
    engine: Engine
    style: Style
    workers: Sequence[Worker]
    status: asyncio.Future[int]
    service: Service = field(init=False)
    listening: asyncio.Server | None = None
    peers: set["Peer"] = field(default_factory=set)

    def __post_init__(self) -> None:
        scheduler = Scheduler(self.engine.pace, self.engine.limits, self.settings.whole("seed"))
        scale = self.settings.number("time-scale")
        clocked = ClockedEngine(scheduler, scale, self.settings.faults, self.timed_out)
        self.service = Service(self.settings, self.engine, self.style, clocked)

    def end(self, status: int) -> None:
        """Come to an end, once."""
        if not self.status.done():
            self.status.set_result(status)

    async def listen(self, sock: socket.socket) -> str:
        """Begin to answer on a socket; the address."""
        certificate, context = self.settings.text("tls-cert"), None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
        loop = asyncio.get_running_loop()
        self.listening = await loop.create_server(lambda: Peer(self), sock=sock, ssl=context)
        host, port = sock.getsockname()[:2]
        named = f"[{host}]" if ":" in host else host
        return f"{'https' if certificate else 'http'}://{named}:{port}"

    async def close(self) -> None:
        """Stop listening and cut what is still connected."""
        for peer in list(self.peers):
            peer.cut()
        if self.listening is not None:
            self.listening.close()
            await self.listening.wait_closed()
            await asyncio.sleep(0)  # the connections' tasks see that they are cut

    def timed_out(self) -> None:
        """A step took longer than the engine waits (S5)."""
        say(*self.style.timed_out(self.engine.limits.execution_timeout_s))
        self.end(1)

    def worker_gone(self, worker: Worker) -> None:
        """A worker has ended although the server has not."""
        asyncio.get_running_loop().remove_reader(worker.pidfd)
        if not self.status.done():
            say(*self.style.worker_died(worker.rank))
            self.end(1)

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: "Peer") -> None:
        """Requests of one connection, one after the other."""
        with suppress(ConnectionError):
            host, port = writer.get_extra_info("peername")[:2]
            while (request := await http.read_request(reader, f"{host}:{port}")) is not None:
                await self._answer(request, writer, peer)
                await writer.drain()
                if not request.keep_alive or writer.is_closing():
                    break
        writer.close()

    async def _answer(self, request: Request, writer: asyncio.StreamWriter, peer: "Peer") -> None:
        if request.method != "POST" or request.path not in APIS:
            self._send(request, self.service.plain(request), writer)
            return
        self._tell_workers()
        understood = self.service.understand(request)
        self._misbehave()
        if isinstance(understood, Reply):
            self._send(request, understood, writer)
        else:
            await self._generate(request, understood, writer, peer)

    def _send(self, request: Request, reply: Reply, writer: asyncio.StreamWriter) -> None:
        writer.write(http.head(reply.status, reply.kind, len(reply.body), request.keep_alive) + reply.body)
        if request.path not in ("/health", "/metrics"):
            say(self.style.access(request.peer, request.method, request.path, reply.status))

    async def _generate(self, request: Request, asked: Asked, writer: asyncio.StreamWriter, peer: "Peer") -> None:
        if asked.stream:
            writer.write(http.head(200, "text/event-stream; charset=utf-8", None, request.keep_alive))

        def write(data: bytes) -> None:
            if asked.stream and not writer.is_closing():
                writer.write(http.chunk(data))

        ended = peer.expect()
        answer, number = self.service.start(asked, write, lambda: peer.settle(came=True))
        if not await ended:
            self.service.clocked.cancel(number)
            writer.close()
        elif not asked.stream:
            self._send(request, self.service.whole(answer), writer)
        elif answer.broken:
            writer.transport.abort()
        else:
            writer.write(http.LAST_CHUNK)
            say(self.style.access(request.peer, request.method, request.path, 200))

    def _tell_workers(self) -> None:
        for worker in self.workers:
            with suppress(OSError):
                os.write(worker.orders, b"r")

    def _misbehave(self) -> None:
        """What happens to the whole server after so many requests."""
        faults, served = self.settings.faults, self.service.served
        if Fault.DIES_UNDER_LOAD in faults and served == faults.number(Fault.DIES_UNDER_LOAD, LOAD_DEFAULT):
            self._later(self._die)
        dying = Fault.WORKER_DIES_UNDER_LOAD
        if dying in faults and served == faults.number(dying, LOAD_DEFAULT) and self.workers:
            self._later(lambda: os.kill(self.workers[-1].pid, signal.SIGKILL))
        if Fault.HANG_IN_LOAD in faults and served >= faults.number(Fault.HANG_IN_LOAD, LOAD_DEFAULT):
            self.service.clocked.hanging = True
        if Fault.PAUSE_IN_LOAD in faults and served == PAUSE_AFTER:
            self.service.clocked.hanging = True
            seconds = faults.number(Fault.PAUSE_IN_LOAD, PAUSE_S)
            asyncio.get_running_loop().call_later(seconds, self.service.clocked.go_on)

    def _later(self, act: Callable[[], None]) -> None:
        """In the middle of the request, after its first tokens."""
        pace = self.engine.pace
        virtual = pace.overhead_s + 5 * pace.step_s(1)
        asyncio.get_running_loop().call_later(virtual * self.settings.number("time-scale"), act)

    def _die(self) -> None:
        say("ERROR: Segmentation fault encountered", "Fatal Python error: Segmentation fault")
        os._exit(139)

    async def regular(self) -> None:
        """Strangers' requests, the line of statistics, and the end of a process that this one depends on."""
        scale, faults = self.settings.number("time-scale"), self.settings.faults
        last, said_prompt, said_tokens = 0.0, 0, 0
        while not self.status.done():
            await asyncio.sleep(max(REGULAR_S * scale, SHORTEST_SLEEP_S))
            late = Fault.STRANGER in faults and self.service.served > STRANGER_AFTER
            clocked = self.service.clocked
            if (late or Fault.STRANGER_BEFORE in faults) and not clocked.scheduler.waiting:
                self.service.stranger()
            now, counted = clocked.now(), clocked.counted
            if now - last >= STATISTICS_S and counted.generated_tokens != said_tokens:
                prompt_rate = (counted.prompt_tokens - said_prompt) / (now - last)
                rate = (counted.generated_tokens - said_tokens) / (now - last)
                if line := self.style.statistics(prompt_rate, rate, counted):
                    say(line)
                last, said_prompt, said_tokens = now, counted.prompt_tokens, counted.generated_tokens

    async def watch_other(self) -> None:
        """End when the process that this one was started for is gone."""
        pid = self.settings.whole("ends-with")
        while pid and not self.status.done():
            try:
                os.kill(pid, 0)
            except OSError:
                self.end(0)
            await asyncio.sleep(WATCH_S)


class Peer(asyncio.StreamReaderProtocol):
    """One connection; knows at once when the client has closed it."""

    def __init__(self, server: Server) -> None:
        super().__init__(asyncio.StreamReader(limit=http.MAX_HEAD_BYTES), self._connected)
        self._server = server
        self._ended: asyncio.Future[bool] | None = None
        self._transport_made: asyncio.BaseTransport | None = None

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._server.connection(reader, writer, self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport_made = transport
        self._server.peers.add(self)
        super().connection_made(transport)

    def cut(self) -> None:
        """End the connection now."""
        if isinstance(self._transport_made, asyncio.Transport):
            self._transport_made.abort()

    def expect(self) -> asyncio.Future[bool]:
        """Done when the answer is (true) or the client is gone (false)."""
        self._ended = asyncio.get_running_loop().create_future()
        return self._ended

    def settle(self, *, came: bool) -> None:
        """The answer has come to its end, or the client has."""
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(came)

    def eof_received(self) -> bool | None:
        self.settle(came=False)
        return super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self.settle(came=False)
        self._server.peers.discard(self)
        super().connection_lost(exc)
