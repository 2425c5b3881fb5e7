"""A model's own files say what its cache and its context are, whatever the format; a bad file gets one sentence."""

import json
from pathlib import Path

import pytest

from harness.analyses.answer import Answer, NoNumber
from harness.vocabulary.base import BadFileError
from harness.workflow.analyse import kind
from harness.workflow.model_files import is_model, read_header
from tests.harness.overlay.models import Keys, gguf_model, safetensors_file, sharded

# The campaign's model: 65 blocks, full attention every fourth, 24 heads of queries, 4 of keys and values, length 256.
FABLE: Keys = {
    "general.architecture": "qwen35",
    "qwen35.context_length": 262144,
    "qwen35.block_count": 65,
    "qwen35.full_attention_interval": 4,
    "qwen35.attention.head_count": 24,
    "qwen35.attention.head_count_kv": 4,
    "qwen35.attention.key_length": 256,
    "qwen35.attention.value_length": 256,
    "tokenizer.ggml.eos_token_id": 151645,
}
RECURRENT = [f"blk.{block}.ssm_out.weight" for block in range(64) if (block + 1) % 4]
INPUTS = "context_tokens = {context}\nusers = 8\ncards = 4\nbudgets = [131072]\nmodel = '{model}'\n"


def answered(tmp_path: Path, model: Path, more: str = "", context: int = 131072) -> Answer:
    inputs = tmp_path / "inputs.toml"
    inputs.write_text(INPUTS.format(context=context, model=model) + more)
    answer = kind("memory").answer(inputs)
    assert isinstance(answer, Answer)
    return answer


def written(tmp_path: Path, keys: Keys, tensors: list[str]) -> Path:
    path = tmp_path / "fable.gguf"
    path.write_bytes(gguf_model(keys, tensors))
    return path


def test_a_gguf_header_says_heads_context_and_recurrent_blocks(tmp_path: Path) -> None:
    header = read_header(written(tmp_path, FABLE, [*RECURRENT, "output.weight"]))
    assert (header.architecture, header.context_length, header.blocks) == ("qwen35", 262144, 65)
    assert (header.heads, header.kv_heads, header.key_length, header.value_length) == (24, 4, 256, 256)
    assert (header.recurrent_blocks, header.kept_blocks, header.end_ids) == (48, 17, (151645,))
    assert header.tensors == 49 and header.weight_bytes is not None
    assert 0 <= header.weight_bytes - 49 * 32 < 32  # and the padding before them


def test_48_or_49_recurrent_blocks_is_settled_by_tensors_or_said_to_be_open(tmp_path: Path) -> None:
    """The page says 48, the telemetry 49: 65 blocks and every fourth with attention give both readings."""
    by_tensors = answered(tmp_path, written(tmp_path, FABLE, RECURRENT))
    assert by_tensors.value("recurrent blocks by their tensors") == 48
    assert any(
        "49 recurrent ones, or 48 if the last 1 only draft; 48 blocks have" in one for one in by_tensors.cautions
    )
    by_interval = answered(tmp_path, written(tmp_path, FABLE, ["output.weight"]))
    assert by_interval.value("blocks that keep keys and values") == 16
    assert any("49 recurrent ones, or 48" in one and "does not say which" in one for one in by_interval.cautions)


def test_the_cache_and_the_weights_come_from_the_header(tmp_path: Path) -> None:
    model = written(tmp_path, FABLE, RECURRENT)
    more = "[card]\nmemory_gib = 31.73\nutilisation = 0.85\n[[pools]]\nbatched_tokens = 65536\ntokens = 2747830\n"
    answer = answered(tmp_path, model, more)
    assert answer.value("KV bytes a token and card") == 17 * 1 * 512 * 2
    assert answer.value("KV tokens needed") == 1_048_576
    assert answer.value("context the model was trained for") == 262_144
    assert any("2,747,830 tokens would take" in one for one in answer.cautions)
    assert answered(tmp_path, model, "cache_bytes_per_value = 1.0\n").value("KV bytes a token and card") == 17 * 512
    beyond = answered(tmp_path, model, context=524288)
    assert any("trained for 262,144" in one for one in beyond.cautions)


def test_heads_of_keys_block_by_block_count_the_blocks_that_keep_them(tmp_path: Path) -> None:
    keys = FABLE | {"qwen35.attention.head_count_kv": [0, 0, 0, 4] * 16 + [0]}
    header = read_header(written(tmp_path, keys, ["output.weight"]))
    assert (header.kv_heads, header.attention_blocks, header.kept_blocks) == (4, 16, 16)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"general.architecture": "qwen35", "qwen35.block_count": 4}, "does not say its blocks, heads"),
        (FABLE | {"qwen35.attention.kv_lora_rank": 512}, "compressed keys and values"),
    ],
)
def test_a_header_that_does_not_carry_the_bytes_gives_no_number(tmp_path: Path, keys: Keys, said: str) -> None:
    inputs = tmp_path / "inputs.toml"
    inputs.write_text(INPUTS.format(context=1024, model=written(tmp_path, keys, ["output.weight"]).name))
    answer = kind("memory").answer(inputs)
    assert isinstance(answer, NoNumber) and said in answer.sentence


def test_a_cut_or_missing_model_gives_no_number(tmp_path: Path) -> None:
    model = written(tmp_path, FABLE, RECURRENT)
    model.write_bytes(model.read_bytes()[:-1])
    inputs = tmp_path / "inputs.toml"
    for name, said in ((model.name, "fable.gguf: it has"), ("gone.gguf", "No such file")):
        inputs.write_text(INPUTS.format(context=1024, model=name))
        answer = kind("memory").answer(inputs)
        assert isinstance(answer, NoNumber) and said in answer.sentence


def test_safetensors_settings_say_the_same_with_a_text_part_and_kinds_of_layers(tmp_path: Path) -> None:
    kinds = ["linear_attention", "linear_attention", "linear_attention", "full_attention"]
    inner = {"num_hidden_layers": 4, "num_attention_heads": 24, "num_key_value_heads": 4, "head_dim": 256}
    settings = {
        "model_type": "qwen3_5",
        "text_config": inner | {"layer_types": kinds, "max_position_embeddings": 262144},
    }
    shards = [
        {f"model.layers.{n}.linear_attn.in_proj.weight": ("BF16", [8]) for n in range(3)},
        {"model.layers.3.self_attn.k_proj.weight": ("BF16", [8])},
    ]
    folder = sharded(tmp_path / "model", settings, shards)
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [151645, 151643]}))
    header = read_header(folder)
    assert (header.context_length, header.kv_heads, header.key_length, header.heads) == (262144, 4, 256, 24)
    assert (header.attention_blocks, header.recurrent_blocks, header.kept_blocks) == (1, 3, 1)
    assert (header.end_ids, header.number_format, header.weight_bytes) == ((151645, 151643), "BF16", 64)
    assert answered(tmp_path, folder).value("KV bytes a token and card") == 1 * 1 * 512 * 2


def test_safetensors_without_readable_settings_have_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors_file({"a": ("F16", [8])}))
    assert "config.json: it cannot be read" in read_header(path).fault
    for words, said in (("{", "no JSON;"), ("[]", "no JSON object")):
        (tmp_path / "config.json").write_text(words)
        assert said in read_header(path).fault
    assert is_model(tmp_path) and is_model(path) and not is_model(tmp_path / "config.json")


def test_keys_and_values_beside_a_model_are_refused(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.toml"
    kv = "[kv]\nattention_layers = 1\nkv_heads = 1\nkey_length = 1\nvalue_length = 1\n"
    inputs.write_text(INPUTS.format(context=1024, model="m.gguf") + kv)
    with pytest.raises(BadFileError, match="give kv or model, not both"):
        kind("memory").answer(inputs)


@pytest.mark.parametrize("value", [None, [], {}, "x", -1, 0, 1e300, True, [None], 10**30, -0.5])
@pytest.mark.parametrize("key", ["num_hidden_layers", "layer_types", "head_dim", "text_config", "eos_token_id"])
def test_settings_of_any_kind_are_read_or_left_out(tmp_path: Path, key: str, value: object) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors_file({"a": ("F16", [8])}))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "q", "num_attention_heads": 2} | {key: value}))
    header = read_header(path)
    assert header.fault == "" and header.heads in (2, None)
    assert header.kept_blocks is None or header.kept_blocks > 0
