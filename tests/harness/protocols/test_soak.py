"""A soak fails for failures, for standing still and for what grows; each has its own reason."""

import asyncio
import time
from pathlib import Path

import pytest

from harness.adapters.vllm import Vllm
from harness.client.stream import Door, connections
from harness.protocols.base import ProcessUse, Surroundings
from harness.protocols.growth import Look, after_plateau
from harness.protocols.soak import Soaked, longest_gap_s, outcome, soak
from harness.vocabulary.loads import Soak
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.simulated import ONE_WORKER, criteria_of
from tests.harness.protocols.streams import failure, stream, values
from tests.harness.simulator.starting import started

SETTINGS = Soak(seconds=3600, users=2, stall_s=30)


def looks(mib: float = 0.0, descriptors: float = 0.0) -> tuple[Look, ...]:
    """An hour of looks at one process that gains so much in it."""
    return tuple(
        Look(60.0 * index, (ProcessUse(7, "worker", 100 + mib * index / 60, round(40 + descriptors * index / 60)),))
        for index in range(61)
    )


def soaked(watched: tuple[Look, ...], *more: object) -> Soaked:
    users = (tuple(stream(10.0 * n, 10.0 * n + 1, 0.5, 19) for n in range(20)), (stream(0.0, 3.0), *more))
    return Soaked(users, watched, 0.0, 200.0)  # type: ignore[arg-type]


def test_a_good_soak() -> None:
    found = outcome(soaked(looks(6.0)), SETTINGS)
    seen = values(found.metrics)
    assert found.reason is None
    assert seen["total_tok_s", 2] == pytest.approx((20 * 19 + 11) / 200)
    assert seen["ttft_ms", 2] == pytest.approx(1000) and seen["ttft_p95_ms", 2] == pytest.approx(1000)
    assert seen["longest_gap_ms", 2] == pytest.approx(1000)
    assert seen["failures", 2] == 0
    assert seen["growth_mib_h", 2] == pytest.approx(6)
    assert seen["growth_low_mib_h", 2] <= seen["growth_mib_h", 2] <= seen["growth_high_mib_h", 2]
    assert seen["descriptors_h", 2] == pytest.approx(0)
    assert found.findings == ("pid 7 (worker): 106.0 MiB, +6.0 MiB an hour (+6.0 to +6.0), +0.0 descriptors an hour",)


@pytest.mark.parametrize(
    ("given", "reason", "said"),
    [
        (soaked(looks(), failure()), Reason.REQUEST_FAILED, "1 of 22 requests failed, 0 may; the first was user 1"),
        (soaked(looks(90.0)), Reason.MEMORY_GROWS, "+90.0 MiB an hour"),
        (soaked(looks(0.0, 90.0)), Reason.DESCRIPTORS_GROW, "descriptors an hour"),
        (soaked(()), Reason.NO_PROOF, "no process of the server"),
        (
            Soaked(((stream(0, 1), stream(100, 101)),), looks(), 0.0, 110.0),
            Reason.STALLED,
            "no token of any user came for 99.0 s, 30 s are allowed",
        ),
    ],
)
def test_what_ends_a_soak(given: Soaked, reason: Reason, said: str) -> None:
    found = outcome(given, SETTINGS)
    assert (found.metrics, found.reason) == ((), reason)
    assert said in found.detail


def test_failures_that_are_allowed_are_counted_and_leave_the_rates_alone() -> None:
    seen = values(outcome(soaked(looks(), failure()), SETTINGS.model_copy(update={"max_failures": 1})).metrics)
    assert seen["failures", 2] == 1
    assert seen["total_tok_s", 2] == pytest.approx((20 * 19 + 11) / 200)


def test_nothing_but_failures_is_no_soak() -> None:
    found = outcome(Soaked(((failure(),),), looks(), 0.0, 1.0), SETTINGS.model_copy(update={"max_failures": 5}))
    assert (found.metrics, found.reason) == ((), Reason.REQUEST_FAILED)


def test_the_longest_gap_is_over_all_users_and_to_the_end() -> None:
    one, other = stream(0, 1, 1.0, 3), stream(0, 5, 1.0, 2)  # 1 2 3 and 5 6
    assert longest_gap_s([one, other], 0.0, 6.0) == 2
    assert longest_gap_s([one], 0.0, 3.0) == 1
    assert longest_gap_s([one, failure(3, 30)], 0.0, 30.0) == 27  # nothing came any more


def test_the_looks_after_the_plateau() -> None:
    seen = looks()
    assert len(after_plateau(seen, 0.25)) == 46 and after_plateau(seen[:1], 0.25) == []


class LateLooks:
    """A machine so busy that each look takes a while; `every_s` is the pace it could keep."""

    def __init__(self, takes_s: float) -> None:
        self.takes_s, self.begun = takes_s, list[float]()

    async def use(self) -> tuple[ProcessUse, ...]:
        self.begun.append(time.perf_counter())
        await asyncio.sleep(self.takes_s)
        return (ProcessUse(7, "worker", 100.0, 40),)


@pytest.mark.system
async def test_a_soak_that_could_not_look_often_enough_goes_on_until_it_has(tmp_path: Path) -> None:
    """Twenty looks are due after the plateau of one second; five hundredths each are too slow for that."""
    table = {"seconds": 1, "users": 1, "prompt_tokens": 64, "tokens": 16, "sample_s": 0.03, "stall_s": 30}
    watched = LateLooks(0.05)
    async with started(tmp_path, *ONE_WORKER, "--time-scale", "0.05") as simulated:
        door = Door(simulated.url, "chat", "sim", Vllm().sampling)

        async def no_cache() -> None:
            return None

        async with connections() as client:
            found = await soak(client, door, criteria_of("soak", table), 7, Surroundings(no_cache, watched))
    assert found.reason is None, found.detail
    assert len(after_plateau([Look(at, ()) for at in watched.begun], 0.25)) >= 20
    assert watched.begun[-1] - watched.begun[0] > 1.2, "longer than the second that was asked for"
