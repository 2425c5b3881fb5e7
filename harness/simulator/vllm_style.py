"""vLLM's log lines and metrics, and those of its V100 fork, which adds its kernels' markers. Pure text."""

import time
from collections.abc import Sequence

from harness.simulator.engine_flags import CARD_GIB, GIB_A_KV_TOKEN, WEIGHTS_GIB, Engine
from harness.simulator.style import Counted

VERSION = "0.11.0"


def stamped(level: str, place: str, text: str) -> str:
    """A line as vLLM's logger writes it."""
    return f"{level} {time.strftime('%m-%d %H:%M:%S')} [{place}] {text}"


class VllmStyle:
    """vLLM V1 with a multiprocess executor."""

    def loading(self, engine: Engine, asked: dict[str, str]) -> Sequence[str]:
        said = {name.replace("-", "_"): _python(value) for name, value in asked.items()}
        return (
            stamped("INFO", "__init__.py:216", "Automatically detected platform cuda."),
            stamped("INFO", "api_server.py:1839", f"vLLM API server version {VERSION} (simulator)"),
            stamped("INFO", "utils.py:233", f"non-default args: {said}"),
            stamped("INFO", "core.py:70", f"Initializing a V1 LLM engine (v{VERSION}) with config: {_config(engine)}"),
        )

    def worker(self, engine: Engine, rank: int, pid: int, markers: Sequence[str]) -> Sequence[str]:
        who = f"(Worker_TP{rank} pid={pid})"
        lines = [
            stamped("INFO", "gpu_model_runner.py:2602", f"Starting to load model {engine.flags['model']}..."),
            stamped("INFO", "default_loader.py:267", "Loading weights took 12.31 seconds"),
            stamped("INFO", "gpu_model_runner.py:2653", f"Model loading took {WEIGHTS_GIB} GiB and 14.02 seconds"),
            *(self.marker(kernel, rank) for kernel in markers),
            stamped("INFO", "gpu_worker.py:298", f"Available KV cache memory: {_kv_gib(engine):.2f} GiB"),
        ]
        return [f"{who} {line}" for line in lines]

    def marker(self, kernel: str, rank: int) -> str:
        """A worker has attached a hand-written kernel."""
        return stamped("INFO", "gguf.py:511", f"{kernel}_READY rank={rank}")

    def loaded(self, engine: Engine, armed: dict[str, int]) -> Sequence[str]:
        tokens = engine.limits.kv_tokens
        return (
            stamped("INFO", "kv_cache_utils.py:1087", f"GPU KV cache size: {tokens:,} tokens"),
            stamped(
                "INFO",
                "kv_cache_utils.py:1091",
                f"Maximum concurrency for {engine.max_len:,} tokens per request: {tokens / engine.max_len:.2f}x",
            ),
            stamped("INFO", "core.py:210", "init engine (profile, create kv cache, warmup model) took 41.27 seconds"),
        )

    def ready(self, engine: Engine, url: str, pid: int) -> Sequence[str]:
        return (
            stamped("INFO", "api_server.py:1912", f"Starting vLLM API server 0 on {url}"),
            f"INFO:     Started server process [{pid}]",
            "INFO:     Waiting for application startup.",
            "INFO:     Application startup complete.",
        )

    def access(self, peer: str, method: str, path: str, status: int) -> str:
        words = {200: "OK", 400: "Bad Request", 404: "Not Found", 503: "Service Unavailable"}
        return f'INFO:     {peer} - "{method} {path} HTTP/1.1" {status} {words.get(status, "")}'.rstrip()

    def statistics(self, prompt_tok_s: float, tok_s: float, counted: Counted) -> str:
        hit = 100 * counted.cache_hits / counted.cache_queries if counted.cache_queries else 0.0
        return stamped(
            "INFO",
            "loggers.py:127",
            f"Engine 000: Avg prompt throughput: {prompt_tok_s:.1f} tokens/s, Avg generation throughput: "
            f"{tok_s:.1f} tokens/s, Running: {counted.running} reqs, Waiting: {counted.waiting} reqs, "
            f"GPU KV cache usage: {100 * counted.kv_share:.1f}%, Prefix cache hit rate: {hit:.1f}%",
        )

    def worker_died(self, rank: int) -> Sequence[str]:
        return (
            stamped(
                "ERROR",
                "multiproc_executor.py:154",
                f"Worker proc VllmWorker-{rank} died unexpectedly, shutting down executor.",
            ),
            *_dead(),
        )

    def timed_out(self, timeout_s: float) -> Sequence[str]:
        waited = f"No available shared memory broadcast block found in {timeout_s:g} seconds."
        return (
            stamped("INFO", "shm_broadcast.py:466", waited),
            stamped("ERROR", "core.py:710", "EngineCore encountered a fatal error."),
            stamped("ERROR", "core.py:710", "TimeoutError: RPC call to execute_model timed out."),
            *_dead(),
        )

    def metrics(self, engine: Engine, counted: Counted) -> str:
        c = counted
        samples = (
            ("num_requests_running", "gauge", c.running),
            ("num_requests_waiting", "gauge", c.waiting),
            ("kv_cache_usage_perc", "gauge", c.kv_share),
            ("prefix_cache_queries_total", "counter", c.cache_queries),
            ("prefix_cache_hits_total", "counter", c.cache_hits),
            ("num_preemptions_total", "counter", 0),
            ("prompt_tokens_total", "counter", c.prompt_tokens),
            ("generation_tokens_total", "counter", c.generated_tokens),
            ("time_to_first_token_seconds_sum", "counter", c.ttft_sum_s),
            ("time_to_first_token_seconds_count", "counter", c.finished),
            ("spec_decode_num_drafts_total", "counter", c.drafts),
            ("spec_decode_num_draft_tokens_total", "counter", c.drafted),
            ("spec_decode_num_accepted_tokens_total", "counter", c.accepted),
        )
        labels = f'engine="0",model_name="{engine.name}"'
        lines = [f"# TYPE vllm:{name} {kind}\nvllm:{name}{{{labels}}} {float(value)}" for name, kind, value in samples]
        for reason, value in (("length", c.finished - c.stopped), ("stop", c.stopped), ("abort", c.aborted)):
            lines.append(f'vllm:request_success_total{{{labels},finished_reason="{reason}"}} {float(value)}')
        return "\n".join(lines) + "\n"


class ForkStyle(VllmStyle):
    """The V100 fork of the seeds: kernels attached on k of k workers, and a partition size it derives itself."""

    def loaded(self, engine: Engine, armed: dict[str, int]) -> Sequence[str]:
        first, *rest = super().loaded(engine, armed)
        return (
            stamped("INFO", "flash_attn_v100.py:88", f"FLASH_ATTN_V100 decode partition_size={engine.partition}"),
            *(
                stamped("INFO", "gguf.py:540", f"{kernel} attached on {count} workers ({count}/{engine.workers})")
                for kernel, count in armed.items()
            ),
            first,
            *rest,
        )


def _dead() -> tuple[str, ...]:
    return (
        stamped(
            "ERROR",
            "async_llm.py:480",
            "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for "
            "the root cause.",
        ),
    )


def _kv_gib(engine: Engine) -> float:
    return max(0.0, min(CARD_GIB, engine.limits.kv_tokens * GIB_A_KV_TOKEN))


def _python(value: str) -> str | int | bool:
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.isdigit() else value


def _config(engine: Engine) -> str:
    flags = engine.flags
    eager, caching = _python(flags["enforce-eager"]), _python(flags["enable-prefix-caching"])
    return (
        f"model={flags['model']!r}, speculative_config={_drafting(engine)}, dtype=torch.{flags['dtype']}, "
        f"max_seq_len={engine.max_len}, tensor_parallel_size={flags['tensor-parallel-size']}, "
        f"pipeline_parallel_size=1, quantization={flags['quantization']}, enforce_eager={eager}, "
        f"kv_cache_dtype={flags['kv-cache-dtype']}, device_config=cuda, seed=0, served_model_name={engine.name}, "
        f"enable_prefix_caching={caching}, chunked_prefill_enabled=True, max_num_seqs={flags['max-num-seqs']}, "
        f"max_num_batched_tokens={flags['max-num-batched-tokens']}, scheduling_policy={flags['scheduling-policy']}, "
        f"gpu_memory_utilization={flags['gpu-memory-utilization']}"
    )


def _drafting(engine: Engine) -> str:
    tokens = engine.pace.drafting.tokens
    return f"SpeculativeConfig(method='mtp', num_spec_tokens={tokens})" if tokens else "None"
