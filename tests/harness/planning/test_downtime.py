"""How long production will be away."""

import math

import pytest

from harness.planning import LaunchTime, estimate, ladder_s, protocol_s
from harness.vocabulary.criteria import DEFAULTS, Criteria, Ladder
from harness.vocabulary.metrics import METRICS, NOT_COMPARED, ProtocolName


def test_every_launch_counts_and_production_starts_once_more() -> None:
    launch = LaunchTime(start_s=2, protocol_s=10, gates_s=3, stop_s=1)
    assert launch.total_s == 16
    assert estimate(24, launch) == 24 * 16 + 2


def test_a_ladder_takes_at_most_as_long_as_its_users_one_after_the_other() -> None:
    assert ladder_s(Ladder(steps=(1, 2, 4, 2, 1), tokens=64), user_tok_s=64) == pytest.approx(10)


@pytest.mark.parametrize("launches", [-1])
def test_a_negative_count_is_refused(launches: int) -> None:
    with pytest.raises(ValueError, match="not -1 launches"):
        estimate(launches, LaunchTime(1, 1))


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_a_time_that_is_none_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="times of 0 or more"):
        estimate(1, LaunchTime(1, bad))


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_rate_that_is_none_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        ladder_s(Ladder(), bad)


def criteria_of(protocol: ProtocolName) -> Criteria:
    """Criteria with the protocol's defaults."""
    settings = DEFAULTS[protocol]
    metric = next(metric for metric in METRICS[protocol] if metric not in NOT_COMPARED)
    size = {"size": settings.sizes[0]} if settings.sizes else {}
    return Criteria.model_validate(
        {
            "schema": 1,
            "protocol": protocol,
            "blocks": 2,
            "level": 0.05,
            "primary": {"metric": metric, "load": settings.loads[0], "smallest_effect_pct": 10, **size},
            "numerics": {"policy": "identical"},
        }
    )


@pytest.mark.parametrize(
    ("protocol", "seconds"),
    [
        ("ladder", 30 * 256 / 68),
        ("mixed", 3.5 + 24 * 874.6667 / 272 + 24 * 160 / 68),
        ("documents", 86016 * 5 / 272 + 15 * 32 / 68),
        ("shared_document", 11 * 16384 / 272 + 11 * 32 / 68),
        ("nested_prefix", 5 * 4096 / 272 + 48 / 68),
        ("priority", 20 + 4 * 65536 / 272 + (256 + 128) / 68),
        ("soak", 3600),  # whatever the server does
        ("burst", 4 + 40 * 64 / 272 + 40 * 64 / 68),
        ("tool_calls", 16 * 512 / 272 + 16 * 256 / 68),
        ("vision", 3 * 4096 / 272 + 4 * 16 / 68),
        ("identity", 12 * 64 / 272 + 12 * 128 / 68),
        ("coherence", 16 * 64 / 272 + 16 * 256 / 68),
        ("time_limit", 131072 / 272 + 16 / 68),
    ],
)
def test_every_protocol_has_its_time(protocol: str, seconds: float) -> None:
    """A single user at 68 tok/s, prompts read at four times that."""
    assert protocol_s(criteria_of(ProtocolName(protocol)), 68) == pytest.approx(seconds, rel=1e-4)


def test_a_rate_that_is_none_is_refused_for_every_protocol() -> None:
    for protocol in ProtocolName:
        with pytest.raises(ValueError, match="must be above 0"):
            protocol_s(criteria_of(protocol), 0)
