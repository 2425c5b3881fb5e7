"""What a vLLM log means; the lines follow vLLM's own format."""

from harness.adapters.base import Counters, EngineReport
from harness.adapters.vllm import Vllm, effective

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
