"""Reads a model's own files, GGUF or safetensors with its settings, into one header. Looks only; loads nothing."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.overlay import gguf, safetensors
from harness.rules.model_header import ModelHeader

END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")
SETTINGS, GENERATION = "config.json", "generation_config.json"
MOST_COUNT = 1 << 40  # of blocks, heads, tokens, numbers: more is no model's
LARGEST_SETTINGS = 16 << 20  # bytes
# Tensors that only a recurrent layer has, with the number of their block: GGUF's names and those of safetensors models.
RECURRENT = re.compile(r"^(?:blk|.*layers)\.(\d+)\.(?:ssm_|linear_attn\.|mamba\.|mixer\.A_log|time_mix_)")
FORMATS = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 10: "Q2_K", 11: "Q3_K"} | {
    12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 16: "IQ2_XXS", 18: "IQ3_XXS", 20: "IQ4_NL", 21: "IQ3_S", 23: "IQ4_XS",
    30: "BF16", 39: "MXFP4",
}  # fmt: skip


def is_model(path: Path) -> bool:
    """Whether a header can be read there: a GGUF or safetensors file, an index, or a folder of safetensors files."""
    if path.is_dir():
        return any(path.glob("*.safetensors")) or any(path.glob(f"*{safetensors.INDEX}"))
    return path.is_file() and path.name.endswith((".gguf", ".safetensors", safetensors.INDEX))


def read_header(path: Path) -> ModelHeader:
    """What the files say; files that are not whole have their fault."""
    if path.is_dir() or path.name.endswith((".safetensors", safetensors.INDEX)):
        return _of_safetensors(path)
    if path.exists() and not path.is_file():  # a pipe would be waited for
        return ModelHeader(path.name, fault="it is no regular file")
    return _of_gguf(path)


def _of_gguf(path: Path) -> ModelHeader:
    whole = gguf.look_at_all(path)
    if isinstance(whole, str):
        return ModelHeader(path.name, fault=whole)
    parts = [gguf.read_contents(part) for part in gguf.part_paths(path, whole.parts)]
    read = [part for part in parts if not isinstance(part, str)]
    tensors = [tensor for part in read for tensor in part.tensors]
    said, lists, family = read[0].known, read[0].lists, whole.architecture

    def number(key: str) -> int | None:
        return _count(said.get(f"{family}.{key}"))

    by_block = lists.get(f"{family}.attention.head_count_kv", ())
    ends = (said.get(f"tokenizer.ggml.{key}") for key in END_KEYS)
    heads = number("attention.head_count") or max(lists.get(f"{family}.attention.head_count", ()), default=0) or None
    length = _over(number("embedding_length"), heads)
    return ModelHeader(
        path.name,
        family,
        context_length=number("context_length"),
        blocks=number("block_count"),
        attention_interval=number("full_attention_interval"),
        kv_heads=max(by_block, default=0) or number("attention.head_count_kv") or heads,
        key_length=number("attention.key_length") or length,
        value_length=number("attention.value_length") or length,
        end_ids=tuple(end for end in ends if isinstance(end, int) and end >= 0),
        heads=heads,
        attention_blocks=sum(count > 0 for count in by_block) or None,
        recurrent_blocks=recurrent_blocks(name for name, _ in tensors),
        draft_blocks=number("nextn_predict_layers") or 0,
        window=number("attention.sliding_window") or None,
        compressed=number("attention.kv_lora_rank") is not None,
        number_format=_commonest(FORMATS.get(kind, f"format {kind}") for _, kind in tensors if kind != 0),
        tensors=whole.tensors,
        weight_bytes=whole.size - sum(part.whole.header_bytes for part in read),
        parts=whole.parts,
    )


def _of_safetensors(path: Path) -> ModelHeader:
    whole = safetensors.look_at_all(path)
    if isinstance(whole, str):
        return ModelHeader(path.name, fault=whole)
    folder = path if path.is_dir() else path.parent
    read = _settings(folder / SETTINGS)
    if isinstance(read, str):
        return ModelHeader(path.name, fault=f"{SETTINGS}: {read}")
    inner = read.get("text_config")
    said: Mapping[str, Any] = inner if isinstance(inner, dict) else read

    def number(*keys: str) -> int | None:
        return next((count for key in keys if (count := _count(said.get(key))) is not None), None)

    generation = _settings(folder / GENERATION)
    heads = number("num_attention_heads", "n_head")
    length = number("head_dim") or _over(number("hidden_size", "n_embd"), heads)
    return ModelHeader(
        path.name,
        str(read.get("model_type", "")),
        context_length=number("max_position_embeddings", "n_positions"),
        blocks=number("num_hidden_layers", "n_layer"),
        attention_interval=number("full_attention_interval"),
        kv_heads=number("num_key_value_heads") or heads,
        key_length=length,
        value_length=number("v_head_dim") or length,
        end_ids=_ends(generation if isinstance(generation, dict) else {}) or _ends(read) or _ends(said),
        heads=heads,
        attention_blocks=_kept(said.get("layer_types")),
        recurrent_blocks=recurrent_blocks(name for name, _ in whole.tensors),
        draft_blocks=number("num_nextn_predict_layers", "mtp_num_hidden_layers") or 0,
        window=number("sliding_window") if said.get("use_sliding_window", True) else None,
        compressed=number("kv_lora_rank") is not None,
        number_format=_commonest(kind for _, kind in whole.tensors),
        tensors=len(whole.tensors),
        weight_bytes=whole.weight_bytes,
        parts=whole.parts,
    )


def recurrent_blocks(names: Iterable[str]) -> int | None:
    """How many blocks have tensors of a recurrent layer; none if no block has."""
    return len({found[1] for name in names if (found := RECURRENT.match(name))}) or None


def _settings(path: Path) -> dict[str, Any] | str:
    """A JSON object of settings, or one sentence."""
    try:
        if path.stat().st_size > LARGEST_SETTINGS:
            return "it is too large for settings"
        read = json.loads(path.read_bytes())
    except OSError as error:
        return f"it cannot be read ({error.strerror}); without it the sizes of keys and values are not known"
    except (ValueError, RecursionError):
        return "it is no JSON; fetch it again"
    return read if isinstance(read, dict) else "it is no JSON object; fetch it again"


def _ends(said: Mapping[str, Any]) -> tuple[int, ...]:
    ends = said.get("eos_token_id")
    return tuple(end for end in (ends if isinstance(ends, list) else [ends]) if type(end) is int)


def _count(value: Any) -> int | None:
    """A whole number that a model's header may hold; none for anything else."""
    return value if type(value) is int and 0 < value <= MOST_COUNT else None


def _kept(kinds: Any) -> int | None:
    """Layers with an attention that keeps keys and values, of a list of kinds; none without one."""
    names = [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else []
    return sum(name.endswith("attention") and not name.startswith("linear") for name in names) or None


def _over(length: int | None, heads: int | None) -> int | None:
    return length // heads if length and heads else None


def _commonest(formats: Iterable[str]) -> str:
    counted = Counter(formats).most_common(1)
    return counted[0][0] if counted else ""
