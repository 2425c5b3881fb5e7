"""What flags and variables do to the simulated engine, and which starts fail in which real words."""

import pytest

from harness.gates.startup import recognised
from harness.simulator.engine_flags import FlagError, kv_tokens
from harness.simulator.faults import Fault
from harness.simulator.llamacpp_style import LlamaCppStyle
from harness.simulator.process import plan_of
from harness.simulator.start_failures import WORDS, refusal
from harness.vocabulary.outcome import Reason
from tests.harness.simulator.chosen import engine_from, settings_of

FORK = ("--style", "v100-fork")
NAMED = {
    Fault.UNSUPPORTED_PARTITION: Reason.UNSUPPORTED_PARTITION,
    Fault.NO_CACHE_BLOCKS: Reason.NO_CACHE_BLOCKS,
    Fault.LOW_FREE_MEMORY: Reason.MEMORY_NOT_FREE,
    Fault.STUB_LIBRARY: Reason.DRIVER_MISMATCH,
    Fault.ENGINE_TIMEOUT_AT_START: Reason.ENGINE_TIMED_OUT,
    Fault.INSTRUMENTED_GRAPH: Reason.INSTRUMENTED_GRAPH,
    Fault.OUT_OF_MEMORY: Reason.OUT_OF_MEMORY,
    Fault.PORT_IN_USE: Reason.PORT_IN_USE,
    Fault.TRUNCATED_MODEL: Reason.MODEL_UNREADABLE,
    Fault.UNKNOWN_ARCHITECTURE: Reason.MODEL_TOO_NEW,
}


def refused(*words: str) -> str | None:
    lines = refusal(settings_of(*words), engine_from(*words))
    return None if lines is None else "\n".join(lines)


@pytest.mark.parametrize("fault", sorted(WORDS))
def test_every_failing_start_is_recognised_by_its_words(fault: Fault) -> None:
    for style in ("v100-fork", "llamacpp"):
        log = refused("--style", style, "--fault", fault.value)
        cause = recognised(log or "")
        assert log is not None and cause is not None and cause.reason is NAMED[fault], log


def test_settings_that_cannot_work_fail_as_they_really_did() -> None:
    small = ("--partitions", "256,512,1024")
    assert "Unsupported decode partition_size: 2048" in (refused(*FORK, *small) or "")
    assert refused(*FORK, *small, "--tq-max-kv-splits-for-cuda-graph", "160") is None  # 820, so 1024
    assert refused(*FORK, *small, "--max-model-len", "65536") is None  # 683, so 1024
    assert refused(*FORK) is None  # the binary was given 2048 later
    assert "No available memory for the cache blocks" in (refused(*FORK, "--gpu-memory-utilization", "0.60") or "")
    assert refused(*FORK, "--gpu-memory-utilization", "0.60", "--max-num-batched-tokens", "65536") is None


def test_the_cache_holds_what_the_page_says() -> None:
    assert kv_tokens(0.85, 131_072) == 2_719_744
    assert kv_tokens(0.25, 65_536) < 0


def test_flags_change_what_they_change_on_the_real_server() -> None:
    engine = engine_from(*FORK, "--max-num-seqs", "4", "--max-num-batched-tokens=65536", "--enforce-eager")
    assert (engine.limits.max_seqs, engine.limits.budget_tokens, engine.pace.speed) == (4, 65_536, 0.8)
    assert engine_from(*FORK, "--scheduling-policy", "priority").pace.prefill_cost == pytest.approx(2.552, abs=0.001)
    assert engine_from("--style", "llamacpp", "--n_parallel", "3").limits.max_seqs == 3
    assert engine_from(*FORK, "--tensor-parallel-size", "2").workers == 2


def test_long_prompts_are_cut_by_their_threshold_and_by_the_budget() -> None:
    whole = ("--max-num-batched-tokens", "131072")
    assert engine_from(*FORK, *whole, "--long-prefill-token-threshold", "16384").limits.budget_tokens == 16_384
    assert engine_from(*FORK, *whole, "--long-prefill-token-threshold", "0").limits.budget_tokens == 131_072


@pytest.mark.parametrize(
    ("mode", "cards"), [("none", ["CUDA0"]), ("layer", ["CUDA0", "CUDA1"]), ("row", ["CUDA_Split", "CUDA0", "CUDA1"])]
)
def test_llamacpps_log_names_the_cards_that_took_weights(mode: str, cards: list[str]) -> None:
    engine = engine_from("--style", "llamacpp", "--workers", "2", "--split-mode", mode)
    lines = [line for line in LlamaCppStyle().loading(engine, {}) if "model buffer size" in line]
    assert [line.split()[3] for line in lines] == cards


def test_another_model_file_takes_the_kernels_away_and_changes_the_rates() -> None:
    swapped = engine_from(*FORK, "--model", "example-27b-Q4_K_M.gguf")
    usual = engine_from(*FORK)
    assert usual.kernels and not swapped.kernels
    assert 1 / swapped.pace.step_s(1) == pytest.approx(69.4) and 1 / usual.pace.step_s(1) == pytest.approx(68.1)
    assert usual.pace.step_s(4) / swapped.pace.step_s(4) == pytest.approx(33.0 / 47.9)
    assert usual.pace.step_s(8) / swapped.pace.step_s(8) == pytest.approx(24.4 / 32.5)


def test_variables_act_unless_they_are_ignored() -> None:
    pinned = {"VLLM_FLASH_V100_DECODE_PARTITION_SIZE": "1024", "VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS": "2400"}
    engine = engine_from(*FORK, env=pinned | {"V100_TILE": "128"})
    assert (engine.partition, engine.limits.execution_timeout_s, engine.tile) == (1024, 2400.0, True)
    assert engine.pace.speed == pytest.approx(1.03)
    ignored = engine_from(*FORK, "--fault", "env-ignored", env=pinned | {"V100_TILE": "128"})
    assert (ignored.partition, ignored.tile, ignored.pace.speed) == (2048, False, 1.0)
    assert engine_from(*FORK).limits.execution_timeout_s == 300.0


def test_faults_of_flags() -> None:
    asked = ("--max-num-batched-tokens", "65536", "--max-model-len", "65536")
    assert engine_from(*FORK, *asked, "--fault", "flag-ignored").limits.budget_tokens == 131_072
    assert engine_from(*FORK, *asked, "--fault", "flag-ignored=max-model-len").max_len == 131_072
    assert engine_from(*FORK, *asked, "--fault", "clamped-value").max_len == 32_768
    assert engine_from("--style", "llamacpp", "--fault", "clamped-value=n-parallel").limits.max_seqs == 4
    assert engine_from(*FORK, "--fault", "wrong-model-name", "--served-model-name", "a").name == "another-model"


@pytest.mark.parametrize(("words", "said"), [(("--no-such", "1"), "--no-such"), (("stray",), "stray")])
def test_unknown_flags_are_refused_in_the_engines_words(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(FlagError, match=f"unrecognized arguments: {said}"):
        settings_of(*words)


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="'nothing' is no fault"):
        settings_of("--fault", "nothing")


def test_rates_and_prefill_can_be_set() -> None:
    pace = engine_from(*FORK, "--user-tok-s", "1:50,4:20", "--cold-s", "1000:2", "--warm-s", "1000:1").pace
    assert 1 / pace.step_s(1) == pytest.approx(50) and 1 / pace.step_s(4) == pytest.approx(20)
    assert pace.cold_prefill_s(2000, 4000) == 4.0 and pace.warm_prefill_s(2000) == 2.0


@pytest.mark.parametrize(("text", "said"), [("fast", "no list of knots"), ("8:1,1:2", "grow"), ("1:0", "positive")])
def test_knots_that_are_none_are_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        engine_from(*FORK, "--user-tok-s", text)


def test_a_time_scale_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="--time-scale must be above 0"):
        plan_of(["--time-scale", "0"], {})
