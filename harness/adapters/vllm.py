"""vLLM: flags as `--flag value`, its log's line of settings and its `/metrics`. Minimal: what is not read is absent.

The ready line of a vLLM target is its own log's `GPU KV cache size` (lesson S2), written in the target's file.
"""

import re

from harness.adapters.asking import get_text, prometheus, served_models
from harness.adapters.base import Counters, EngineReport, Place, command, dashed, merged_flags
from harness.vocabulary.arm import Arm, normal, text
from harness.vocabulary.base import Scalar
from harness.vocabulary.target import Target

# "non-default args: {'max_model_len': 131072, 'enforce_eager': True}" repeats the request, so it is not read here;
# the engine's own configuration line is: "Initializing a V1 LLM engine ... with config: max_seq_len=131072, ..."
CONFIG = re.compile(r"LLM engine .*with config: (.*)")
SETTINGS = {
    "max-model-len": re.compile(r"\bmax_seq_len=(\d+)"),
    "tensor-parallel-size": re.compile(r"\btensor_parallel_size=(\d+)"),
    "quantization": re.compile(r"\bquantization=(\w+)"),
    "enforce-eager": re.compile(r"\benforce_eager=(True|False)"),
    "enable-prefix-caching": re.compile(r"\benable_prefix_caching=(True|False)"),
    "kv-cache-dtype": re.compile(r"\bkv_cache_dtype=(\w+)"),
}
KV_CACHE_TOKENS = re.compile(r"GPU KV cache size: ([\d,]+) tokens")


class Vllm:
    """vLLM and its forks, started by a command that takes `--flag value`."""

    name = "vllm"
    port_zero = False
    serves_alias = True

    def argv(self, target: Target, arm: Arm | None, place: Place) -> tuple[str, ...]:
        own = {"host": target.endpoint.host, "port": str(place.port), "served-model-name": place.alias}
        return (*command(target), *dashed(merged_flags(target, arm)), *dashed(own))

    def comparable(self, flag: str, value: Scalar) -> str | None:
        return None if value == "auto" else text(value)

    def counters(self, report: EngineReport) -> Counters | None:
        prompt = report.metrics.get("vllm:prompt_tokens_total")
        generated = report.metrics.get("vllm:generation_tokens_total")
        if prompt is None or generated is None:
            return None
        return Counters(int(prompt), int(generated), counts_cached=True)

    def sampling(self, tokens: int) -> tuple[tuple[str, Scalar], ...]:
        return (("max_tokens", tokens), ("min_tokens", tokens), ("ignore_eos", True))

    async def report(self, base_url: str, log: str) -> EngineReport:
        return EngineReport(
            log=log,
            effective=effective(log),
            metrics=prometheus(await get_text(base_url, "/metrics")),
            served_models=await served_models(base_url),
        )


def effective(log: str) -> dict[str, str]:
    """Flag -> value in force, from the engine's configuration line; and the size of the cache it could allocate."""
    lines = CONFIG.findall(log)
    found: dict[str, str] = {}
    for flag, pattern in SETTINGS.items():
        values = pattern.findall(lines[-1]) if lines else []
        if values:
            found[normal(flag)] = values[-1].lower() if values[-1] in ("True", "False") else values[-1]
    cache = KV_CACHE_TOKENS.findall(log)
    if cache:
        found["kv-cache-tokens"] = cache[-1].replace(",", "")
    return found
