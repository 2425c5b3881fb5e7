"""The words in which real engines refuse to start (S3, S6, S7, S8), and when the simulated one says them. Pure."""

from collections.abc import Sequence

from harness.simulator.engine_flags import CARD_GIB, Engine
from harness.simulator.faults import Fault, Faults
from harness.simulator.settings import Settings, numbers
from harness.simulator.vllm_style import stamped

TRACE = "Traceback (most recent call last):"

WORDS: dict[Fault, tuple[str, ...]] = {
    Fault.UNSUPPORTED_PARTITION: (TRACE, "RuntimeError: Unsupported decode partition_size: {partition}"),
    Fault.NO_CACHE_BLOCKS: (
        TRACE,
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when "
        "initializing the engine.",
    ),
    Fault.LOW_FREE_MEMORY: (
        TRACE,
        "ValueError: Free memory on device cuda:3 (17.32/31.73 GiB) on startup is less than desired GPU memory "
        "utilization ({utilization}, {wanted:.2f} GiB). Decrease GPU memory utilization or reduce GPU memory used by "
        "other processes.",
    ),
    Fault.STUB_LIBRARY: (
        "ncclUnhandledCudaError: Call to CUDA function failed. Cuda failure 34 'CUDA driver is a stub library'",
        "RuntimeError: NCCL error: unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
    ),
    Fault.ENGINE_TIMEOUT_AT_START: (
        TRACE,
        '  File "vllm/distributed/device_communicators/shm_broadcast.py", line 456, in acquire_read',
        "TimeoutError: RPC call to determine_available_memory timed out.",
        "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the "
        "root cause.",
    ),
    Fault.INSTRUMENTED_GRAPH: (
        "torch._dynamo.exc.Unsupported: Attempted to call function marked as skipped",
        "  Explanation: module: time, qualname: perf_counter, skip reason: <missing reason>",
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {{}}",
    ),
    Fault.OUT_OF_MEMORY: (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 2 has a total capacity of 31.73 "
        "GiB of which 1.12 GiB is free.",
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {{}}",
    ),
    Fault.PORT_IN_USE: ("OSError: [Errno 98] Address already in use",),
    Fault.TRUNCATED_MODEL: (
        "llama_model_load: error loading model: tensor 'blk.64.ffn_up.weight' data is not within the file bounds, "
        "model is corrupted or incomplete",
        "RuntimeError: failed to load model '{model}'",
    ),
    Fault.UNKNOWN_ARCHITECTURE: (
        "llama_model_load: error loading model: error loading model architecture: unknown model architecture: "
        "'muse-glimmer'",
        "RuntimeError: failed to load model '{model}'",
    ),
}


def refusal(settings: Settings, engine: Engine) -> Sequence[str] | None:
    """The last lines of a start that fails, by a fault or because such settings cannot work; none if it starts."""
    fault = _fault(settings.faults) or _natural(settings, engine)
    if fault is None:
        return None
    utilization = engine.flags.get("gpu-memory-utilization", "0.85")
    partition = settings.faults.word(Fault.UNSUPPORTED_PARTITION, str(engine.partition))
    values = {
        "partition": partition,
        "utilization": utilization,
        "wanted": float(utilization) * CARD_GIB,
        "model": engine.flags["model"],
    }
    lines = [line.format(**values) for line in WORDS[fault]]
    return lines if engine.style == "llamacpp" else [stamped("ERROR", "core.py:708", line) for line in lines]


def _fault(faults: Faults) -> Fault | None:
    return next((fault for fault in WORDS if fault in faults), None)


def _natural(settings: Settings, engine: Engine) -> Fault | None:
    """What a real engine with these flags would refuse as well."""
    if engine.style == "v100-fork" and engine.partition not in numbers(settings.text("partitions")):
        return Fault.UNSUPPORTED_PARTITION
    if engine.limits.kv_tokens <= 0:
        return Fault.NO_CACHE_BLOCKS
    return None
