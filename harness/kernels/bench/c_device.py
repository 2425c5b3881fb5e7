"""Kernels in C in this very process: loaded with ctypes, called on the shared memory. Standard library only."""

import ctypes
import mmap
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path

from harness.kernels.bench.layout import Layout
from harness.kernels.bench.plan import Plan, PlannedArm, Sizes
from harness.kernels.bench.reasons import Reason
from harness.kernels.bench.taken import Taken
from harness.kernels.bench.trouble import Trouble

MIB = 1 << 20
SETTLE_S, MOST_SETTLE_S = 0.03, 0.3  # the second is for threads, which a busy machine may let wait
LEAST_SCRUB, MOST_SCRUB = 16 * MIB, 256 * MIB
PRINTED_BYTES = 1 * MIB  # what an arm may print
TYPES: dict[str, type[ctypes._SimpleCData]] = {  # type: ignore[type-arg]
    **{"int8": ctypes.c_int8, "uint8": ctypes.c_uint8, "int16": ctypes.c_int16, "uint16": ctypes.c_uint16},
    **{"int32": ctypes.c_int32, "uint32": ctypes.c_uint32, "int64": ctypes.c_int64, "uint64": ctypes.c_uint64},
    **{"float32": ctypes.c_float, "float64": ctypes.c_double},
}


class CDevice:
    """One shared object, called on the arena."""

    def __init__(self, pack: Path, plan: Plan, arm: PlannedArm, arena: mmap.mmap) -> None:
        """Set the limits, then load. Raises Trouble."""
        self._plan, self._arm = plan, arm
        self._arena = arena  # an address alone would not keep the memory mapped
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(arena))
        self._prepared: list[list[tuple[object, tuple[object, ...]]]] = []
        self._layout = Layout((), 0, 0)
        self._scrub: mmap.mmap | None = None
        self._threads = _threads()
        _limit(plan.memory_mib)
        try:
            self._library = ctypes.CDLL(str(pack / arm.objects["c"]))
        except OSError as error:
            raise Trouble(Reason.LOAD_FAILED, str(error)) from error

    def facts(self) -> dict[str, str]:
        """Nothing that the runner does not know itself."""
        return {}

    def take(self, shape: Sizes, layout: Layout) -> None:
        """Prepare the calls of every place. Raises Trouble when a function is missing."""
        self._layout = layout
        kinds = {parameter.name: parameter for parameter in self._plan.parameters}
        self._prepared = []
        for index in range(layout.places):
            offsets = layout.place(index)
            calls: list[tuple[object, tuple[object, ...]]] = []
            for call in self._arm.calls[shape.name]:
                values = tuple(
                    ctypes.c_void_p(self._base + offsets[name])
                    if name in offsets
                    else TYPES[kinds[name].dtype](shape.scalars[name])
                    for name in call.arguments
                )
                calls.append((self._function(call.entry), values))
            self._prepared.append(calls)

    def push(self, place: int, part: str) -> None:
        """Nothing to do: the arms work on the shared memory itself."""

    def call(self, place: int) -> None:
        """Run once and keep the outputs as they are at the very return."""
        for function, values in self._prepared[place]:
            function(*values)  # type: ignore[operator]
        self._keep(place)

    def settle(self, place: int, part: str) -> None:
        """Give work that was put off time to be done: longer while threads are there that were not at first."""
        until = time.monotonic() + MOST_SETTLE_S
        time.sleep(SETTLE_S)
        while _threads() > self._threads and time.monotonic() < until:
            time.sleep(SETTLE_S)

    def time(self, places: Sequence[int], calls: int, cold: bool) -> Taken:
        """Nanoseconds of each call, going round the places; the cache is scrubbed before each where `cold`."""
        clock, taken, place = time.perf_counter_ns, [], places[0]
        for index in range(calls):
            place = places[index % len(places)]
            prepared = self._prepared[place]
            if cold:
                self._evict()
            began = clock()
            for function, values in prepared:
                function(*values)  # type: ignore[operator]
            taken.append(clock() - began)
        self._keep(place)
        return Taken(taken, calls, place)

    def _keep(self, place: int) -> None:
        offsets, kept = self._layout.place(place), self._layout.snapshots()
        for one in self._layout.outputs:
            ctypes.memmove(self._base + kept[one.name], self._base + offsets[one.name], one.size)

    def _function(self, entry: str) -> object:
        try:
            function = getattr(self._library, entry)
        except AttributeError as error:
            raise Trouble(Reason.ENTRY_MISSING, f"it has no function {entry!r}") from error
        function.restype = None
        return function

    def _evict(self) -> None:
        if self._scrub is None:
            self._scrub = mmap.mmap(-1, min(MOST_SCRUB, max(LEAST_SCRUB, 2 * last_level_bytes())))
            ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(self._scrub)), 0, len(self._scrub))
        self._scrub.find(b"\x01")  # reads every line of it; a memset might go round the cache


def _threads() -> int:
    """Of this process."""
    return sum(1 for _ in Path("/proc/self/task").iterdir())


def last_level_bytes() -> int:
    """Size of the largest cache of the first processor; 0 where the system does not say."""
    sizes = [0]
    for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = path.read_text().strip()
        unit = {"K": 1024, "M": MIB}.get(text[-1:], 1)
        sizes.append(int(text.rstrip("KM") or 0) * unit)
    return max(sizes)


def _limit(memory_mib: int) -> None:
    """Address space beyond what is there already, no core, no file larger than what an arm may print."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    space = pages * os.sysconf("SC_PAGE_SIZE") + memory_mib * MIB
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (PRINTED_BYTES, PRINTED_BYTES))
