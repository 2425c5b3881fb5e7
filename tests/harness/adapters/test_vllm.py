"""What a vLLM log means; the lines follow vLLM's own format."""

from harness.adapters.base import Counters, EngineReport
from harness.adapters.vllm import Vllm, build, effective, parsed

LOG = """\
INFO 11-29 14:30:00 [utils.py:233] non-default args: {'max_model_len': 131072, 'tensor_parallel_size': 4}
INFO 11-29 14:30:09 [core.py:70] Initializing a V1 LLM engine (v0.11.0) with config: model='/models/q', \
max_seq_len=131072, tensor_parallel_size=4, quantization=gguf, enforce_eager=False, kv_cache_dtype=auto, \
enable_prefix_caching=True
INFO 11-29 14:31:02 [kv_cache_utils.py:1087] GPU KV cache size: 1,102,176 tokens
"""


def test_settings_come_from_the_engines_configuration_line() -> None:
    assert effective(LOG) == {
        "max-model-len": "131072",
        "tensor-parallel-size": "4",
        "quantization": "gguf",
        "enforce-eager": "false",
        "enable-prefix-caching": "true",
        "kv-cache-dtype": "auto",
        "kv-cache-tokens": "1102176",
    }


def test_the_repeated_request_is_not_taken_for_the_engines_word() -> None:
    assert effective(LOG.splitlines()[0]) == {}


def test_counters_hold_cached_tokens() -> None:
    metrics = {"vllm:prompt_tokens_total": 7.0, "vllm:generation_tokens_total": 9.0}
    assert Vllm().counters(EngineReport(log="", metrics=metrics)) == Counters(7, 9, True)
    assert Vllm().counters(EngineReport(log="")) is None


def test_exactly_so_many_tokens_are_asked_for() -> None:
    assert set(Vllm().sampling(64)) == {("max_tokens", 64), ("min_tokens", 64), ("ignore_eos", True)}


FORK = """\
INFO 05-11 02:00:00 api_server.py:838] args: Namespace(model='/models/q')
INFO 05-11 02:00:01 [utils.py:233] non-default args: {'max_model_len': 131072, 'dtype': 'half', 'x': True, 'l': []}
INFO 05-11 02:00:09 llm_engine.py:234] Initializing a V0 LLM engine (v0.8.5) with config: model='/models/q', \
speculative_config=None, dtype=torch.float16, max_seq_len=65536, tensor_parallel_size=4, enforce_eager=True, \
kv_cache_dtype=auto, device_config=cuda, seed=0, chunked_prefill_enabled=False, compilation_config={"level":0}
INFO 05-11 02:00:10 cuda.py:290] Using XFormers backend.
INFO 05-11 02:00:11 [scheduler.py:207] Chunked prefill is enabled with max_num_batched_tokens=8192.
INFO 05-11 02:00:50 executor_base.py:112] # cuda blocks: 32768, # CPU blocks: 2048
"""


def test_a_forks_older_lines_are_read_too() -> None:
    assert effective(FORK) == {
        "dtype": "float16",
        "max-model-len": "65536",
        "tensor-parallel-size": "4",
        "enforce-eager": "true",
        "kv-cache-dtype": "auto",
        "seed": "0",
        "enable-chunked-prefill": "false",
        "attention-backend": "XFormers",
        "max-num-batched-tokens": "8192",
        "kv-cache-tokens": str(32768 * 16),
    }


def test_the_engines_version_is_read_off_its_log() -> None:
    assert build(FORK) == "vLLM 0.8.5"
    assert build("INFO [api_server.py:1839] vLLM API server version 0.11.0") == "vLLM 0.11.0"
    assert build("INFO ready") is None


def test_a_variable_whose_value_in_force_is_said_is_read() -> None:
    line = "INFO 05-11 02:00:12 [flash_attn_v100.py:88] FLASH_ATTN_V100 decode partition_size=1024"
    assert effective(line) == {"VLLM_FLASH_V100_DECODE_PARTITION_SIZE": "1024"}


def test_what_the_command_line_was_read_as_is_kept_apart() -> None:
    assert parsed(FORK) == {"max-model-len": "131072", "dtype": "float16", "x": "true"}
    assert parsed("non-default args: {broken") == {} and parsed("non-default args: {'a': f()}") == {}
    assert Vllm().comparable("dtype", "half") == "float16"


def test_requests_that_ended_run_and_wait_are_counted() -> None:
    metrics = {
        "vllm:prompt_tokens_total": 7.0,
        "vllm:generation_tokens_total": 9.0,
        "vllm:request_success_total": 3.0,
        "vllm:num_requests_running": 2.0,
        "vllm:num_requests_waiting": 1.0,
    }
    assert Vllm().counters(EngineReport(log="", metrics=metrics)) == Counters(7, 9, True, 3, 2, 1)


def test_the_caches_size_is_the_engines_own_word() -> None:
    assert Vllm().kv_tokens(EngineReport(log="", effective=effective(LOG))) == 1102176
    assert Vllm().kv_tokens(EngineReport(log="")) is None
