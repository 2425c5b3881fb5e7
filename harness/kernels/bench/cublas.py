"""The one library call that an arm may be made of: an fp16 product by cuBLAS, loaded from the machine with the card."""

import ctypes
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from harness.kernels.bench.reasons import Reason
from harness.kernels.bench.trouble import Trouble

NAMES = ("libcublas.so.12", "libcublas.so.13", "libcublas.so")
TRANSPOSED, PLAIN = 1, 0  # cublasOperation_t
FP16, FP32_SUMS = 2, 68  # cudaDataType_t CUDA_R_16F, cublasComputeType_t CUBLAS_COMPUTE_32F
BY_ITSELF = -1  # cublasGemmAlgo_t CUBLAS_GEMM_DEFAULT


class Cublas:
    """A handle of the library. Raises Trouble where there is none."""

    def __init__(self) -> None:
        """Find the library, in the loader's path or in a wheel, and make a handle."""
        self._library = _loaded()
        self._handle = ctypes.c_void_p()
        self._ok(self._library.cublasCreate_v2(ctypes.byref(self._handle)))

    def gemm_f16(self, values: Sequence[int]) -> Callable[[Any], None]:
        """c[m,n] = a[m,k] b[n,k]^T, row-major, given c, a, b, m, n, k; sums in fp32."""
        c, a, b, m, n, k = values
        one, zero = ctypes.c_float(1), ctypes.c_float(0)

        def launching(stream: Any) -> None:
            handle = getattr(getattr(stream, "stream", stream), "handle", stream)
            self._ok(self._library.cublasSetStream_v2(self._handle, ctypes.c_void_p(int(handle))))
            self._ok(
                self._library.cublasGemmEx(
                    self._handle, TRANSPOSED, PLAIN, n, m, k, ctypes.byref(one),
                    ctypes.c_void_p(b), FP16, k, ctypes.c_void_p(a), FP16, k, ctypes.byref(zero),
                    ctypes.c_void_p(c), FP16, n, FP32_SUMS, BY_ITSELF,
                )
            )  # fmt: skip

        return launching

    def _ok(self, status: int) -> None:
        if status != 0:
            raise Trouble(Reason.CRASHED, f"cuBLAS answers with status {status}")


def _loaded() -> ctypes.CDLL:
    wheels = [Path(folder) / "nvidia" / part / "lib" for folder in sys.path for part in ("cublas", "cu13", "cu12")]
    for name in NAMES:
        for place in (name, *(str(folder / name) for folder in wheels if (folder / name).is_file())):
            try:
                return ctypes.CDLL(place)
            except OSError:
                continue
    raise Trouble(Reason.LOAD_FAILED, "cuBLAS is not on this machine; install nvidia-cublas-cu12")
