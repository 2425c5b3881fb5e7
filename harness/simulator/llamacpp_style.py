"""llama.cpp's log lines at verbosity 4 and its metrics, as a real start writes them. Pure text."""

import time
from collections.abc import Sequence

from harness.simulator.engine_flags import Engine
from harness.simulator.style import Counted

_SWITCH = {"on": "enabled", "off": "disabled", "auto": "auto"}


class LlamaCppStyle:
    """One process with worker processes that only this simulator has."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def loading(self, engine: Engine, asked: dict[str, str]) -> Sequence[str]:
        flags = engine.flags
        seats = engine.number("n-parallel")
        context = {
            "n_seq_max": seats,
            "n_ctx": flags["ctx-size"],
            "n_ctx_seq": engine.max_len // seats,
            "n_batch": flags["batch-size"],
            "n_ubatch": flags["ubatch-size"],
            "flash_attn": _SWITCH.get(flags["flash-attn"], flags["flash-attn"]),
            "kv_unified": "true" if flags["kv-unified"] == "on" else "false",
        }
        k, v = flags["cache-type-k"], flags["cache-type-v"]
        return self._lines(
            "cmn  common_param: system_info: simulator of llama.cpp, no model is loaded",
            f"srv          init: using {flags['threads-http']} threads for HTTP server",
            *(f"load_tensors: {name:>12} model buffer size = 3746.20 MiB" for name in _buffers(engine)),
            *(f"llama_context: {name:21} = {value}" for name, value in context.items()),
            f"llama_kv_cache: size = 45.94 MiB ({engine.max_len} cells, 15 layers), K ({k}): 16 MiB, V ({v}): 30 MiB",
            *(("resolve_fused_ops: Flash Attention enabled",) if flags["flash-attn"] == "auto" else ()),
            f"cmn          init: llama threadpool init, n_threads = {flags['threads']}",
        )

    def worker(self, engine: Engine, rank: int, pid: int, markers: Sequence[str]) -> Sequence[str]:
        return self._lines(
            f"load_tensors: worker {rank} pid {pid} took its part of the weights",
            *(f"ggml_cuda_init: {kernel}_READY rank={rank}" for kernel in markers),
        )

    def loaded(self, engine: Engine, armed: dict[str, int]) -> Sequence[str]:
        return self._lines(
            *(f"ggml_cuda_init: {kernel} attached on {count} workers" for kernel, count in armed.items()),
            "srv          main: model loaded",
        )

    def ready(self, engine: Engine, url: str, pid: int) -> Sequence[str]:
        return self._lines(f"srv          main: server is listening on {url}", "srv  update_slots: all slots are idle")

    def access(self, peer: str, method: str, path: str, status: int) -> str:
        return self._lines(f"srv  log_server_r: done request: {method} {path} {peer.partition(':')[0]} {status}")[0]

    def statistics(self, prompt_tok_s: float, tok_s: float, counted: Counted) -> str:
        return ""

    def worker_died(self, rank: int) -> Sequence[str]:
        return (f"{self._at()} E ggml_cuda_error: worker {rank} is gone",)

    def timed_out(self, timeout_s: float) -> Sequence[str]:
        return (f"{self._at()} E srv  update_slots: no answer within {timeout_s:g} s",)

    def metrics(self, engine: Engine, counted: Counted) -> str:
        c = counted
        samples = (
            ("prompt_tokens_total", "counter", c.prompt_tokens - c.cache_hits),
            ("prompt_seconds_total", "counter", round(c.prompt_s, 6)),
            ("tokens_predicted_total", "counter", c.generated_tokens),
            ("tokens_predicted_seconds_total", "counter", round(c.decode_s, 6)),
            ("n_decode_total", "counter", c.decode_calls),
            ("prompt_tokens_seconds", "gauge", round(c.prompt_tokens / c.prompt_s, 4) if c.prompt_s else 0),
            ("predicted_tokens_seconds", "gauge", round(c.generated_tokens / c.decode_s, 4) if c.decode_s else 0),
            ("requests_processing", "gauge", c.running),
            ("requests_deferred", "gauge", c.waiting),
        )
        return "".join(f"# TYPE llamacpp:{name} {kind}\nllamacpp:{name} {value}\n" for name, kind, value in samples)

    def _lines(self, *texts: str) -> tuple[str, ...]:
        return tuple(f"{self._at()} I {text}" for text in texts)

    def _at(self) -> str:
        """Minutes, seconds, milliseconds and microseconds since the start."""
        micros = int((time.monotonic() - self._began) * 1e6)
        return f"{micros // 60_000_000}.{micros // 1_000_000 % 60:02}.{micros // 1000 % 1000:03}.{micros % 1000:03}"


def _buffers(engine: Engine) -> tuple[str, ...]:
    """The cards that take weights, as the real log names them: all of them unless a mode keeps to one (A8)."""
    if engine.flags["split-mode"] == "none":
        return ("CUDA0",)
    cards = tuple(f"CUDA{rank}" for rank in range(engine.workers))
    return ("CUDA_Split", *cards) if engine.flags["split-mode"] == "row" else cards
