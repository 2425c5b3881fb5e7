"""The one table of the llama.cpp engine's flags: the program, its adapter and the documents are made from it.

Pure: nothing here imports the engine itself.
"""

from dataclasses import dataclass
from typing import Literal

CACHE_TYPES = ("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "iq4_nl", "q4_1", "q4_0")
FLASH = {
    "on": "LLAMA_FLASH_ATTN_TYPE_ENABLED",
    "off": "LLAMA_FLASH_ATTN_TYPE_DISABLED",
    "auto": "LLAMA_FLASH_ATTN_TYPE_AUTO",
}
# Ways to draft that need no second model: from what stands before in the same text.
DRAFTING = {
    "none": "COMMON_SPECULATIVE_TYPE_NONE",
    "ngram-simple": "COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE",
    "ngram-mod": "COMMON_SPECULATIVE_TYPE_NGRAM_MOD",
}


@dataclass(frozen=True)
class EngineFlag:
    """One flag: its name without dashes, the attributes of `CommonParams` it sets, and how its word is read."""

    name: str
    attributes: tuple[str, ...]  # dotted paths below CommonParams
    kind: Literal["int", "switch", "texts", "cache", "flash", "drafting"]
    meaning: str

    @property
    def choices(self) -> tuple[str, ...] | None:
        """The words allowed, none where any word of the kind is."""
        words = {"switch": ("on", "off"), "cache": CACHE_TYPES, "flash": tuple(FLASH), "drafting": tuple(DRAFTING)}
        return words.get(self.kind)


FLAGS: tuple[EngineFlag, ...] = (
    EngineFlag("n-parallel", ("n_parallel",), "int", "sequences decoded at once; the context is divided among them"),
    EngineFlag("threads", ("cpuparams.n_threads", "cpuparams_batch.n_threads"), "int", "threads of computation"),
    EngineFlag("threads-http", ("n_threads_http",), "int", "threads that serve connections"),
    EngineFlag("ctx-size", ("n_ctx",), "int", "context of all sequences together, tokens"),
    EngineFlag("batch-size", ("n_batch",), "int", "tokens of prompts taken in one logical batch"),
    EngineFlag("ubatch-size", ("n_ubatch",), "int", "tokens computed in one physical batch"),
    EngineFlag("cache-type-k", ("cache_type_k",), "cache", "number format of the keys in the cache"),
    EngineFlag("cache-type-v", ("cache_type_v",), "cache", "number format of the values in the cache"),
    EngineFlag("flash-attn", ("flash_attn_type",), "flash", "fused attention"),
    EngineFlag("cont-batching", ("cont_batching",), "switch", "new requests join a running batch"),
    EngineFlag("kv-unified", ("kv_unified",), "switch", "one cache shared by all sequences"),
    EngineFlag("swa-full", ("swa_full",), "switch", "full-size cache for layers with a sliding window"),
    EngineFlag("cache-ram", ("cache_ram_mib",), "int", "memory for saved prompts, MiB"),
    EngineFlag("spec-type", ("speculative.types",), "drafting", "speculative decoding: how tokens are drafted"),
    EngineFlag(
        "spec-ngram-simple-size-n",
        ("speculative.ngram_simple.size_n",),
        "int",
        "ngram-simple: tokens that must have stood before",
    ),
    EngineFlag(
        "spec-ngram-simple-size-m",
        ("speculative.ngram_simple.size_m",),
        "int",
        "ngram-simple: most tokens of a draft",
    ),
    EngineFlag("fit", ("fit_params",), "switch", "change settings until they fit into memory (off: refuse instead)"),
    EngineFlag("warmup", ("warmup",), "switch", "one empty run before the server says it is ready"),
    EngineFlag("host", ("hostnames",), "texts", "address to listen on"),
    EngineFlag("port", ("port",), "int", "port to listen on; 0 lets the system choose"),
    EngineFlag("alias", ("model_alias",), "texts", "name under which the model is served"),
    EngineFlag("verbosity", ("verbosity",), "int", "detail of the log; the adapter needs 4"),
)
