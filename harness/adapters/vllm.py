"""vLLM and its forks: flags as `--flag value`, the lines of its log that say what is in force, and its `/metrics`.

The ready line of a vLLM target is its own log's `GPU KV cache size` (lesson S2), written in the target's file. What is
not read is absent.
"""

import ast
import re
from typing import Any

from harness.adapters.asking import get_metrics, served_models
from harness.adapters.base import Counters, EngineReport, Place, command, dashed, gauge, merged_flags
from harness.vocabulary.arm import Arm, normal, text
from harness.vocabulary.base import Scalar
from harness.vocabulary.target import Target

# "Initializing a V1 LLM engine (v0.11.0) with config: model='...', max_seq_len=131072, ...": the engine's own dump.
CONFIG = re.compile(r"LLM engine .*with config: (.*)")
BUILD = re.compile(r"LLM engine \(v([^)]+)\)|vLLM API server version (\S+)")
PAIR = re.compile(r"\b([a-z_]+)=('[^']*'|[^\s,]+)")
RENAMED = {  # names of the dump that are not the flag's own
    "max_seq_len": "max-model-len",
    "chunked_prefill_enabled": "enable-chunked-prefill",
}
READ = frozenset(  # names of the dump that are flags; the others say nothing that a flag could ask for
    {
        "dtype",
        "max_seq_len",
        "tensor_parallel_size",
        "pipeline_parallel_size",
        "data_parallel_size",
        "quantization",
        "enforce_eager",
        "kv_cache_dtype",
        "seed",
        "enable_prefix_caching",
        "enable_chunked_prefill",
        "chunked_prefill_enabled",
        "load_format",
        "disable_custom_all_reduce",
        "trust_remote_code",
        "skip_tokenizer_init",
        "tokenizer_mode",
        "scheduling_policy",
    }
)
# Lines that say a setting beside the dump; the last one holds.
LINES = {
    "max-num-batched-tokens": re.compile(r"max_num_batched_tokens=(\d+)"),
    "max-num-seqs": re.compile(r"max_num_seqs=(\d+)"),
    "attention-backend": re.compile(r"[Uu]sing (\w+) (?:attention )?backend"),
    "block-size": re.compile(r"\bblock_size=(\d+)"),
    "gpu-memory-utilization": re.compile(r"gpu_memory_utilization[=\s]+\(?(0\.\d+)"),
}
# Variables whose value in force the engine or its V100 fork says: a pinned one may be there and do nothing (A5).
VARIABLES = {
    "VLLM_FLASH_V100_DECODE_PARTITION_SIZE": re.compile(r"decode partition_size=(\d+)"),
}
KV_CACHE_TOKENS = re.compile(r"GPU KV cache size: ([\d,]+) tokens")
KV_CACHE_BLOCKS = re.compile(r"# (?:GPU|cuda) blocks: (\d+)")  # the older engine says blocks, of 16 tokens unless asked
BLOCK_TOKENS = 16
# "non-default args: {...}": what the command line was read as. It proves that a flag arrived, not that it holds.
ARGS = re.compile(r"non-default args: (\{.*\})")


class Vllm:
    """vLLM and its forks, started by a command that takes `--flag value`."""

    name = "vllm"
    port_zero = False
    serves_alias = True
    counted: tuple[str, ...] = ("vllm:prompt_tokens_total", "vllm:generation_tokens_total")

    def argv(self, target: Target, arm: Arm | None, place: Place) -> tuple[str, ...]:
        own = {"host": target.endpoint.host, "port": str(place.port), "served-model-name": place.alias}
        return (*command(target), *dashed(merged_flags(target, arm)), *dashed(own))

    def comparable(self, flag: str, value: Scalar) -> str | None:
        return None if value == "auto" else _DTYPES.get(text(value), text(value))

    def counters(self, report: EngineReport) -> Counters | None:
        prompt, generated = (report.metrics.get(name) for name in self.counted)
        if prompt is None or generated is None:
            return None
        return Counters(
            int(prompt),
            int(generated),
            counts_cached=True,
            requests=gauge(report, "vllm:request_success_total"),
            running=gauge(report, "vllm:num_requests_running"),
            waiting=gauge(report, "vllm:num_requests_waiting"),
        )

    def kv_tokens(self, report: EngineReport) -> int | None:
        size = report.effective.get("kv-cache-tokens", "")
        return int(size) if size.isdigit() else None

    def sampling(self, tokens: int) -> tuple[tuple[str, Scalar], ...]:
        return (("max_tokens", tokens), ("min_tokens", tokens), ("ignore_eos", True))

    async def report(self, base_url: str, log: str) -> EngineReport:
        metrics = await get_metrics(base_url)
        return EngineReport(
            log=log,
            effective=effective(log),
            parsed=parsed(log),
            build=build(log),
            metrics=metrics.values,
            unread=metrics.unread,
            silent=metrics.silent,
            served_models=await served_models(base_url),
        )


def build(log: str) -> str | None:
    """The engine's version by its own log, none where it does not say."""
    said = BUILD.search(log)
    return f"vLLM {said[1] or said[2]}" if said else None


_DTYPES = {"half": "float16", "float": "float32"}


def effective(log: str) -> dict[str, str]:
    """Flag or variable -> value in force, from the engine's own dump and lines; and the size of its cache."""
    dumps = CONFIG.findall(log)
    found: dict[str, str] = {}
    for name, value in PAIR.findall(dumps[-1]) if dumps else []:
        if name in READ:
            found[RENAMED.get(name, normal(name))] = _value(value)
    for flag, pattern in (*LINES.items(), *VARIABLES.items()):
        if values := pattern.findall(_without_args(log)):
            found[flag] = _value(values[-1])
    if cache := KV_CACHE_TOKENS.findall(log):
        found["kv-cache-tokens"] = cache[-1].replace(",", "")
    elif blocks := KV_CACHE_BLOCKS.findall(log):
        found["kv-cache-tokens"] = str(int(blocks[-1]) * int(found.get("block-size", BLOCK_TOKENS)))
    return found


def parsed(log: str) -> dict[str, str]:
    """Flag -> value as the engine read its command line; only what is not its default stands there."""
    lines = ARGS.findall(log)
    try:
        args: Any = ast.literal_eval(lines[-1]) if lines else {}
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return {}
    plain = {name: value for name, value in args.items() if isinstance(value, bool | int | float | str)}
    return {normal(str(name)): _DTYPES.get(text(value), text(value)) for name, value in plain.items()}


def _without_args(log: str) -> str:
    """The log without the lines that only repeat the request."""
    return "\n".join(line for line in log.splitlines() if "non-default args" not in line)


def _value(word: str) -> str:
    """A value of the dump in the spelling of a flag."""
    plain = word.strip("'").removeprefix("torch.")
    return plain.lower() if plain in ("True", "False") else plain
