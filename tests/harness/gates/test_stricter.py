"""Whether a target or criteria ask for what the accepted baseline has not passed."""

from typing import Any

import pytest

from harness.gates.stricter import Passed, stricter
from harness.vocabulary.outcome import GateName
from harness.vocabulary.target import Target

PASSED = Passed("measure-old-000001", frozenset({"ready", "armed", "coherent"}), "KERNEL READY 0\nKERNEL READY 1\n")


def target(**changes: Any) -> Target:
    value: dict[str, Any] = {
        "schema": 1,
        "name": "t",
        "adapter": "command",
        "users": 4,
        "baseline": {"command": ["x"], "witness": [{"source": "log", "pattern": "READY 1"}]},
        "endpoint": {"port": 0},
        "ready": {"pattern": "ready", "timeout_s": 1},
        "armed": [{"marker": r"KERNEL READY \d", "count": 2}],
        "planning": {"launch_sd_pct": 5, "start_s": 1},
    }
    return Target.from_mapping(value | changes, "t")


@pytest.mark.parametrize(
    "gates",
    [
        (GateName.READY, GateName.ARMED),
        (GateName.COHERENT, GateName.QUIET),
        (GateName.CAPABILITY, GateName.QUALITY, GateName.IDENTICAL),  # of an arm, never of production
    ],
)
def test_what_the_baseline_passed_may_be_asked_for_again(gates: tuple[GateName, ...]) -> None:
    assert stricter(target(), gates, PASSED) == ()


def test_a_gate_that_it_did_not_pass_is_named() -> None:
    (said,) = stricter(target(), (GateName.READY, GateName.ISOLATED), PASSED)
    assert said == "gate 'isolated' did not hold on it, or was not checked"


def test_a_marker_that_its_log_does_not_show_as_often_is_named() -> None:
    (said,) = stricter(target(armed=[{"marker": r"KERNEL READY \d", "count": 4}]), (), PASSED)
    assert "stands 2 times, 4 needed" in said


def test_a_witness_that_its_log_does_not_show_is_named() -> None:
    baseline = {"command": ["x"], "witness": [{"source": "log", "pattern": "READY 7"}]}
    (said,) = stricter(target(baseline=baseline), (), PASSED)
    assert "the baseline's witness is not in its log" in said and "READY 7" in said
