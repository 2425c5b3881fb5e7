"""Causes of failed starts, each recognised in lines as the engines write them, and nothing in a healthy log."""

import re
from pathlib import Path

import pytest

from harness.gates.startup import Failures, known_failures, recognised
from harness.shortened import shortened
from harness.vocabulary.base import BadFileError
from harness.vocabulary.outcome import Reason

# Lines as vLLM, its V100 fork and llama.cpp write them; the seeds' own are the first, the third and the fifth.
LINES = [
    ("RuntimeError: Unsupported decode partition_size: 2048", Reason.UNSUPPORTED_PARTITION),
    ("ValueError: partition size 2048 is not supported", Reason.UNSUPPORTED_PARTITION),
    (
        "ValueError: Free memory on device cuda:3 (17.32/31.73 GiB) on startup is less than desired GPU memory "
        "utilization (0.9, 28.56 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.",
        Reason.MEMORY_NOT_FREE,
    ),
    (
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when "
        "initializing the engine.",
        Reason.NO_CACHE_BLOCKS,
    ),
    ("ncclUnhandledCudaError: ... Cuda failure 34 'CUDA driver is a stub library'", Reason.DRIVER_MISMATCH),
    (
        "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored "
        "in KV cache (57344).",
        Reason.NO_CACHE_BLOCKS,
    ),
    (
        "(EngineCore_0 pid=7) ValueError: To serve at least one request with the models's max seq len (131072), "
        "(16.00 GiB KV cache is needed, which is larger than the available KV cache memory (5.63 GiB).",
        Reason.NO_CACHE_BLOCKS,
    ),
    ("ValueError: Unsupported attention implementation: 'x'. Must be one of {'eager', 'sdpa'}", Reason.BAD_VALUE),
    ("TimeoutError: RPC call to execute_model timed out.", Reason.ENGINE_TIMED_OUT),
    ("[rank2]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)", Reason.ENGINE_TIMED_OUT),
    ("OSError: [Errno 98] Address already in use", Reason.PORT_IN_USE),
    ("0.01.234 E start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080", Reason.PORT_IN_USE),
    ("vllm: error: unrecognized arguments: --num-kv-split 96", Reason.UNKNOWN_FLAG),
    ("error: invalid argument: --n-paralel", Reason.UNKNOWN_FLAG),
    ("ImportError: libnccl.so.2: cannot open shared object file: No such file or directory", Reason.OBJECT_MISSING),
    ("ImportError: flash_attn_v100.so: undefined symbol: _ZN3c104cuda9SetDeviceEi", Reason.OBJECT_MISSING),
    ("RuntimeError: CUDA error: no kernel image is available for execution on the device", Reason.UNSUPPORTED_HERE),
    (
        "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla V100 has "
        "compute capability 7.0.",
        Reason.UNSUPPORTED_HERE,
    ),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB.", Reason.OUT_OF_MEMORY),
    (
        "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9728.00 MiB on device 0: cudaMalloc failed: out of "
        "memory",
        Reason.OUT_OF_MEMORY,
    ),
    ("gguf_init_from_file_impl: invalid magic characters: '<htm', expected 'GGUF'", Reason.MODEL_UNREADABLE),
    (
        "llama_model_load: error loading model: tensor 'blk.7.ffn_up.weight' data is not within the file bounds, model "
        "is corrupted or incomplete",
        Reason.MODEL_UNREADABLE,
    ),
    ("gguf_init_from_file: failed to open GGUF file '/m/iq4.gguf'", Reason.MODEL_MISSING),
    (
        "OSError: /m/q is not a local folder and is not a valid model identifier listed on the hub",
        Reason.MODEL_MISSING,
    ),
    ("llama_model_load: error loading model: unknown model architecture: 'muse'", Reason.MODEL_TOO_NEW),
    ("RuntimeError: CUDA error: operation not permitted when stream is capturing", Reason.INSTRUMENTED_GRAPH),
    ("(EngineCore_0 pid=9) ERROR 11-29 02:00:00 core.py:708 TimeoutError", Reason.ENGINE_TIMED_OUT),
    (
        "ERROR multiproc_executor.py:154 Worker proc VllmWorker-2 died unexpectedly, shutting",
        Reason.WORKER_FAILED,
    ),
    ("llama_init_from_model: V cache quantization requires flash_attn", Reason.BAD_VALUE),
    ("vllm serve: error: argument --max-num-seqs: invalid int value: '2,4'", Reason.BAD_VALUE),
    (
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
        Reason.WORKER_FAILED,
    ),
]
HEALTHY = """\
INFO 11-29 02:00:01 [utils.py:233] non-default args: {'max_model_len': 131072}
WARNING 11-29 02:00:02 [cuda.py:40] Failed to import flash attention 3; using the fallback
INFO 11-29 02:00:40 [gpu_worker.py:276] Available KV cache memory: 20.01 GiB
INFO 11-29 02:00:41 [kv_cache_utils.py:1087] GPU KV cache size: 1,048,576 tokens
srv  load_model: loading model '/m/gemma.gguf'
main: server is listening on http://127.0.0.1:8080
"""


@pytest.mark.parametrize(("line", "reason"), LINES)
def test_each_cause_is_named_with_its_line_and_what_to_do(line: str, reason: Reason) -> None:
    cause = recognised(f"{HEALTHY}{line}\nTraceback (most recent call last):\n")
    assert cause is not None and cause.reason is reason
    assert f"log line 7: {shortened(' '.join(line.split()), 200)!r}" in cause.sentence
    assert cause.sentence.endswith(next(failure.do for failure in known_failures() if failure.reason is reason))


def test_a_healthy_log_and_an_empty_one_show_no_cause() -> None:
    assert recognised(HEALTHY) is None and recognised("") is None


def test_what_says_why_goes_before_what_says_that_a_worker_ended() -> None:
    end = "RuntimeError: Engine core initialization failed. See root cause above."
    log = f"{end}\nValueError: No available memory for the cache blocks.\nEngineDeadError\n"
    cause = recognised(log)
    assert cause is not None and cause.reason is Reason.NO_CACHE_BLOCKS and "log line 2" in cause.sentence


def test_every_cause_has_a_line_above_and_every_pattern_is_used() -> None:
    assert {failure.reason for failure in known_failures()} == {reason for _, reason in LINES}
    for failure in known_failures():
        assert all(re.compile(pattern) for pattern in failure.patterns)


def test_a_damaged_table_is_refused_in_one_sentence() -> None:
    with pytest.raises(BadFileError, match=r"failure\.0\.reason"):
        Failures.from_mapping(
            {"failure": [{"reason": "tired", "title": "t", "patterns": ["x"], "do": "rest"}]}, "table"
        )


def test_a_long_line_costs_no_more_than_its_limit() -> None:
    assert recognised("x" * 3000 + "CUDA out of memory") is None


def test_the_page_lists_every_cause_as_the_table_does() -> None:
    page = (Path(__file__).parents[3] / "docs" / "gates-and-metrics.md").read_text(encoding="utf-8")
    for failure in known_failures():
        assert f"| `{failure.reason}` | {failure.title} | {failure.do} |" in page
