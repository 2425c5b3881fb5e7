"""How long production will be away."""

import math
from pathlib import Path

import pytest

from harness.planning import LaunchTime, estimate, ladder_s, protocol_s
from harness.planning.downtime import Answers, together_s
from harness.simulator.pace import OVERHEAD_S, Pace
from harness.vocabulary.criteria import DEFAULTS, Criteria, Ladder
from harness.vocabulary.metrics import METRICS, NOT_COMPARED, ProtocolName
from harness.vocabulary.target import Target

SIMULATED = Target.from_toml(Path(__file__).resolve().parents[3] / "targets" / "simulated-tp4.toml")


def test_every_launch_counts_and_production_starts_once_more() -> None:
    launch = LaunchTime(start_s=2, protocol_s=10, gates_s=3, stop_s=1)
    assert launch.total_s == 16
    assert estimate(24, launch) == 24 * 16 + 2


def test_a_ladder_takes_at_most_as_long_as_its_users_one_after_the_other() -> None:
    assert ladder_s(Ladder(steps=(1, 2, 4, 2, 1), tokens=64), user_tok_s=64) == pytest.approx(10)


def test_users_who_are_answered_together_share_a_server_in_rounds() -> None:
    alone_s = 256 / 20
    assert together_s(Answers(1, 256), 20, 64) == pytest.approx(alone_s)
    assert together_s(Answers(64, 256), 20, 64) == pytest.approx(64**0.67 * alone_s)
    assert together_s(Answers(20, 256), 20, 8) == pytest.approx((2 * 8**0.67 + 4**0.67) * alone_s), "three rounds"
    assert together_s(Answers(20, 256), 20, 1) == pytest.approx(20 * alone_s), "one after the other"
    ladder = Ladder(steps=(1, 2, 4, 8, 16, 32, 64, 64, 32, 16, 8, 4, 2, 1), tokens=256)
    assert ladder_s(ladder, 20) == pytest.approx(254 * alone_s)
    assert 17 * 60 < ladder_s(ladder, 20, 64) < 19 * 60


@pytest.mark.parametrize(("users", "each_tok_s"), [(2, 56.4), (4, 47.9), (8, 32.5), (24, 8.17), (32, 7.6)])
def test_it_is_no_less_than_what_four_v100s_took(users: int, each_tok_s: float) -> None:
    assert together_s(Answers(users, 256), 68.15, 32) >= 256 / each_tok_s


def test_a_ladder_takes_no_longer_on_the_shipped_simulator_than_planned() -> None:
    steps, planned = (1, 2, 4, 8, 8, 4, 2, 1), SIMULATED.planned
    taken_s = sum(OVERHEAD_S + 64 * Pace().step_s(users) for users in steps) / 20  # its time scale is 0.05
    assert taken_s < ladder_s(Ladder(steps=steps, tokens=64), planned.user_tok_s, planned.at_once or 1) < 1.5 * taken_s


@pytest.mark.parametrize("at_once", [0, -1])
def test_a_server_that_answers_nobody_is_refused(at_once: int) -> None:
    with pytest.raises(ValueError, match="answers 1 user or more at once"):
        ladder_s(Ladder(), 68, at_once)


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


def test_together_shortens_the_answers_and_not_the_prompts() -> None:
    mixed = criteria_of(ProtocolName.MIXED)
    assert protocol_s(mixed, 68, 8) == pytest.approx(3.5 + 24 * 874.6667 / 272 + 3 * 160 * 8**0.67 / 68, rel=1e-4)
    assert protocol_s(criteria_of(ProtocolName.SOAK), 68, 8) == 3600
