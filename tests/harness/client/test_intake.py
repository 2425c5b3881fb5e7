"""Pieces are given with the kernel's own time of their arrival, and none is lost."""

import asyncio
import socket
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from harness.client import intake
from harness.client.intake import CALM_GAPS, CALM_S, SO_TIMESTAMPNS, WINDOW_ROUNDS, Intake, arrival, clocks


class Kept(asyncio.Protocol):
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.pieces: list[tuple[bytes, float]] = []
        self.lost: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        self.more = asyncio.Event()

    def received(self, data: bytes, at: float) -> None:
        self.pieces.append((data, at))
        self.more.set()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.lost.done():
            self.lost.set_result(exc)


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[Intake, Kept, socket.socket]]:
    """An intake that reads one connection, and the other end of it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        kept = Kept()
        address = listener.getsockname()
        transport, _ = await asyncio.get_running_loop().create_connection(lambda: kept, *address)
        end, _ = listener.accept()
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        taken = Intake()
        taken.take(transport, kept)
        try:
            yield taken, kept, end
        finally:
            taken.close()
            transport.abort()
            end.close()


async def arrived(kept: Kept, data: bytes) -> float:
    """Wait for these bytes; the stamp of their piece."""
    async with asyncio.timeout(10):
        while not kept.pieces or kept.pieces[-1][0] != data:
            kept.more.clear()
            await kept.more.wait()
    return kept.pieces[-1][1]


async def test_a_stamp_is_the_time_of_arrival_however_late_the_loop_comes() -> None:
    """The kernel begins to stamp a moment after it was asked for the first time on a machine, so there are tries."""
    async with connected() as (_, kept, end):
        for number in range(20):
            before = time.perf_counter()
            end.send(data := b"now %d" % number)
            after = time.perf_counter()
            time.sleep(0.03)  # noqa: ASYNC251 - the loop is held up on purpose
            at = await arrived(kept, data)
            if at < before + 0.02:
                break
    assert before - 0.001 <= at <= after + 0.001


async def test_a_clock_that_was_set_moves_no_stamp_out_of_the_time_between_two_readings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with connected() as (_, kept, end):
        for behind_s in (-3600.0, 3600.0):
            monkeypatch.setattr(intake, "clocks", lambda behind_s=behind_s: (time.time() + behind_s, 0.0))
            before = kept.pieces[-1][1] if kept.pieces else 0.0
            end.send(data := b"%d" % behind_s)
            at = await arrived(kept, data)
            assert before <= at <= time.perf_counter()


async def test_where_the_kernel_stamps_nothing_every_piece_is_read_at_once_and_stamped_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(intake, "SO_TIMESTAMPNS", 0x7FFF)  # an option that no kernel has
    monkeypatch.setattr(intake, "CALM_S", 0.0)
    async with connected() as (taken, kept, end):
        for number in range(CALM_GAPS + 2):
            before = time.perf_counter()
            end.send(data := b"%d" % number)
            assert before <= await arrived(kept, data) <= time.perf_counter()
            assert not steady(taken)


def in_rounds(taken: Intake) -> bool:
    return taken._round is not None


def steady(taken: Intake) -> bool:
    (line,) = taken._lines.values()
    return line.pool is taken._steady


async def test_a_stream_whose_pieces_come_far_apart_is_steady_until_two_come_close_together() -> None:
    async with connected() as (taken, kept, end):
        sent = 0
        for _ in range(CALM_GAPS + 1):
            assert not steady(taken)
            await asyncio.sleep(1.5 * CALM_S)
            sent += 1
            end.send(data := b"%d " % sent)
            await arrived(kept, data)
        assert steady(taken)
        while steady(taken) and sent < 50:
            sent += 1
            end.send(data := b"%d " % sent)
            await arrived(kept, data)
        assert not steady(taken)
    assert [data for data, _ in kept.pieces] == [b"%d " % one for one in range(1, sent + 1)]
    stamps = [at for _, at in kept.pieces]
    assert stamps == sorted(stamps)


async def test_steady_streams_that_wake_often_are_read_in_rounds_until_they_no_longer_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(intake, "CALM_GAPS", 0)
    monkeypatch.setattr(intake, "ROUND_S", 0.03)
    async with connected() as (taken, kept, end):
        sent = 0
        while not in_rounds(taken) and sent < 200:
            sent += 1
            end.send(data := b"%d " % sent)
            await arrived(kept, data)
        assert in_rounds(taken) and sent > WINDOW_ROUNDS
        async with asyncio.timeout(10):
            while in_rounds(taken):  # noqa: ASYNC110 - a state is awaited that nobody tells
                await asyncio.sleep(0.01)
        end.send(b"after a while")
        await arrived(kept, b"after a while")
    said = b"".join(data for data, _ in kept.pieces)
    assert said == b"".join(b"%d " % one for one in range(1, sent + 1)) + b"after a while"


async def test_an_end_and_a_reset_are_told_after_all_that_came() -> None:
    async with connected() as (_, kept, end):
        end.send(b"last")
        end.close()
        assert await asyncio.wait_for(kept.lost, 10) is None and kept.pieces[-1][0] == b"last"
    async with connected() as (_, kept, end):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.close()
        assert isinstance(await asyncio.wait_for(kept.lost, 10), ConnectionResetError)


async def test_a_connection_that_was_let_go_gives_nothing_more_and_may_be_let_go_again() -> None:
    async with connected() as (taken, kept, end):
        taken.leave(kept)
        taken.leave(kept)
        end.send(b"late")
        await asyncio.sleep(0.02)
    assert kept.pieces == [] and not taken._lines


def test_the_kernels_time_is_told_on_our_clock_and_none_where_it_gave_none() -> None:
    stamp = (socket.SOL_SOCKET, SO_TIMESTAMPNS, struct.pack("qq", 1000, 500_000_000))
    assert arrival([stamp], 900.25) == pytest.approx(100.25)
    assert arrival([], 900.25) is None and arrival([(socket.SOL_SOCKET, 1, b"")], 0.0) is None


def test_the_two_clocks_are_compared_at_one_moment() -> None:
    behind_s, now = clocks()
    assert abs(time.time() - time.perf_counter() - behind_s) < 0.05 and abs(time.perf_counter() - now) < 0.05
