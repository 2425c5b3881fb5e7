"""Read plain connections on Linux, each piece with the kernel's own time of its arrival. Knows no HTTP.

All of them stand behind one descriptor, so that the event loop is told once of all that came: one by one, a piece
costs 40 us where this costs 30.
"""

import asyncio
import os
import select
import socket
import struct
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

SO_TIMESTAMPNS = 35  # asm-generic/socket.h; the socket module has no name for it
STAMP = struct.Struct("qq")  # struct timespec
STAMP_SPACE = socket.CMSG_SPACE(STAMP.size) if sys.platform == "linux" else 0
PIECE_BYTES = 65536
CLOCK_S = 20e-6  # two clocks are read within so short a time, or again
CLOCK_TRIES = 3


class Sink(Protocol):
    """Who is given what arrives."""

    def received(self, data: bytes, at: float) -> None:
        """Some bytes, and when they arrived, seconds of `time.perf_counter`."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes: the other side has closed, or the error."""


@dataclass(slots=True)
class Line:
    """One connection that is read here."""

    sock: socket.socket
    sink: Sink
    last: float  # arrival of its last piece; before it nothing can have arrived


class Intake:
    """All plain connections of one client. `close` it after the last one was let go."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: dict[int, Line] = {}  # by file descriptor
        self._numbers: dict[Sink, int] = {}
        self._epoll = select.epoll()
        self._before = time.perf_counter()  # what is found next arrived after this
        self._loop.add_reader(self._epoll.fileno(), self._drain)

    @staticmethod
    def possible() -> bool:
        """Whether this system has what is needed."""
        return sys.platform == "linux"

    def take(self, transport: asyncio.Transport, sink: Sink) -> None:
        """Read a connection from now on; whoever opened it goes on writing to it and closes it, after `leave`."""
        transport.pause_reading()
        sock = socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno()))
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        number = self._numbers[sink] = sock.fileno()
        self._lines[number] = Line(sock, sink, time.perf_counter())
        self._epoll.register(number, select.EPOLLIN)

    def leave(self, sink: Sink) -> None:
        """Let a connection go; one that is not read here is no fault."""
        number = self._numbers.pop(sink, None)
        if number is not None:
            self._epoll.unregister(number)
            self._lines.pop(number).sock.close()

    def close(self) -> None:
        """Read nothing any more."""
        for sink in list(self._numbers):
            self.leave(sink)
        self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()

    def _drain(self) -> None:
        """Take one piece from every connection that has one."""
        found = self._epoll.poll(0)
        behind_s, now = clocks()
        for number, _ in found:
            line = self._lines.get(number)
            if line is not None:  # else it was let go a moment ago
                self._piece(line, behind_s)
        self._before = now

    def _piece(self, line: Line, behind_s: float) -> None:
        try:
            data, ancillary, _, _ = line.sock.recvmsg(PIECE_BYTES, STAMP_SPACE)
        except BlockingIOError:
            return
        except OSError as error:
            self.leave(line.sink)
            line.sink.connection_lost(error)
            return
        if not data:
            self.leave(line.sink)
            line.sink.connection_lost(None)
            return
        at, now = arrival(ancillary, behind_s), time.perf_counter()
        # A clock that was set meanwhile must not move a stamp out of the time in which the piece can have come.
        line.last = now if at is None else min(max(at, self._before, line.last), now)
        line.sink.received(data, line.last)


def arrival(ancillary: Sequence[tuple[int, int, bytes]], behind_s: float) -> float | None:
    """The kernel's time of a piece's last packet on `time.perf_counter`, or none where it gave none."""
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
            seconds, nanoseconds = STAMP.unpack_from(data)
            return float(seconds + nanoseconds / 1e9 - behind_s)
    return None


def clocks() -> tuple[float, float]:
    """How far `time.perf_counter` is behind the clock of the kernel's stamps, seconds, and its own reading now.

    Read anew each time, since that other clock is slewed and set. Of a few readings the closest pair counts.
    """
    best_s, behind_s, now = float("inf"), 0.0, 0.0
    for _ in range(CLOCK_TRIES):
        before, wall, now = time.perf_counter(), time.time(), time.perf_counter()
        if now - before < best_s:
            best_s, behind_s = now - before, wall - (before + now) / 2
        if best_s <= CLOCK_S:
            break
    return behind_s, now
