"""A card for the kernel benchmarks: memory, cubins, launches through a graph, and times. Needs NumPy and cuda-bindings.

It measures what the harness does not: sweeps over many variants in one process, with the card's ceilings in the same
run. A driver is enough; cubins come from `benchmarks/kernel_build.py`.
"""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver

Array = np.ndarray[Any, np.dtype[Any]]
FUNCTION_SHARED = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
DEVICE = driver.CUdevice_attribute


class CardError(RuntimeError):
    """The driver refused a call; the message is the driver's own word."""


def checked(answer: tuple[Any, ...]) -> Any:
    """The values of a driver call without its status. Raises CardError."""
    status, *values = answer
    if int(status) != 0:
        raise CardError(str(status))
    return values[0] if len(values) == 1 else tuple(values)


@dataclass(frozen=True)
class Launch:
    """One launch: a function with its geometry and arguments (value, ctypes type or None for an array's address)."""

    function: Any
    grid: tuple[int, int, int]
    block: int
    shared: int
    arguments: tuple[tuple[int, Any], ...]
    overlaps: bool = False  # may begin while the launch before it runs, and waits for it itself


class Card:
    """The first card of the machine, one stream, nothing shared with other libraries but its context."""

    def __init__(self) -> None:
        checked(driver.cuInit(0))
        self.device = checked(driver.cuDeviceGet(0))
        self.context = checked(driver.cuDevicePrimaryCtxRetain(self.device))
        checked(driver.cuCtxSetCurrent(self.context))
        self.stream = checked(driver.cuStreamCreate(1))
        self._modules: dict[Path, Any] = {}
        self._start, self._end = checked(driver.cuEventCreate(0)), checked(driver.cuEventCreate(0))

    def facts(self) -> dict[str, object]:
        """Name, driver, multiprocessors, L2 and memory of the card."""

        def attribute(name: str) -> int:
            return int(
                checked(driver.cuDeviceGetAttribute(getattr(DEVICE, f"CU_DEVICE_ATTRIBUTE_{name}"), self.device))
            )

        return {
            "card": checked(driver.cuDeviceGetName(100, self.device)).split(b"\0")[0].decode(),
            "driver_api": checked(driver.cuDriverGetVersion()),
            "multiprocessors": attribute("MULTIPROCESSOR_COUNT"),
            "l2_bytes": attribute("L2_CACHE_SIZE"),
            "architecture": f"sm_{attribute('COMPUTE_CAPABILITY_MAJOR')}{attribute('COMPUTE_CAPABILITY_MINOR')}",
        }

    def array(self, size: int) -> int:
        """Address of new memory of so many bytes, filled with 0xFF (NaN in every float type)."""
        address = int(checked(driver.cuMemAlloc(size)))
        self.poison(address, size)
        return address

    def free(self, address: int) -> None:
        checked(driver.cuMemFree(address))

    def poison(self, address: int, size: int) -> None:
        checked(driver.cuMemsetD8(address, 0xFF, size))
        checked(driver.cuCtxSynchronize())

    def put(self, values: Array) -> int:
        """Address of a copy of the array."""
        values = np.ascontiguousarray(values)
        address = int(checked(driver.cuMemAlloc(values.nbytes)))
        checked(driver.cuMemcpyHtoD(address, values.ctypes.data, values.nbytes))
        return address

    def get(self, address: int, shape: Sequence[int], dtype: str) -> Array:
        values = np.empty(shape, dtype)
        checked(driver.cuMemcpyDtoH(values.ctypes.data, address, values.nbytes))
        return values

    def function(self, cubin: Path, entry: str, shared: int) -> Any:
        if cubin not in self._modules:
            self._modules[cubin] = checked(driver.cuModuleLoadData(cubin.read_bytes()))
        function = checked(driver.cuModuleGetFunction(self._modules[cubin], entry.encode()))
        if shared > 48 * 1024:
            checked(driver.cuFuncSetAttribute(function, FUNCTION_SHARED, shared))
        return function

    def launch(self, one: Launch) -> None:
        values = tuple(value for value, _ in one.arguments)
        types = tuple(ctypes.c_void_p if kind is None else kind for _, kind in one.arguments)
        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = one.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = one.block, 1, 1
        config.sharedMemBytes, config.hStream = one.shared, self.stream
        if one.overlaps:
            early = driver.CUlaunchAttribute()
            early.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
            early.value.programmaticStreamSerializationAllowed = 1
            config.attrs, config.numAttrs = [early], 1
        checked(driver.cuLaunchKernelEx(config, one.function, (values, types), 0))

    def copy(self, to: int, source: int, size: int) -> None:
        checked(driver.cuMemcpyDtoDAsync(to, source, size, self.stream))

    def wait(self) -> None:
        checked(driver.cuStreamSynchronize(self.stream))

    def graph(self, work: Callable[[], None]) -> Any:
        """What `work` puts on the stream, as a graph that can be started again and again."""
        checked(driver.cuStreamBeginCapture(self.stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED))
        work()
        captured = checked(driver.cuStreamEndCapture(self.stream))
        graph = checked(driver.cuGraphInstantiate(captured, 0))
        checked(driver.cuGraphUpload(graph, self.stream))
        return graph

    def microseconds(self, graph: Any) -> float:
        """Time of one run of the graph, by events on the stream."""
        checked(driver.cuEventRecord(self._start, self.stream))
        checked(driver.cuGraphLaunch(graph, self.stream))
        checked(driver.cuEventRecord(self._end, self.stream))
        checked(driver.cuEventSynchronize(self._end))
        return float(checked(driver.cuEventElapsedTime(self._start, self._end))) * 1e3


class Gemm:
    """cuBLAS' fp16 product with fp32 sums: c[m,n] = a[m,k] b[n,k]^T, all row-major."""

    HALF, FLOAT_COMPUTE, WORKSPACE_BYTES = 2, 68, 32 << 20

    def __init__(self, card: Card) -> None:
        from cuda.pathfinder import load_nvidia_dynamic_lib  # noqa: PLC0415  only where a card is

        self._library = ctypes.CDLL(load_nvidia_dynamic_lib("cublas").abs_path)
        self._handle = ctypes.c_void_p()
        self._ok(self._library.cublasCreate_v2(ctypes.byref(self._handle)))
        self._ok(self._library.cublasSetStream_v2(self._handle, ctypes.c_void_p(int(card.stream))))
        space = card.array(self.WORKSPACE_BYTES)
        size = ctypes.c_size_t(self.WORKSPACE_BYTES)
        self._ok(self._library.cublasSetWorkspace_v2(self._handle, ctypes.c_void_p(space), size))
        self._one, self._zero = ctypes.c_float(1), ctypes.c_float(0)

    @staticmethod
    def _ok(status: int) -> None:
        if status:
            raise CardError(f"cuBLAS answers {status}")

    def multiply(self, addresses: tuple[int, int, int], m: int, n: int, k: int) -> None:
        """Puts the product on the stream; addresses are those of c, a, b."""
        c, a, b = (ctypes.c_void_p(address) for address in addresses)
        half, one, zero = self.HALF, ctypes.byref(self._one), ctypes.byref(self._zero)
        sides = (one, b, half, k, a, half, k, zero, c, half, n)
        self._ok(self._library.cublasGemmEx(self._handle, 1, 0, n, m, k, *sides, self.FLOAT_COMPUTE, -1))
