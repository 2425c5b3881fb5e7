"""Times that protocols measure on a simulator, against the same load in virtual time without any server.

Times need a machine that is not busy with something else, so these run with `make test-system`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.protocols import ProtocolOutcome
from harness.simulator.pace import Pace
from harness.simulator.scheduler import Limits
from harness.simulator.truth import Arrival, metrics, timeline
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.simulated import SCALE, loaded
from tests.harness.protocols.streams import values

pytestmark = [pytest.mark.system, pytest.mark.alone]

PACE = Pace(tensor_parallel=1)
GATHER_MS = 100  # an idle engine waits so long for more requests: a busy client needs some time to send several
GATHER_S = GATHER_MS / 1000 / SCALE  # virtual
LIMITS = Limits(gather_s=GATHER_S)
NEAR = 0.12  # a busy machine is late, by a share of a rate or by some milliseconds


def near_ms(true_ms: float) -> object:
    """About that time."""
    return pytest.approx(true_ms, rel=NEAR, abs=40)


async def timed(folder: Path, protocol: str, table: Mapping[str, Any], *words: str) -> ProtocolOutcome:
    """What the protocol says of a simulator that reads all requests of one moment in one step."""
    return await loaded(folder, protocol, table, "--gather-ms", str(GATHER_MS), *words)


async def test_staggered_users(tmp_path: Path) -> None:
    """Four users, 0.1 s apart, one request each: the truth is a time line of four arrivals."""
    table = {"users": 4, "rounds": 1, "stagger_s": 0.1, "prompt_tokens": [64], "tokens": [400]}
    seen = values((await timed(tmp_path, "mixed", table)).metrics)
    arrivals = [Arrival(user * 0.1 / SCALE, 64, 400) for user in range(4)]
    answers = timeline(PACE, LIMITS, arrivals)
    true = metrics(answers, SCALE)
    assert seen["total_tok_s", 4] == pytest.approx(true.total_tok_s, rel=NEAR)
    assert seen["user_tok_s", 4] == pytest.approx(true.user_tok_s, rel=NEAR)
    assert seen["streaming_tok_s", 4] == pytest.approx(true.streaming_tok_s, rel=NEAR)
    assert seen["ttft_ms", 4] == near_ms(true.ttft_ms)
    assert true.streaming_tok_s > 1.2 * true.total_tok_s  # M1: two different numbers


async def test_cold_documents_grow_as_the_figures_say(tmp_path: Path) -> None:
    table = {"lengths": [8000, 32768, 60000], "users": [1, 2], "tokens": 4}
    seen = values((await timed(tmp_path, "documents", table)).metrics)
    for length in (8000, 32768, 60000):
        for users in (1, 2):  # both prompts are read in one step, so that both users wait twice as long
            true_s = timeline(PACE, LIMITS, [Arrival(0.0, length, 4)] * users)[0].ttft_s * SCALE
            assert seen[f"cold_ttft_ms@{length}", users] == near_ms(true_s * 1000)
            assert seen[f"prefill_tok_s@{length}", users] == pytest.approx(users * length / true_s, rel=NEAR)
    assert seen["growth_exponent@60000", 1] == pytest.approx(1.17, abs=0.1)  # of M7b's table, from 21.6K to 64K


async def test_eight_users_on_one_document_cost_eight_times_one_or_little_more(tmp_path: Path) -> None:
    table = {"length": 8000, "users": [1, 8], "tokens": 4}
    for number, words in enumerate(((), ("--prefix-cache",))):
        (tmp_path / str(number)).mkdir()
        seen = values((await timed(tmp_path / str(number), "shared_document", table, *words)).metrics)
        others = [Arrival(0.0, 8000, 4, cached=7984 if words else 0)] * 7
        one, *eight = (timeline(PACE, LIMITS, [Arrival(0.0, 8000, 4), *more]) for more in ([], others))
        true = max(answer.ttft_s for answer in eight[0]) / one[0].ttft_s
        assert true < 1.7 if words else true > 6  # the wait for more requests counts once in both
        assert seen["cost_ratio", 8] == pytest.approx(true, rel=NEAR)
        assert (seen["cached_tokens", 8] > 6000) is bool(words)


async def test_how_much_sooner_a_nested_prompt_comes(tmp_path: Path) -> None:
    """Half of the outer prompt is cached: 216.67 s were shown where 412.42 s were true (M7)."""
    seen = values((await timed(tmp_path, "nested_prefix", {"length": 8000, "tokens": 4}, "--prefix-cache")).metrics)
    cached = int(seen["cached_tokens", 1])
    assert 7800 < cached < 8200
    cold_s, nested_s = (timeline(PACE, LIMITS, [Arrival(0.0, 16000, 4, cached=n)])[0].ttft_s for n in (0, cached))
    assert seen["cold_ttft_ms", 1] == near_ms(cold_s * SCALE * 1000)
    assert seen["nested_ttft_ms", 1] == near_ms(nested_s * SCALE * 1000)
    assert seen["nested_warmth", 1] == pytest.approx(cold_s / nested_s, rel=NEAR)


@pytest.mark.parametrize("works", [False, True])
async def test_a_probe_beside_documents_with_and_without_a_priority_that_works(tmp_path: Path, works: bool) -> None:
    table = {"documents": 4, "length": 8000, "document_tokens": 4, "delay_s": 0.1, "tokens": 8}
    words = ("--max-num-batched-tokens", "8192", *(("--priorities-work",) if works else ()))
    found = await timed(tmp_path, "priority", table, *words)
    seen = values(found.metrics)
    limits = Limits(gather_s=GATHER_S, budget_tokens=8192, priorities_work=works)
    arrivals = [Arrival(0.0, 8000, 4)] * 4 + [Arrival(0.1 / SCALE, 60, 8, priority=-10)]
    *documents, probe = timeline(PACE, limits, arrivals)
    assert seen["probe_ttft_ms", 4] == near_ms(probe.ttft_s * SCALE * 1000)
    ended = max(one.stamps[-1] for one in documents)
    assert seen["documents_done_s", 4] == pytest.approx(ended * SCALE, rel=NEAR)
    share = (probe.stamps[-1] - probe.sent) / (ended - probe.sent)
    assert seen["probe_done_share", 4] == pytest.approx(share, rel=NEAR)
    assert share > 0.95  # M14: it ended when the documents did, whatever its priority: reading stops all decoding
    assert (probe.ttft_s > 15) is not works  # but its first token can come after one document instead of four


async def test_more_requests_at_once_than_seats(tmp_path: Path) -> None:
    table = {"at_once": [4, 12], "tokens": 32, "pause_s": 0.2}
    seen = values((await timed(tmp_path, "burst", table)).metrics)
    for load in (4, 12):
        answers = timeline(PACE, LIMITS, [Arrival(0.0, 60, 32)] * load)
        true = metrics(answers, SCALE)
        assert seen["ttft_ms", load] == near_ms(true.ttft_ms)
        assert seen["total_tok_s", load] == pytest.approx(true.total_tok_s, rel=NEAR)
        longest_s = max(one.ttft_s for one in answers) * SCALE
        assert seen["ttft_p95_ms", load] == near_ms(longest_s * 1000)


SOAK = {
    "seconds": 5,
    "users": 2,
    "prompt_tokens": 64,
    "tokens": 16,
    "sample_s": 0.1,
    "request_timeout_s": 5,
    "max_growth_mib_h": 2000,
}  # 2.8 MiB in five seconds


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), None),
        (("--warm-up-mib", "20"), None),  # memory that is taken once is no growth
        (("--leak-kib", "2048"), Reason.MEMORY_GROWS),
        (("--leak-descriptors", "1"), Reason.DESCRIPTORS_GROW),
        (("--fault", "busy-503=9"), Reason.BAD_STATUS),
    ],
)
async def test_a_soak_finds_what_grows(tmp_path: Path, words: tuple[str, ...], reason: Reason | None) -> None:
    found = await timed(tmp_path, "soak", SOAK, "--time-scale", "0.01", *words)
    assert found.reason is reason, found.detail
    if reason is None:
        seen = values(found.metrics)
        assert seen["failures", 2] == 0 and seen["total_tok_s", 2] > 0
        assert seen["growth_low_mib_h", 2] <= 2000


async def test_a_soak_that_stands_still(tmp_path: Path) -> None:
    table = SOAK | {"stall_s": 1, "max_failures": 100, "request_timeout_s": 2}
    found = await timed(tmp_path, "soak", table, "--time-scale", "0.01", "--fault", "hang-in-load=12")
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
        true_s = PACE.cold_prefill_s(16000, LIMITS.budget_tokens) * SCALE + 0.01
        assert values(found.metrics)["cold_ttft_ms", 1] == near_ms(true_s * 1000)
