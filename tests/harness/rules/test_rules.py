"""Every rule has a case in which it speaks and one in which it is silent, after a real campaign (lessons S5-S8, A8)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.rules.decode_partition import fewest_splits, partition
from harness.rules.every import every_rule, look
from harness.rules.model_header import ModelHeader
from harness.rules.rule import BENCH, LLAMACPP, VLLM, Level, Setup
from harness.rules.shared_memory import shared_bytes
from harness.vocabulary.known import Known, Prefill

OLD_BINARY = Known(decode_partitions=(256, 512, 1024), head_dim=256)
SPLITS = "tq-max-kv-splits-for-cuda-graph"
SIZES = "cudagraph-capture-sizes"
FORK = {"VLLM_FLASH_V100_DECODE_PARTITION_SIZE": "2048"}
LIMIT = "VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS"
WHOLE = ModelHeader("m.gguf", "qwen35", context_length=262144, end_ids=(151645,))
HEADS = ModelHeader("model", "qwen3_5", end_ids=(1,), heads=24, number_format="BF16")
LAYERS = ModelHeader("m", blocks=65, attention_interval=4, recurrent_blocks=48, draft_blocks=1)
CUT = (Prefill(tokens=65536, seconds=56.6), Prefill(tokens=131072, seconds=500.2))
Case = dict[str, Any]

SPEAKS: list[tuple[str, str, Case, Level, str]] = [
    ("decode-partition", VLLM, {"flags": {"max-model-len": 131072}, "known": OLD_BINARY}, Level.FAULT, "at least 128"),
    (
        "decode-partition",
        VLLM,
        {"env": {"VLLM_FLASH_V100_DECODE_PARTITION_SIZE": "1024"}},
        Level.CAUTION,
        "changes nothing",
    ),
    ("shared-memory", VLLM, {"flags": {"max-model-len": 262145}, "known": OLD_BINARY}, Level.FAULT, "50,176 bytes"),
    (
        "capture-sizes",
        VLLM,
        {"flags": {SIZES: "1,2,4,8,16,32", "num-speculative-tokens": 2}, "env": FORK},
        Level.FAULT,
        "none of 1, 2, 4, 8, 16, 32",
    ),
    (
        "capture-sizes",
        VLLM,
        {
            "flags": {
                "compilation-config": '{"cudagraph_capture_sizes": [1, 2, 4]}',
                "speculative-config.num-speculative-tokens": 2,
            },
            "words": ("python", "-m", "harness.simulator", "--style", "v100-fork"),
        },
        Level.FAULT,
        "none of 1, 2, 4 is one",
    ),
    (
        "capture-sizes",
        VLLM,
        {"flags": {SIZES: "1,2", "speculative-config": '{"method": "mtp", "num_speculative_tokens": 1}'}, "env": FORK},
        Level.CAUTION,
        "1 of 2 stay",
    ),
    (
        "capture-sizes",
        VLLM,
        {"flags": {SIZES: "1,2,4,8,16,32", "num-speculative-tokens": 1, "max-num-seqs": 16, SPLITS: 160}},
        Level.CAUTION,
        "5 of 6 stay",
    ),
    (
        "capture-sizes",
        VLLM,
        {"flags": {SIZES: "2,4,8,16,32", "num-speculative-tokens": 1, "max-num-seqs": 24}},
        Level.CAUTION,
        "serves 16 users at once and 24 may come",
    ),
    (
        "capture-sizes",
        VLLM,
        {"flags": {SIZES: "1,2,4,8", "speculative-config.num-speculative-tokens": 2}},
        Level.CAUTION,
        "none of the capture sizes 1, 2, 4, 8 is a multiple of it: vLLM makes 3, 6 of them",
    ),
    (
        "capture-sizes",
        VLLM,
        {"flags": {SIZES: "1,2", "speculative-config.num-speculative-tokens": 2}},
        Level.CAUTION,
        "none reaches that, and vLLM does not start",
    ),
    (
        "capture-sizes",
        VLLM,
        {"flags": {SIZES: "1,2,4,8,16", "num-speculative-tokens": 1, "max-num-seqs": 16}},
        Level.CAUTION,
        "serves 8 users at once and 16 may come",
    ),
    (
        "cache-blocks",
        VLLM,
        {"flags": {"max-model-len": 131072}, "users": 8, "known": Known(kv_pool_tokens=1_000_000)},
        Level.CAUTION,
        "need 1,048,576 tokens",
    ),
    ("cache-blocks", LLAMACPP, {"flags": {"ctx-size": 8192, "n-parallel": 4}}, Level.CAUTION, "2,048 tokens"),
    ("log-stats", VLLM, {"flags": {"disable-log-stats": True}}, Level.FAULT, "no vllm:* counts in /metrics"),
    ("log-stats", VLLM, {"words": ("vllm", "serve", "--disable-log-stats")}, Level.FAULT, "would end as no_proof"),
    ("plain-requests", VLLM, {"env": {"VLLM_API_KEY": "k"}}, Level.FAULT, "with VLLM_API_KEY the server refuses"),
    ("plain-requests", LLAMACPP, {"words": ("s", "--api-key=k")}, Level.FAULT, "the harness names none"),
    ("plain-requests", VLLM, {"flags": {"ssl-certfile": "/c.pem"}}, Level.FAULT, "answers over TLS only"),
    ("tool-parser", VLLM, {"flags": {"enable-auto-tool-choice": True}}, Level.FAULT, "without tool-call-parser"),
    ("tool-parser", VLLM, {"flags": {"tool-call-parser": "hermes"}}, Level.FAULT, "leaves the choice to the model"),
    ("tool-parser", LLAMACPP, {"flags": {"chat-template-file": "t.jinja"}}, Level.CAUTION, "add jinja"),
    (
        "tool-parser",
        LLAMACPP,
        {"flags": {"chat-template-file": "t.jinja", "no-jinja": True}},
        Level.FAULT,
        "leave no-jinja out",
    ),
    ("list-separators", BENCH, {"flags": {"ts": "1,1,1,1"}}, Level.FAULT, "'1/1/1/1'"),
    ("paired-flags", BENCH, {"flags": {"ctk": "f16,q8_0", "ctv": "f16"}}, Level.CAUTION, "'f16': only ctk is measured"),
    ("paired-flags", BENCH, {"flags": {"ctv": "f16,q8_0"}}, Level.CAUTION, "default: only ctv is measured"),
    (
        "paired-flags",
        BENCH,
        {"flags": {"ctk": "f16,q8_0", "ctv": "f16,q8_0"}},
        Level.CAUTION,
        "others measure all 4 combinations",
    ),
    ("quantised-values", BENCH, {"flags": {"ctv": "tbq3", "fa": "0"}}, Level.FAULT, "needs flash attention"),
    ("quantised-values", BENCH, {"flags": {"ctv": "q8_0", "fa": "0,1"}}, Level.FAULT, "flash attention '0,1'"),
    ("time-limit", VLLM, {"known": Known(longest_prefill_s=500.2)}, Level.FAULT, "300 s unless"),
    ("time-limit", VLLM, {"known": Known(longest_prefill_s=500.2), "env": {LIMIT: "400"}}, Level.FAULT, "is 400"),
    ("model-context", VLLM, {"flags": {"max-model-len": 524288}, "model": WHOLE}, Level.CAUTION, "262,144"),
    (
        "model-file",
        LLAMACPP,
        {"model": ModelHeader("m.gguf", fault="it has 5 bytes and its header asks for 9")},
        Level.FAULT,
        "asks for 9",
    ),
    ("model-file", LLAMACPP, {"model": ModelHeader("m.gguf")}, Level.CAUTION, "no token that ends a generation"),
    ("speculation-off", LLAMACPP, {"flags": {"model-draft": "d.gguf"}}, Level.FAULT, "speculation stays off"),
    (
        "speculation-off",
        LLAMACPP,
        {"flags": {"model-draft": "d", "spec-type": "dflash", "draft-max": 16}, "known": Known(draft_block=16)},
        Level.CAUTION,
        "clamped to 15",
    ),
    (
        "speculation-off",
        LLAMACPP,
        {"flags": {"model-draft": "d", "spec-type": "dflash", "draft-max": 1}, "known": Known(draft_block=5)},
        Level.CAUTION,
        "one slot",
    ),
    (
        "split-prefill",
        VLLM,
        {"flags": {"max-model-len": 131072, "max-num-batched-tokens": 65536}},
        Level.CAUTION,
        "2 pieces",
    ),
    (
        "split-prefill",
        VLLM,
        {
            "flags": {
                "max-model-len": 131072,
                "max-num-batched-tokens": 131072,
                "long-prefill-token-threshold": 16384,
            }
        },
        Level.CAUTION,
        "8 pieces",
    ),
    (
        "split-prefill",
        VLLM,
        {
            "flags": {
                "max-model-len": 65536,
                "max-num-batched-tokens": 8192,
                "no-enable-chunked-prefill": True,
            }
        },
        Level.FAULT,
        "raise max-num-batched-tokens to 65,536",
    ),
    (
        "time-limit",
        VLLM,
        {"known": Known(prefills=CUT), "flags": {"max-model-len": 262144}, "env": {LIMIT: "2400"}},
        Level.FAULT,
        "is predicted to take 4420 s",
    ),
    (
        "model-layers",
        LLAMACPP,
        {"model": replace(LAYERS, draft_blocks=0)},
        Level.CAUTION,
        "so 49 recurrent, and 48",
    ),
    ("model-heads", VLLM, {"flags": {"tensor-parallel-size": 5}, "model": HEADS}, Level.FAULT, "fits is 4"),
    ("model-range", VLLM, {"flags": {"dtype": "float16"}, "model": HEADS}, Level.CAUTION, "range is smaller"),
    ("split-mode", LLAMACPP, {"flags": {"split-mode": "row"}, "known": Known(cards=0)}, Level.CAUTION, "on its CPU"),
    ("split-mode", LLAMACPP, {"flags": {"split-mode": "row"}, "known": Known(cards=1)}, Level.CAUTION, "one card"),
    ("split-mode", BENCH, {"flags": {"sm": "tensor", "fa": "0"}}, Level.FAULT, "needs flash attention"),
    ("split-mode", LLAMACPP, {"flags": {"split-mode": "tensor", "cache-type-k": "q8_0"}}, Level.FAULT, "'q8_0'"),
    ("numbers-read", VLLM, {"flags": {"max-model-len": "64k"}}, Level.CAUTION, "max-model-len is no whole number"),
]

SILENT: list[tuple[str, str, Case]] = [
    ("decode-partition", VLLM, {"flags": {"max-model-len": 131072, SPLITS: 160}, "known": OLD_BINARY}),
    ("decode-partition", VLLM, {"flags": {"max-model-len": 65536}, "known": OLD_BINARY}),
    ("decode-partition", VLLM, {"flags": {"max-model-len": 131072}, "known": Known(decode_partitions=(1024, 2048))}),
    ("shared-memory", VLLM, {"flags": {"max-model-len": 131072}, "known": OLD_BINARY}),
    ("capture-sizes", VLLM, {"flags": {SIZES: "1,2,4,8,16,32", "max-num-seqs": 32}}),
    ("capture-sizes", VLLM, {"flags": {SIZES: "1,2,4,8,16", "num-speculative-tokens": 1, "max-num-seqs": 8}}),
    (
        "cache-blocks",
        VLLM,
        {"flags": {"max-model-len": 131072}, "users": 8, "known": Known(kv_pool_tokens=2_719_744)},
    ),
    ("cache-blocks", LLAMACPP, {"flags": {"ctx-size": 8192, "n-parallel": 4, "kv-unified": True}}),
    ("log-stats", VLLM, {"words": ("vllm", "serve", "M"), "flags": {"disable-log-requests": True}}),
    ("plain-requests", VLLM, {"env": {"VLLM_API_KEY": "", "HF_TOKEN": "t"}, "words": ("vllm", "serve", "M")}),
    ("tool-parser", VLLM, {"flags": {"enable-auto-tool-choice": True, "tool-call-parser": "hermes"}}),
    ("tool-parser", LLAMACPP, {"flags": {"chat-template-file": "t.jinja", "jinja": True}}),
    ("list-separators", BENCH, {"flags": {"ts": "1/1/1/1"}}),
    ("list-separators", BENCH, {"flags": {"ts": "1/1,1/2"}}),
    ("paired-flags", BENCH, {"flags": {"ctk": "q8_0", "ctv": "q8_0"}}),
    ("quantised-values", BENCH, {"flags": {"ctv": "q8_0", "fa": "1"}}),
    ("time-limit", VLLM, {"known": Known(longest_prefill_s=500.2), "env": {LIMIT: "2400"}}),
    ("model-context", VLLM, {"flags": {"max-model-len": 262144}, "model": WHOLE}),
    ("model-context", LLAMACPP, {"flags": {"ctx-size": 524288, "n-parallel": 2}, "model": WHOLE}),
    ("model-file", LLAMACPP, {"model": WHOLE}),
    ("speculation-off", LLAMACPP, {"flags": {"model-draft": "d", "spec-type": "draft"}}),
    ("split-prefill", VLLM, {"flags": {"max-model-len": 65536, "max-num-batched-tokens": 65536}}),
    (
        "split-prefill",
        VLLM,
        {"flags": {"max-model-len": 8192, "max-num-batched-tokens": 8192, "no-enable-chunked-prefill": True}},
    ),
    (
        "time-limit",
        VLLM,
        {"known": Known(prefills=CUT), "flags": {"max-model-len": 131072}, "env": {LIMIT: "2400"}},
    ),
    ("model-layers", LLAMACPP, {"model": LAYERS}),
    ("model-heads", VLLM, {"flags": {"tensor-parallel-size": 4}, "model": HEADS}),
    ("model-range", VLLM, {"flags": {"dtype": "bfloat16"}, "model": HEADS}),
    ("model-range", VLLM, {"flags": {"dtype": "float16"}, "model": WHOLE}),
    ("split-mode", LLAMACPP, {"flags": {"split-mode": "row"}, "known": Known(cards=4)}),
    ("split-mode", LLAMACPP, {"flags": {"split-mode": "tensor", "flash-attn": "on"}, "known": Known(cards=4)}),
    ("split-mode", LLAMACPP, {"flags": {"split-mode": "none"}, "known": Known(cards=0)}),
    ("numbers-read", VLLM, {"flags": {"max-model-len": 65536, "max-num-seqs": "8"}}),
]


def setup(engine: str, case: Case) -> Setup:
    return Setup(**{"engine": engine, "words": (), "flags": {}, "env": {}, "users": 1, **case})


@pytest.mark.parametrize(("name", "engine", "case", "level", "words"), SPEAKS)
def test_a_rule_speaks(name: str, engine: str, case: Case, level: Level, words: str) -> None:
    found = every_rule()[name].look(setup(engine, case))
    assert [(one.level, words in one.sentence) for one in found] == [(level, True)]


@pytest.mark.parametrize(("name", "engine", "case"), SILENT)
def test_a_rule_is_silent(name: str, engine: str, case: Case) -> None:
    assert every_rule()[name].look(setup(engine, case)) == ()


def test_every_rule_has_both_cases_and_says_nothing_of_an_empty_start() -> None:
    names = set(every_rule())
    assert {case[0] for case in SPEAKS} == names
    assert {case[0] for case in SILENT} == names
    for rule in every_rule().values():
        for engine in rule.engines:
            assert rule.look(setup(engine, {})) == ()


@pytest.mark.parametrize(
    ("context", "splits", "size"), [(131072, 96, 2048), (131072, 160, 1024), (65536, 96, 1024), (100, 96, 256)]
)
def test_the_partition_that_follows_from_a_context(context: int, splits: int, size: int) -> None:
    assert partition(context, splits) == size
    assert partition(context, fewest_splits(context, size)) == size


def test_the_larger_partition_still_fits_into_shared_memory() -> None:
    assert shared_bytes(256, 2048) == 25_600
    assert shared_bytes(256, 4096) > 48 * 1024


def test_the_page_lists_every_rule() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "rules.md").read_text(encoding="utf-8")
    for name, rule in every_rule().items():
        assert f"| `{name}` | {rule.line} | {', '.join(sorted(rule.engines))} |" in page


HOSTILE = (
    "",
    "-",
    "--5",
    "²",
    "٣",
    "9" * 5000,
    "nan",
    "1e9",
    "0",
    "-1",
    "[",
    '{"a"',
    "[" * 5000,
    "null",
    "1,,2",
    "/",
    ",",
)


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value[:8]))
def test_no_value_of_a_flag_or_variable_breaks_a_rule(value: str) -> None:
    flags = {
        "max-model-len", "max-num-batched-tokens", "max-num-seqs", "tensor-parallel-size", SPLITS, SIZES, "ctx-size",
        "n-parallel", "ctk", "ctv", "fa", "sm", "speculative-config", "compilation-config", "draft-max", "spec-type",
        "ts", "md",
        "tensor-split", "long-prefill-token-threshold", "enable-chunked-prefill", "no-enable-chunked-prefill", "dtype",
    }  # fmt: skip
    for engine in (VLLM, LLAMACPP, BENCH):
        case = {"flags": dict.fromkeys(flags, value), "env": {LIMIT: value}, "model": HEADS, "known": OLD_BINARY}
        for _, finding in look(setup(engine, case)):
            assert len(finding.sentence) < 6000  # one that quotes the value


def test_a_model_of_few_heads_and_a_mistyped_number_of_cards_ends_soon() -> None:
    case: Case = {"flags": {"tensor-parallel-size": 10**17}, "model": HEADS}
    assert "fits is 24" in every_rule()["model-heads"].look(setup(VLLM, case))[0].sentence
