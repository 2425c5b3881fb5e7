"""A server that knows the truth: it emits tokens on a schedule and stamps each request's arrival and first token.

One thread over epoll, no framework. Arrival is the kernel's own time of the packet where it gives one, so that a
queue in this process is not taken for a fault of the client. `GET /truth` gives what it knows and forgets it.
"""

import argparse
import heapq
import json
import os
import re
import select
import signal
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

SO_TIMESTAMPNS = 35  # asm-generic/socket.h; the socket module has no name for it
SPIN_S = 0.003  # sleeping is a millisecond coarse, so what is due sooner is waited for by asking again and again
EMITTED_AT_A_STRETCH = 128  # a schedule that cannot be kept must not keep new requests waiting
LIFETIME_S = 900


@dataclass(frozen=True)
class Schedule:
    """When tokens are emitted."""

    ttft_s: float
    gap_s: float


@dataclass
class Peer:
    """One connection and the answer it is being given."""

    sock: socket.socket
    received: bytes = b""
    identity: int = -1
    arrived: float = 0.0
    first: float = 0.0
    emitted: int = 0
    tokens: int = 0
    keeps: bool = True
    unsent: bytes = field(default=b"")


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(choices: object, **more: object) -> bytes:
    """One event of the chat API, of the size that real servers send."""
    head = {"id": "chatcmpl-0123456789abcdef0123456789abcdef", "object": "chat.completion.chunk", "created": 1700000000}
    return b"data: " + json.dumps({**head, "model": "truth", "choices": choices, **more}).encode() + b"\n\n"


HEADERS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
JSON_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
ROLE = chunk(event([{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]))
TOKEN = chunk(event([{"index": 0, "delta": {"content": " word"}, "logprobs": None, "finish_reason": None}]))


def ending(tokens: int) -> bytes:
    """The last events: end, usage, done."""
    usage = {"prompt_tokens": 8, "completion_tokens": tokens, "total_tokens": tokens + 8}
    said = event([{"index": 0, "delta": {}, "finish_reason": "length"}]), event([], usage=usage), b"data: [DONE]\n\n"
    return b"".join(map(chunk, said)) + chunk(b"")


class Truth:
    """The server's state."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.listener.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.listener.setblocking(False)
        self.epoll = select.epoll()
        self.epoll.register(self.listener, select.EPOLLIN)
        self.peers: dict[int, Peer] = {}
        self.due: list[tuple[float, int]] = []
        self.known: list[dict[str, float]] = []
        self.to_monotonic_s = time.perf_counter() - time.time()

    def serve(self) -> None:
        """Until ended."""
        while True:
            left_s = self.due[0][0] - time.perf_counter() if self.due else 1.0
            for number, _ in self.epoll.poll(left_s if left_s > SPIN_S else 0):
                self.accept() if number == self.listener.fileno() else self.receive(number)
            for _ in range(EMITTED_AT_A_STRETCH):
                if not self.due or self.due[0][0] > time.perf_counter():
                    break
                at, number = heapq.heappop(self.due)
                if number in self.peers:
                    self.emit(at, number)

    def accept(self) -> None:
        """Everybody who waits; a request that came along is read at once."""
        while True:
            try:
                sock, _ = self.listener.accept()
            except BlockingIOError:
                return
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.peers[sock.fileno()] = Peer(sock)
            self.epoll.register(sock, select.EPOLLIN)
            self.receive(sock.fileno())

    def receive(self, number: int) -> None:
        """Bytes of a request, with the time at which the kernel had them."""
        peer = self.peers[number]
        try:
            data, ancillary, _, _ = peer.sock.recvmsg(1 << 20, 64)
        except BlockingIOError:
            return
        except OSError:
            data, ancillary = b"", []
        if not data:
            self.drop(number)
            return
        peer.received += data
        head, found, body = peer.received.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        if found and len(body) >= (int(length[1]) if length else 0):
            peer.received = b""
            self.request(number, head, body, self.arrival(ancillary))

    def arrival(self, ancillary: Sequence[tuple[int, int, bytes]]) -> float:
        """The kernel's time of the packet on `time.perf_counter`, or now."""
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
                seconds, nanoseconds = struct.unpack("qq", data[:16])
                return float(seconds + nanoseconds / 1e9 + self.to_monotonic_s)
        return time.perf_counter()

    def request(self, number: int, head: bytes, body: bytes, arrived: float) -> None:
        """Begin an answer, or give the truth."""
        peer = self.peers[number]
        peer.keeps = b"connection: close" not in head.lower()
        if not head.startswith(b"POST"):
            said = {"data": [{"id": "truth", "object": "model"}]} if b"/models" in head else self.known
            text = json.dumps(said).encode()
            if head.startswith(b"GET /truth"):
                self.known = []
            peer.sock.sendall(JSON_HEAD % len(text) + (b"" if head.startswith(b"HEAD") else text))
            return
        asked = json.loads(body)
        named = re.search(rb"request-(\d+)", body)
        peer.identity, peer.arrived = int(named[1]) if named else -1, arrived
        peer.tokens = int(asked.get("max_completion_tokens") or asked.get("max_tokens") or 16)
        peer.emitted, peer.unsent = 0, b""
        heapq.heappush(self.due, (arrived + self.schedule.ttft_s, number))

    def emit(self, at: float, number: int) -> None:
        """One token, stamped just before it is written; then the next one is due."""
        peer = self.peers[number]
        last = peer.emitted + 1 == peer.tokens
        if not peer.unsent:
            now = time.perf_counter()
            peer.first = peer.first if peer.emitted else now
            peer.unsent = (HEADERS + ROLE if not peer.emitted else b"") + TOKEN + (ending(peer.tokens) if last else b"")
        try:
            sent = peer.sock.send(peer.unsent)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.drop(number)
            return
        peer.unsent = peer.unsent[sent:]
        if peer.unsent:
            heapq.heappush(self.due, (time.perf_counter() + 0.0002, number))
            return
        peer.emitted += 1
        if not last:
            heapq.heappush(self.due, (at + self.schedule.gap_s, number))
            return
        self.known.append({"id": peer.identity, "arrived": peer.arrived, "first": peer.first, "tokens": peer.tokens})
        if not peer.keeps:
            self.drop(number)

    def drop(self, number: int) -> None:
        """Forget a connection."""
        peer = self.peers.pop(number)
        self.epoll.unregister(peer.sock)
        peer.sock.close()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--core", type=int, default=-1)
    parser.add_argument("--ttft-ms", type=float, default=50)
    parser.add_argument("--gap-ms", type=float, default=10)
    given = parser.parse_args()
    signal.alarm(LIFETIME_S)
    if given.core >= 0:
        os.sched_setaffinity(0, {given.core})
    truth = Truth(Schedule(given.ttft_ms / 1000, given.gap_ms / 1000))
    print(truth.listener.getsockname()[1], flush=True)
    truth.serve()


if __name__ == "__main__":
    main()
