"""Read plain connections on Linux, each piece with the kernel's own time of its arrival. Knows no HTTP.

To be woken costs more CPU than all that is done with a piece, so streams whose pieces come far apart are read together
in rounds: the kernel has stamped what waits. Others, and every stream at its beginning, are read at once.
"""

import asyncio
import os
import select
import socket
import struct
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

SO_TIMESTAMPNS = 35  # asm-generic/socket.h; the socket module has no name for it
STAMP = struct.Struct("qq")  # struct timespec
PIECE_BYTES = 65536
# From one round to the next: at most 250 wake-ups a second, about 1 % of a core, whatever the number of streams. An
# answer's end is noticed so much later; its stamps are the kernel's and are not.
ROUND_S = 0.004
# Pieces so far apart never wait for one round together, where one stamp would stand for both: a timer is 1 ms coarse.
CALM_S = ROUND_S + 0.002
CALM_GAPS = 4  # so many such gaps in a row, and a stream is read in rounds; one shorter gap, and it no longer is
# Rounds are gone as long as they wake less often than pieces would: looked at anew after so many of them, or as long.
WINDOW_ROUNDS = 5
CLOCK_S = 20e-6  # two clocks are read within so short a time, or again
CLOCK_TRIES = 3


class Sink(Protocol):
    """Who is given what arrives."""

    def received(self, data: bytes, at: float) -> None:
        """Some bytes, and when they arrived, seconds of `time.perf_counter`."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes: the other side has closed, or the error."""


class Pool:
    """Connections that are read at the same moments."""

    def __init__(self) -> None:
        self.epoll = select.epoll()
        self.before = time.perf_counter()  # what is found next arrived after this


@dataclass(slots=True)
class Line:
    """One connection that is read here."""

    sock: socket.socket
    sink: Sink
    pool: Pool
    last: float  # arrival of its last piece
    calm: int = -1  # gaps in a row that were long enough for rounds; the time to the first piece is none


class Intake:
    """All plain connections of one client. `close` it after the last one was let go."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: dict[int, Line] = {}  # by file descriptor
        self._numbers: dict[Sink, int] = {}
        self._prompt, self._steady = Pool(), Pool()
        self._loop.add_reader(self._prompt.epoll.fileno(), self._drain, self._prompt)
        self._loop.add_reader(self._steady.epoll.fileno(), self._woken)
        self._round: asyncio.TimerHandle | None = None
        self._since = 0.0  # when the present window began, where pieces wake
        self._rounds = 0  # in the present window, where rounds are gone
        self._came = 0  # wake-ups or pieces in the present window

    @staticmethod
    def possible() -> bool:
        """Whether this system has what is needed."""
        return sys.platform == "linux"

    def take(self, transport: asyncio.Transport, sink: Sink) -> None:
        """Read a connection from now on; whoever opened it goes on writing to it and closes it, after `leave`."""
        transport.pause_reading()
        sock = socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno()))
        sock.setblocking(False)
        with suppress(OSError):  # a kernel that has no stamps gives none
            sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self._lines[sock.fileno()] = Line(sock, sink, self._prompt, time.perf_counter())
        self._numbers[sink] = sock.fileno()
        self._prompt.epoll.register(sock, select.EPOLLIN)

    def leave(self, sink: Sink) -> None:
        """Let a connection go; one that is not read here is no fault."""
        number = self._numbers.pop(sink, None)
        if number is not None:
            line = self._lines.pop(number)
            line.pool.epoll.unregister(number)
            line.sock.close()

    def close(self) -> None:
        """Read nothing any more."""
        for sink in list(self._numbers):
            self.leave(sink)
        if self._round is not None:
            self._round.cancel()
        for pool in (self._prompt, self._steady):
            self._loop.remove_reader(pool.epoll.fileno())
            pool.epoll.close()

    def _woken(self) -> None:
        """A piece of a steady stream came. Where that happens more often than rounds are gone, they begin."""
        self._drain(self._steady)
        now = time.perf_counter()
        if now - self._since > WINDOW_ROUNDS * ROUND_S:
            self._since, self._came = now, 0
        self._came += 1
        if self._came > WINDOW_ROUNDS:
            self._loop.remove_reader(self._steady.epoll.fileno())
            self._came = self._rounds = 0
            self._round = self._loop.call_later(ROUND_S, self._go_round)

    def _go_round(self) -> None:
        self._came += self._drain(self._steady)
        self._rounds += 1
        if self._rounds == WINDOW_ROUNDS:
            if self._came < WINDOW_ROUNDS:
                self._round, self._since = None, 0.0
                self._loop.add_reader(self._steady.epoll.fileno(), self._woken)
                return
            self._came = self._rounds = 0
        self._round = self._loop.call_later(ROUND_S, self._go_round)

    def _drain(self, pool: Pool) -> int:
        """Take one piece from every connection that has one; their number."""
        found = pool.epoll.poll(0)
        behind_s, now = clocks()
        for number, _ in found:
            line = self._lines.get(number)
            if line is not None:  # else it was let go a moment ago
                self._piece(line, behind_s, now)
        pool.before = now
        return len(found)

    def _piece(self, line: Line, behind_s: float, now: float) -> None:
        try:
            data, ancillary, _, _ = line.sock.recvmsg(PIECE_BYTES, socket.CMSG_SPACE(STAMP.size))
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
        stamp, at = arrival(ancillary, behind_s), time.perf_counter()
        if (
            stamp is not None
        ):  # a clock that was set meanwhile moves it not out of the time in which the piece can have come
            at = min(max(stamp, line.pool.before, line.last), at)
        # What the kernel does not stamp is late by as long as it waits, so it is never left to rounds.
        line.calm = line.calm + 1 if stamp is not None and at - line.last >= CALM_S else 0
        line.last = at
        self._place(line, self._steady if line.calm >= CALM_GAPS else self._prompt)
        line.sink.received(data, at)

    def _place(self, line: Line, pool: Pool) -> None:
        if pool is not line.pool:
            line.pool.epoll.unregister(line.sock)
            pool.epoll.register(line.sock, select.EPOLLIN)
            line.pool = pool


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
