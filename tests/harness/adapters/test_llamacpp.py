"""What a real llama.cpp log and report mean."""

from harness.adapters.base import Counters, EngineReport
from harness.adapters.exposition import exposition
from harness.adapters.llamacpp import LlamaCpp, effective

# Lines of a real start at verbosity 4, with --n-parallel 4 --threads 1 --cache-type-k q8_0.
LOG = """\
0.00.002.020 I cmn  common_param: system_info: n_threads = 1 (n_threads_batch = 1) / 2 | CPU : SSE3 = 1
0.00.002.561 I srv          init: using 8 threads for HTTP server
0.01.256.494 I llama_context: n_seq_max             = 4
0.01.256.494 I llama_context: n_ctx                 = 4096
0.01.256.494 I llama_context: n_ctx_seq             = 1024
0.01.256.495 I llama_context: n_batch               = 2048
0.01.256.495 I llama_context: n_ubatch              = 512
0.01.256.496 I llama_context: flash_attn            = auto
0.01.256.496 I llama_context: kv_unified            = false
0.01.264.387 I llama_kv_cache: size = 9.19 MiB (1024 cells, 3 layers, 4/4 seqs), K (q8_0):  3.19 MiB, V (f16): 6.0 MiB
0.01.293.19 I llama_kv_cache: size = 45.94 MiB (1024 cells, 15 layers, 4/4 seqs), K (q8_0): 15.94 MiB, V (f16): 30.0 MiB
0.01.294.213 I resolve_fused_ops: Flash Attention enabled
0.01.297.991 I cmn          init: llama threadpool init, n_threads = 1
"""
METRICS = """\
# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total 516
llamacpp:tokens_predicted_total 788
llamacpp:prompt_seconds_total 0.093475
vllm:generation_tokens_total{engine="0",model_name="a"} 10.0
vllm:generation_tokens_total{engine="1",model_name="a"} 5.0
broken_metric NaN
"""


def test_every_setting_of_a_real_log_is_read() -> None:
    assert effective(LOG, {"total_slots": 4}) == {
        "n-parallel": "4",
        "threads": "1",
        "threads-http": "8",
        "ctx-size": "4096",
        "batch-size": "2048",
        "ubatch-size": "512",
        "kv-unified": "off",
        "cache-type-k": "q8_0",
        "cache-type-v": "f16",
        "flash-attn": "on",
    }


def test_the_engines_report_wins_over_its_log() -> None:
    assert effective(LOG, {"total_slots": 2})["n-parallel"] == "2"


def test_flash_attention_asked_for_is_read_where_nothing_is_resolved() -> None:
    for word, meaning in (("enabled", "on"), ("disabled", "off"), ("auto", "auto")):
        assert effective(f"llama_context: flash_attn            = {word}\n", {})["flash-attn"] == meaning


def test_cache_types_that_differ_between_layers_are_not_one_type() -> None:
    assert effective(LOG.replace("K (q8_0): 15", "K (f16): 15"), {})["cache-type-k"] == "f16/q8_0"


def test_an_empty_log_says_nothing() -> None:
    assert effective("", {}) == {}


def test_auto_cannot_be_compared_and_other_words_are_spelled_as_the_report_does() -> None:
    adapter = LlamaCpp()
    assert adapter.comparable("flash-attn", "auto") is None
    assert adapter.comparable("n-parallel", 4.0) == "4"
    assert adapter.comparable("cache-type-k", "q8_0") == "q8_0"


def test_counters_and_sums_over_labels() -> None:
    metrics = exposition(METRICS).values
    assert metrics["vllm:generation_tokens_total"] == 15 and "broken_metric" not in metrics
    assert LlamaCpp().counters(EngineReport(log="", metrics=metrics)) == Counters(516, 788, False)


def test_answers_are_cold() -> None:
    assert ("cache_prompt", False) in LlamaCpp().sampling(64)
