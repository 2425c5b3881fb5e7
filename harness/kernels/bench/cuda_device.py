"""Kernels on a card through cuda-core: the shared memory is mirrored there, at the same offsets. Launches go through
graphs when they are timed. Everything a kernel may break is in this process, which is the arm's own."""

import ctypes
import mmap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from harness.kernels.bench.card import card_errors, checked, facts_of, object_for, open_card
from harness.kernels.bench.cublas import Cublas
from harness.kernels.bench.layout import WHOLE, Layout
from harness.kernels.bench.plan import Call, Plan, PlannedArm, Sizes
from harness.kernels.bench.reasons import Reason
from harness.kernels.bench.taken import Taken

POISON = 0xC7
POOL_BYTES = 64 << 20  # poisoned and given back before an arm runs: what it is given may hold nothing useful
GRAPH_CALLS, LEAST_GRAPHS = 40, 5
ROTATED = 4  # times the cache that places must fill before going round is cold by itself
ASKED_FOR_SHARED = 48 * 1024
CTYPES: dict[str, Callable[[int], Any]] = {
    **{"int8": ctypes.c_int8, "uint8": ctypes.c_uint8, "int16": ctypes.c_int16, "uint16": ctypes.c_uint16},
    **{"int32": ctypes.c_int32, "uint32": ctypes.c_uint32, "int64": ctypes.c_int64, "uint64": ctypes.c_uint64},
    **{"float32": ctypes.c_float, "float64": ctypes.c_double},
}
Launching = Callable[[Any], None]  # given a stream or a graph builder


class CudaDevice:
    """One cubin, launched on a mirror of the arena."""

    def __init__(self, pack: Path, plan: Plan, arm: PlannedArm, arena: mmap.mmap) -> None:
        """Open the card and load the cubin that fits it. Raises Trouble."""
        from cuda import core  # noqa: PLC0415 - pip install cuda-core[cu12]
        from cuda.bindings import driver  # noqa: PLC0415 - comes with cuda-core

        self._core, self._driver = core, driver
        self._plan, self._arm, self._arena = plan, arm, arena
        self._host = ctypes.addressof(ctypes.c_char.from_buffer(arena))
        self._card = open_card()
        driver.cuMemHostRegister(
            self._host, len(arena), 0
        )  # several times faster to copy; slower where that is refused
        self._layout = Layout((), 0, 0)
        self._launching: list[list[Launching]] = []
        self._cublas: Cublas | None = None
        self._scrub: Any = None
        path = object_for(self._card, arm.objects)
        self._cubin = (pack / path).read_bytes()
        with card_errors(Reason.LOAD_FAILED):
            self._stream, self._side = self._card.create_stream(), self._card.create_stream()
            self._code = core.ObjectCode.from_cubin(str(pack / path))
            pool = self._card.allocate(POOL_BYTES, stream=self._stream)
            pool.fill(POISON, stream=self._stream)
            pool.close()
            self._mirror = self._card.allocate(len(arena), stream=self._stream)
            self._mirror.fill(POISON, stream=self._stream)
            self._stream.sync()
        self._base = int(self._mirror.handle)

    def facts(self) -> dict[str, str]:
        """The card's."""
        with card_errors():
            return facts_of(self._card)

    def take(self, shape: Sizes, layout: Layout) -> None:
        """Prepare the launches of every place. Raises Trouble when a kernel is missing."""
        self._layout = layout
        with card_errors(Reason.LOAD_FAILED):
            calls = self._arm.calls[shape.name]
            self._launching = [
                [self._prepared(call, shape, layout.place(place)) for call in calls] for place in range(layout.places)
            ]

    def push(self, place: int, part: str) -> None:
        """Copy a place to the card, guard bands and all, or its outputs."""
        with card_errors(cubin=self._cubin):
            for begin, size in self._pieces(place, part):
                self._copy(begin, size, to_card=True)

    def call(self, place: int) -> None:
        """Run once; what the outputs hold when the stream is done is copied to the snapshots."""
        with card_errors(cubin=self._cubin):
            for launching in self._launching[place]:
                launching(self._stream)
            self._stream.sync()
            self._keep(place)

    def settle(self, place: int, part: str) -> None:
        """Wait for the whole card and copy the place, or its outputs, back."""
        with card_errors(cubin=self._cubin):
            self._card.sync()
            for begin, size in self._pieces(place, part):
                self._copy(begin, size, to_card=False)

    def _pieces(self, place: int, part: str) -> list[tuple[int, int]]:
        """Offset and size of what is copied."""
        if part == WHOLE:
            return [(place * self._layout.place_bytes, self._layout.place_bytes)]
        offsets = self._layout.place(place)
        return [(offsets[one.name], one.size) for one in self._layout.outputs]

    def time(self, places: Sequence[int], calls: int, cold: bool) -> Taken:
        """Nanoseconds a call: of graphs of many launches, or one by one where the cache must be emptied each time."""
        with card_errors(cubin=self._cubin):
            rotates = len(places) * self._layout.place_bytes >= ROTATED * int(self._card.properties.l2_cache_size)
            single = calls == 1 or (cold and not rotates)
            taken = self._one_by_one(places, calls, cold) if single else self._graphs(places, calls)
            self._keep(taken.place)
            return taken

    def _one_by_one(self, places: Sequence[int], calls: int, cold: bool) -> Taken:
        taken = []
        for index in range(calls):
            if cold:
                self._evict()
            began = self._stamp()
            for launching in self._launching[places[index % len(places)]]:
                launching(self._stream)
            ended = self._stamp()
            ended.sync()
            taken.append(_ns(began, ended))
        return Taken(taken, calls, places[(calls - 1) % len(places)])

    def _graphs(self, places: Sequence[int], calls: int) -> Taken:
        rounds = max(1, GRAPH_CALLS // len(places))
        builder = self._card.create_graph_builder()
        builder.begin_building()
        for _ in range(rounds):
            for place in places:
                for launching in self._launching[place]:
                    launching(builder)
        graph = builder.end_building().complete()
        graph.upload(self._stream)
        graph.launch(self._stream)  # the first is not counted
        each = rounds * len(places)
        taken = []
        for _ in range(max(LEAST_GRAPHS, calls // each)):
            began = self._stamp()
            graph.launch(self._stream)
            ended = self._stamp()
            ended.sync()
            taken.append(max(1, _ns(began, ended) // each))
        graph.close()
        return Taken(taken, each * len(taken), places[-1])

    def _prepared(self, call: Call, shape: Sizes, offsets: dict[str, int]) -> Launching:
        types = {parameter.name: parameter.dtype for parameter in self._plan.parameters}
        if call.library:
            self._cublas = self._cublas or Cublas()
            given = [self._base + offsets[n] if n in offsets else shape.scalars[n] for n in call.arguments]
            return self._cublas.gemm_f16(given)
        kernel = self._code.get_kernel(call.entry)
        if call.shared > ASKED_FOR_SHARED:
            attribute = self._driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            checked(
                self._driver.cuKernelSetAttribute(
                    attribute, call.shared, kernel.handle, self._driver.CUdevice(self._card.device_id)
                )
            )
        config = self._core.LaunchConfig(
            grid=tuple(call.grid),
            block=tuple(call.block),
            shmem_size=call.shared,
            programmatic_stream_serialization=call.overlaps,
        )
        values = [
            self._base + offsets[name] if name in offsets else CTYPES[types[name]](shape.scalars[name])
            for name in call.arguments
        ]

        def launching(stream: Any) -> None:
            on = self._side if call.side_stream and stream is self._stream else stream
            self._core.launch(on, config, kernel, *values)

        return launching

    def _keep(self, place: int) -> None:
        offsets, kept = self._layout.place(place), self._layout.snapshots()
        for one in self._layout.outputs:
            source, target = self._base + offsets[one.name], self._host + kept[one.name]
            checked(self._driver.cuMemcpyDtoHAsync(target, source, one.size, self._stream.handle))
        self._stream.sync()

    def _copy(self, begin: int, size: int, *, to_card: bool) -> None:
        host, card = self._host + begin, self._base + begin
        if to_card:
            checked(self._driver.cuMemcpyHtoDAsync(card, host, size, self._stream.handle))
        else:
            checked(self._driver.cuMemcpyDtoHAsync(host, card, size, self._stream.handle))
        self._stream.sync()

    def _stamp(self) -> Any:
        """An event that can be subtracted from another."""
        return self._stream.record(options=self._core.EventOptions(timing_enabled=True))

    def _evict(self) -> None:
        if self._scrub is None:
            size = ROTATED * int(self._card.properties.l2_cache_size)
            self._scrub = self._card.allocate(size, stream=self._stream)
        self._scrub.fill(0, stream=self._stream)


def _ns(began: Any, ended: Any) -> int:
    return max(1, round(float(ended - began) * 1e6))
