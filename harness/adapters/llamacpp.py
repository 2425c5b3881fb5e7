"""llama.cpp: what the lines of its log, `/props` and `/metrics` mean. Read off a log of verbosity 4."""

import re
from collections.abc import Mapping
from typing import Any

from harness.adapters.asking import get_json, get_metrics, served_models
from harness.adapters.base import Counters, EngineReport, Place, command, dashed, gauge, merged_flags
from harness.vocabulary.arm import Arm, text
from harness.vocabulary.base import Scalar
from harness.vocabulary.target import Target

LINES = {
    "ctx-size": re.compile(r"llama_context: n_ctx += (\d+)"),
    "batch-size": re.compile(r"llama_context: n_batch += (\d+)"),
    "ubatch-size": re.compile(r"llama_context: n_ubatch += (\d+)"),
    "n-parallel": re.compile(r"llama_context: n_seq_max += (\d+)"),
    "kv-unified": re.compile(r"llama_context: kv_unified += (true|false)"),
    "threads": re.compile(r"llama threadpool init, n_threads = (\d+)"),
    "threads-http": re.compile(r"using (\d+) threads for HTTP server"),
    "cache-type-k": re.compile(r"llama_kv_cache: size = .*K \((\w+)\)"),
    "cache-type-v": re.compile(r"llama_kv_cache: size = .*V \((\w+)\)"),
}
FLASH_ASKED = re.compile(r"llama_context: flash_attn += (\w+)")
FLASH_RESOLVED = re.compile(r"Flash Attention (?:was )?(?:set to )?(enabled|disabled)")
SWITCHED = {"true": "on", "false": "off", "enabled": "on", "disabled": "off"}
PREFIX = "llamacpp:"


class LlamaCpp:
    """The llama.cpp server that ships with the harness, or any llama.cpp server that takes long flags."""

    name = "llamacpp"
    port_zero = True
    serves_alias = True
    counted: tuple[str, ...] = (f"{PREFIX}prompt_tokens_total", f"{PREFIX}tokens_predicted_total")

    def argv(self, target: Target, arm: Arm | None, place: Place) -> tuple[str, ...]:
        own = {"host": target.endpoint.host, "port": str(place.port), "alias": place.alias}
        return (*command(target), *dashed(merged_flags(target, arm)), *dashed(own))

    def comparable(self, flag: str, value: Scalar) -> str | None:
        if flag == "flash-attn" and value == "auto":
            return None
        return text(value)

    def counters(self, report: EngineReport) -> Counters | None:
        prompt, generated = (report.metrics.get(name) for name in self.counted)
        if prompt is None or generated is None:
            return None
        running, waiting = gauge(report, f"{PREFIX}requests_processing"), gauge(report, f"{PREFIX}requests_deferred")
        return Counters(int(prompt), int(generated), counts_cached=False, running=running, waiting=waiting)

    def kv_tokens(self, report: EngineReport) -> int | None:
        size = report.effective.get("ctx-size", "")
        return int(size) if size.isdigit() else None

    def sampling(self, tokens: int) -> tuple[tuple[str, Scalar], ...]:
        return (("max_tokens", tokens), ("ignore_eos", True), ("cache_prompt", False))

    async def report(self, base_url: str, log: str) -> EngineReport:
        props = await get_json(base_url, "/props")
        metrics = await get_metrics(base_url)
        return EngineReport(
            log=log,
            effective=effective(log, props),
            props=props,
            build=build if isinstance(build := props.get("build_info"), str) else None,
            metrics=metrics.values,
            unread=metrics.unread,
            silent=metrics.silent,
            served_models=await served_models(base_url),
        )


def effective(log: str, props: Mapping[str, Any]) -> dict[str, str]:
    """Flag -> value in force. A line may stand several times; the last one holds, but cache types must all agree."""
    found: dict[str, str] = {}
    for flag, pattern in LINES.items():
        values = pattern.findall(log)
        if values:
            last = "/".join(sorted(set(values))) if flag.startswith("cache-type") else values[-1]
            found[flag] = SWITCHED.get(last, last)
    asked, resolved = FLASH_ASKED.findall(log), FLASH_RESOLVED.findall(log)
    if asked:
        word = resolved[-1] if asked[-1] == "auto" and resolved else asked[-1]
        found["flash-attn"] = SWITCHED.get(word, word)
    if type(props.get("total_slots")) is int:
        found["n-parallel"] = str(props["total_slots"])
    return found
