"""The memory that runner and worker share, as the runner sees it: buffers between guard bands, and snapshots.

The runner alone decides what lies in it and reads it itself, so nothing that a worker says about it is believed.
"""

import ctypes
import mmap
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from harness.kernels.bench.layout import Field, Layout

GUARD = 0xE9
POISONS = (0xC7, 0x5B)  # finite in every float type, unlike each other and unlike the guard
PIECE = 32 << 20  # bytes that one thread lays out at a time
Bytes = NDArray[np.uint8]
Arrays = Mapping[str, NDArray[np.generic]]


class Arena:
    """Shared memory of one worker; one layout at a time."""

    def __init__(self, total: int) -> None:
        """Make `total` bytes."""
        self.total = total
        self.fd = os.memfd_create("kernel-arena")
        os.ftruncate(self.fd, total)
        self._map = mmap.mmap(self.fd, total)
        self.bytes: Bytes = np.frombuffer(self._map, dtype=np.uint8)
        self.layout = Layout((), 0, 0)

    def use(self, layout: Layout) -> None:
        """Take another layout; all between its arrays becomes guard. Raises ValueError when it does not fit."""
        if layout.total > self.total:
            raise ValueError(f"a layout of {layout.total} bytes does not fit into {self.total}")
        self.layout = layout
        for place in range(layout.places):
            for _, _, start, stop in self._gaps():
                self.bytes[place * layout.place_bytes + start : place * layout.place_bytes + stop] = GUARD
        self.bytes[layout.places * layout.place_bytes : layout.total] = GUARD

    def close(self) -> None:
        """Give the memory back."""
        self.bytes = np.zeros(0, dtype=np.uint8)
        self._map.close()
        os.close(self.fd)

    def fill(self, place: int, inputs: Arrays, poison: int) -> None:
        """Lay inputs into a place; outputs and scratch are poisoned."""
        for one in self.layout.fields:
            self._view(place, one)[:] = _bytes_of(inputs[one.name]) if one.role == "input" else poison

    def fill_all(self, sets: Sequence[Arrays], poison: int, threads: int) -> None:
        """Every place, the sets in turn, by several threads: one alone fills no memory as fast as it can be filled."""
        work: list[tuple[Bytes, Bytes | np.uint8]] = []
        for place in range(self.layout.places):
            inputs = sets[place % len(sets)]
            for one in self.layout.fields:
                view, given = self._view(place, one), _bytes_of(inputs[one.name]) if one.role == "input" else None
                for begin in range(0, one.size, PIECE):
                    piece = np.uint8(poison) if given is None else given[begin : begin + PIECE]
                    work.append((view[begin : begin + PIECE], piece))
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda one: np.copyto(*one), work))

    def spoil(self, place: int, poison: int) -> None:
        """Poison the middle half of every output, out of sight of a look at the ends."""
        for one in self.layout.outputs:
            view = self._view(place, one)
            view[one.size // 4 : max(one.size // 4 + 1, 3 * one.size // 4)] = poison

    def snapshot(self) -> dict[str, Bytes]:
        """Every output as it was when the call returned; copies."""
        offsets = self.layout.snapshots()
        return {one.name: self.bytes[offsets[one.name] :][: one.size].copy() for one in self.layout.outputs}

    def outputs(self, place: int) -> dict[str, Bytes]:
        """Every output as it is now; copies."""
        return {one.name: self._view(place, one).copy() for one in self.layout.outputs}

    def trespass(self, place: int) -> str | None:
        """Where a guard band was written to: before or behind which array, how many bytes away."""
        base = place * self.layout.place_bytes
        for before, after, start, stop in self._gaps():
            touched = np.flatnonzero(self.bytes[base + start : base + stop] != GUARD)
            if touched.size and before is not None:
                return f"{int(touched[0]) + 1} bytes past the end of {before!r}"
            if touched.size:
                return f"{stop - start - int(touched[-1])} bytes before {after!r}"
        return None

    def changed_input(self, place: int, inputs: Arrays) -> str | None:
        """The name of an input that is no longer what was laid there."""
        for one in self.layout.fields:
            if one.role == "input" and not _same(self._view(place, one), _bytes_of(inputs[one.name])):
                return one.name
        return None

    def _view(self, place: int, one: Field) -> Bytes:
        begin = place * self.layout.place_bytes + one.offset
        return self.bytes[begin : begin + one.size]

    def _gaps(self) -> Iterator[tuple[str | None, str | None, int, int]]:
        end: int = 0
        before: str | None = None
        for one in self.layout.fields:
            yield before, one.name, end, one.offset
            end, before = one.offset + one.size, one.name
        yield before, None, end, self.layout.place_bytes


def _same(left: Bytes, right: Bytes) -> bool:
    """Byte by byte, without the array of answers that NumPy would make of a gigabyte."""
    compared = ctypes.CDLL(None).memcmp
    compared.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    return left.size == right.size and compared(left.ctypes.data, right.ctypes.data, left.size) == 0


def _bytes_of(array: NDArray[np.generic]) -> Bytes:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
