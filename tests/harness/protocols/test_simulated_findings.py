"""What protocols find on a simulator that was told what is true about it: texts, tools, pictures, caches, leaks."""

from pathlib import Path

import pytest

from harness.vocabulary.outcome import Reason
from tests.harness.protocols.simulated import loaded
from tests.harness.protocols.streams import values

SHORT = {"lengths": [1000, 2000], "users": [1, 2], "tokens": 4}


@pytest.mark.parametrize(("mode", "auto", "required"), [("both", 8, 8), ("auto", 8, 0), ("required", 0, 8)])
async def test_which_way_to_ask_for_a_tool_works(tmp_path: Path, mode: str, auto: int, required: int) -> None:
    found = await loaded(tmp_path, "tool_calls", {"tokens": 64}, "--tool-calls", mode, "--time-scale", "0.002")
    seen = values(found.metrics)
    assert (seen["tool_auto_ok", 1], seen["tool_required_ok", 1]) == (auto, required), found.findings


async def test_a_model_that_calls_no_tool(tmp_path: Path) -> None:
    found = await loaded(tmp_path, "tool_calls", {"tokens": 64}, "--tool-calls", "none", "--time-scale", "0.002")
    assert (found.metrics, found.reason) == ((), Reason.NO_TOOL_CALL)
    assert found.detail.startswith("auto 0 of 8 (case 0: 0 calls")


@pytest.mark.parametrize(("least", "tokens"), [("0", 81), ("1024", 1103)])
async def test_how_many_tokens_a_picture_is(tmp_path: Path, least: str, tokens: int) -> None:
    table = {"sides": [96, 448], "tokens": 4}
    found = await loaded(tmp_path, "vision", table, "--image-min-tokens", least, "--time-scale", "0.002")
    seen = values(found.metrics)
    assert (seen["vision_tokens@96", 1], seen["vision_tokens@448", 1]) == (tokens, tokens)


async def test_one_prompt_has_one_answer_and_changed_numerics_another(tmp_path: Path) -> None:
    table = {"prompts": 2, "users": 2, "tokens": 32}
    texts = []
    for number, fault in enumerate(("keepalive-comments", "keepalive-comments", "changed-numerics")):
        (tmp_path / str(number)).mkdir()
        found = await loaded(tmp_path / str(number), "identity", table, "--fault", fault, "--time-scale", "0.002")
        seen = values(found.metrics)
        assert (seen["identical_alone_share", 1], seen["identical_loaded_share", 2]) == (1, 1)
        texts.append(found.texts)
    assert texts[0] == texts[1] != texts[2] and len(texts[0]) == 2


@pytest.mark.parametrize(
    ("fault", "reason", "place"),
    [
        ("keepalive-comments", None, ""),
        ("repeated-output", Reason.DEGENERATE, "forced length"),
        ("one-word", Reason.ONE_WORD, "forced length"),
        ("mojibake", Reason.UNREADABLE_TEXT, "forced length"),
        ("two-tokens", Reason.TOO_FEW_TOKENS, "forced length"),
    ],
)
async def test_text_is_looked_at_from_both_sides(tmp_path: Path, fault: str, reason: Reason | None, place: str) -> None:
    found = await loaded(
        tmp_path, "coherence", {"prompts": 2, "tokens": 110}, "--fault", fault, "--time-scale", "0.002"
    )
    assert found.reason is reason and place in found.detail
    assert bool(found.metrics) is (reason is None)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), None),
        (("--prefix-cache",), None),  # it may cache: every document is its own
        (("--fault", "warm-cache"), Reason.WARM),
        (("--fault", "no-metrics"), Reason.COLD_UNPROVEN),
        (("--fault", "nan-metrics"), Reason.COLD_UNPROVEN),
        (("--max-model-len", "1500"), Reason.BAD_STATUS),
    ],
)
async def test_cold_is_proven_or_there_is_no_number(
    tmp_path: Path, words: tuple[str, ...], reason: Reason | None
) -> None:
    found = await loaded(tmp_path, "documents", SHORT, *words, "--time-scale", "0.005")
    assert found.reason is reason, found.detail
    assert bool(found.metrics) is (reason is None)


async def test_a_prompt_count_that_is_no_count_gives_no_label(tmp_path: Path) -> None:
    """Half of everything is still a straight line, so lengths are right by the server's own count: it is its word."""
    words = ("--fault", "prompt-count-wrong", "--time-scale", "0.005")
    found = await loaded(tmp_path, "documents", SHORT, *words)
    assert found.reason is None
    assert all(abs(record.prompt_tokens - 1000) < 66 for record in found.records[2:5])


async def test_nested_prompts_are_found_warm(tmp_path: Path) -> None:
    table = {"length": 2000, "tokens": 4}
    for number, words in enumerate((("--prefix-cache",), ())):
        (tmp_path / str(number)).mkdir()
        found = await loaded(tmp_path / str(number), "nested_prefix", table, *words, "--time-scale", "0.01")
        seen = values(found.metrics)
        if words:
            assert 1900 <= seen["cached_tokens", 1] <= 2100
            assert found.findings[0].startswith("nested prompts are warm here")
        else:
            assert seen["cached_tokens", 1] == 0
            assert found.findings[0].startswith("nested prompts are cold here")
