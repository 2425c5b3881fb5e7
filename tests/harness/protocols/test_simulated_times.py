"""Times that protocols measure on a simulator, against the same load in virtual time without any server.

Times need a machine that is not busy with something else, so these run with `make test-system`.
"""

from pathlib import Path

import pytest

from harness.simulator.pace import Pace
from harness.simulator.scheduler import Limits
from harness.simulator.truth import Arrival, metrics, timeline
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.simulated import GATHER_S, SCALE, loaded
from tests.harness.protocols.streams import values

pytestmark = pytest.mark.system

PACE = Pace(tensor_parallel=1)
LIMITS = Limits(gather_s=GATHER_S)
NEAR = 0.12  # a busy machine is late by some milliseconds of a second


async def test_staggered_users(tmp_path: Path) -> None:
    """Four users, 0.1 s apart, one request each: the truth is a time line of four arrivals."""
    table = {"users": 4, "rounds": 1, "stagger_s": 0.1, "prompt_tokens": [64], "tokens": [64]}
    seen = values((await loaded(tmp_path, "mixed", table)).metrics)
    arrivals = [Arrival(user * 0.1 / SCALE, 64, 64) for user in range(4)]
    answers = timeline(PACE, LIMITS, arrivals)
    true = metrics(answers, SCALE)
    assert seen["total_tok_s", 4] == pytest.approx(true.total_tok_s, rel=NEAR)
    assert seen["user_tok_s", 4] == pytest.approx(true.user_tok_s, rel=NEAR)
    assert seen["streaming_tok_s", 4] == pytest.approx(true.streaming_tok_s, rel=NEAR)
    assert seen["ttft_ms", 4] == pytest.approx(true.ttft_ms, rel=NEAR)
    assert seen["streaming_tok_s", 4] > 1.2 * seen["total_tok_s", 4]  # M1: two different numbers


async def test_cold_documents_grow_as_the_figures_say(tmp_path: Path) -> None:
    table = {"lengths": [8000, 32768, 65536], "users": [1, 2], "tokens": 4}
    seen = values((await loaded(tmp_path, "documents", table)).metrics)
    for length in (8000, 32768, 65536):
        one_s = PACE.cold_prefill_s(length, LIMITS.budget_tokens) * SCALE
        assert seen[f"cold_ttft_ms@{length}", 1] == pytest.approx(one_s * 1000, rel=NEAR)
        assert seen[f"cold_ttft_ms@{length}", 2] == pytest.approx(2 * one_s * 1000, rel=NEAR)  # read in one step
        assert seen[f"prefill_tok_s@{length}", 2] == pytest.approx(length / one_s, rel=NEAR)
    assert seen["growth_exponent@65536", 1] == pytest.approx(1.17, abs=0.1)  # of M7b's table, from 21.6K to 64K


async def test_eight_users_on_one_document_cost_eight_times_one_or_little_more(tmp_path: Path) -> None:
    table = {"length": 8000, "users": [1, 8], "tokens": 4}
    for number, words in enumerate(((), ("--prefix-cache",))):
        (tmp_path / str(number)).mkdir()
        seen = values((await loaded(tmp_path / str(number), "shared_document", table, *words)).metrics)
        cold_s, warm_s = PACE.cold_prefill_s(8000, 131_072), PACE.warm_prefill_s(8000)
        true = 8.0 if not words else (cold_s + 7 * warm_s) / cold_s
        assert seen["cost_ratio", 8] == pytest.approx(true, rel=NEAR)
        assert (seen["cached_tokens", 8] > 6000) is bool(words)


async def test_how_much_sooner_a_nested_prompt_comes(tmp_path: Path) -> None:
    """Half of the outer prompt is cached: 216.67 s were shown where 412.42 s were true (M7)."""
    seen = values((await loaded(tmp_path, "nested_prefix", {"length": 8000, "tokens": 4}, "--prefix-cache")).metrics)
    cached, cold_s = seen["cached_tokens", 1], PACE.cold_prefill_s(16000, LIMITS.budget_tokens)
    nested_s = PACE.prefill_s(16000, int(cached), LIMITS.budget_tokens)
    assert 7800 < cached < 8200
    assert seen["cold_ttft_ms", 1] == pytest.approx(cold_s * SCALE * 1000, rel=NEAR)
    assert seen["nested_ttft_ms", 1] == pytest.approx(nested_s * SCALE * 1000, rel=NEAR)
    assert seen["nested_warmth", 1] == pytest.approx(cold_s / nested_s, rel=NEAR)


@pytest.mark.parametrize("works", [False, True])
async def test_a_probe_beside_documents_with_and_without_a_priority_that_works(tmp_path: Path, works: bool) -> None:
    table = {"documents": 4, "length": 8000, "document_tokens": 4, "delay_s": 0.1, "tokens": 8}
    words = ("--max-num-batched-tokens", "8192", *(("--priorities-work",) if works else ()))
    found = await loaded(tmp_path, "priority", table, *words)
    seen = values(found.metrics)
    limits = Limits(gather_s=GATHER_S, budget_tokens=8192, priorities_work=works)
    arrivals = [Arrival(0.0, 8000, 4)] * 4 + [Arrival(0.1 / SCALE, 60, 8, priority=-10)]
    *documents, probe = timeline(PACE, limits, arrivals)
    assert seen["probe_ttft_ms", 4] == pytest.approx(probe.ttft_s * SCALE * 1000, rel=NEAR)
    ended = max(one.stamps[-1] for one in documents)
    assert seen["documents_done_s", 4] == pytest.approx(ended * SCALE, rel=NEAR)
    share = (probe.stamps[-1] - probe.sent) / (ended - probe.sent)
    assert seen["probe_done_share", 4] == pytest.approx(share, rel=NEAR)
    assert (share > 0.95) is not works  # M14: it ended when the documents did, whatever its priority


async def test_more_requests_at_once_than_seats(tmp_path: Path) -> None:
    table = {"at_once": [4, 12], "tokens": 32, "pause_s": 0.2}
    seen = values((await loaded(tmp_path, "burst", table)).metrics)
    for load in (4, 12):
        answers = timeline(PACE, LIMITS, [Arrival(0.0, 60, 32)] * load)
        true = metrics(answers, SCALE)
        assert seen["ttft_ms", load] == pytest.approx(true.ttft_ms, rel=NEAR)
        assert seen["total_tok_s", load] == pytest.approx(true.total_tok_s, rel=NEAR)
        longest_s = max(one.ttft_s for one in answers) * SCALE
        assert seen["ttft_p95_ms", load] == pytest.approx(longest_s * 1000, rel=NEAR)


SOAK = {"seconds": 5, "users": 2, "prompt_tokens": 64, "tokens": 16, "sample_s": 0.1, "request_timeout_s": 5}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), None),
        (("--warm-up-mib", "20"), None),  # memory that is taken once is no growth
        (("--leak-kib", "2048"), Reason.MEMORY_GROWS),
        (("--leak-descriptors", "1"), Reason.DESCRIPTORS_GROW),
        (("--fault", "busy-503=9"), Reason.REQUEST_FAILED),
    ],
)
async def test_a_soak_finds_what_grows(tmp_path: Path, words: tuple[str, ...], reason: Reason | None) -> None:
    found = await loaded(tmp_path, "soak", SOAK, "--time-scale", "0.01", *words)
    assert found.reason is reason, found.detail
    if reason is None:
        seen = values(found.metrics)
        assert seen["failures", 2] == 0 and seen["total_tok_s", 2] > 0
        assert seen["growth_low_mib_h", 2] <= 64


async def test_a_soak_that_stands_still(tmp_path: Path) -> None:
    table = SOAK | {"stall_s": 1, "max_failures": 100, "request_timeout_s": 2}
    found = await loaded(tmp_path, "soak", table, "--time-scale", "0.01", "--fault", "hang-in-load=12")
    assert found.reason is Reason.STALLED and "no token of any user came for" in found.detail


@pytest.mark.parametrize(
    ("limit_s", "reason", "said"),
    [("5", Reason.TIME_LIMIT, "answers no more"), ("2400", None, ""), ("", Reason.NOT_REACHED, "within the limit")],
)
async def test_a_time_limit_shows_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit_s: str, reason: Reason | None, said: str
) -> None:
    """A prompt of 16,000 tokens takes 11.4 virtual seconds."""
    if limit_s:
        monkeypatch.setenv("VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS", limit_s)
    table = {"length": 16000, "limit_s": 5 * SCALE if limit_s else 2.0, "tokens": 4, "request_timeout_s": 30}
    found = await loaded(tmp_path, "time_limit", table)
    assert found.reason is reason and said in found.detail, found.detail
    if reason is None:
        true_s = PACE.cold_prefill_s(16000, 131_072) * SCALE
        assert values(found.metrics)["cold_ttft_ms", 1] == pytest.approx(true_s * 1000, rel=NEAR)
