"""Markers k of k, requested against effective, witnesses seen, and baselines that show an arm."""

from typing import Any

import pytest

from harness.adapters import ADAPTERS, EngineReport
from harness.gates.armed import check_armed, self_armed
from harness.gates.base import GateOutcome
from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import Reason
from harness.vocabulary.target import Target

LOG = "WORKER 0 ARMED\nWORKER 1 ARMED\nn_batch = 512\n"
EFFECTIVE = {"n-parallel": "1", "threads": "2"}
PROPS = {"total_slots": 1, "nested": [{"speculative": False}]}


def target(**changes: Any) -> Target:
    value = {
        "schema": 1,
        "name": "t",
        "adapter": "llamacpp",
        "users": 4,
        "baseline": {
            "command": ["x"],
            "flags": {"n_parallel": 1, "threads": 2},
            "witness": [{"source": "props", "path": "total_slots", "equals": 1}],
        },
        "endpoint": {"port": 0},
        "ready": {"pattern": "ready", "timeout_s": 1},
        "armed": [{"marker": r"WORKER \d ARMED", "count": 2}],
        "planning": {"launch_sd_pct": 5, "start_s": 1},
    }
    return Target.from_mapping(value | changes, "t")


def arm(name: str = "four", **changes: Any) -> Arm:
    value = {
        "schema": 1,
        "name": name,
        "flags": {"n-parallel": 4},
        "witness": [{"source": "props", "path": "total_slots", "equals": 4}],
    }
    return Arm.from_mapping(value | changes, name)


def checked(arm_: Arm | None, arms: tuple[Arm, ...] = (), **report: Any) -> GateOutcome:
    seen = EngineReport(**({"log": LOG, "effective": EFFECTIVE, "props": PROPS} | report))
    return check_armed(target(), arm_, arms, ADAPTERS["llamacpp"], seen)


def test_a_baseline_that_runs_as_described_is_armed() -> None:
    outcome = checked(None, (arm(),))
    assert (outcome.passed, outcome.reason) == (True, None)


@pytest.mark.parametrize(("log", "count"), [("WORKER 0 ARMED\n", 1), (LOG + "WORKER 2 ARMED\n", 3), ("", 0)])
def test_markers_must_stand_k_times(log: str, count: int) -> None:
    outcome = checked(None, log=log)
    assert (outcome.passed, outcome.reason) == (False, Reason.NOT_ARMED)
    assert f"stands {count} times, 2 needed" in outcome.evidence


def test_a_setting_that_differs_from_what_was_asked_is_named() -> None:
    outcome = checked(arm(), effective={"n-parallel": "1", "threads": "2"}, props={"total_slots": 4})
    assert (outcome.passed, outcome.reason) == (False, Reason.NOT_ARMED)
    assert outcome.evidence == "asked n-parallel=4, the engine says 1"


def test_a_setting_that_the_engine_does_not_report_is_left_to_the_witness() -> None:
    assert checked(arm(), effective={}, props={"total_slots": 4}).passed


def test_an_arm_whose_witness_is_seen_is_armed() -> None:
    outcome = checked(arm(), effective=EFFECTIVE | {"n-parallel": "4"}, props={"total_slots": 4})
    assert (outcome.passed, outcome.reason) == (True, None)
    assert outcome.evidence == "seen: props total_slots = 4"


def test_an_arm_whose_witness_is_not_seen_is_not_engaged() -> None:
    outcome = checked(arm(), effective={}, props={"total_slots": 1})
    assert (outcome.passed, outcome.reason) == (False, Reason.NOT_ENGAGED)
    assert "total_slots = 4" in outcome.evidence


def test_an_arm_without_a_witness_passes_with_a_note() -> None:
    outcome = checked(arm(witness=[]), effective={})
    assert (outcome.passed, outcome.reason) == (True, Reason.NO_WITNESS)


def test_a_baseline_whose_own_witness_is_missing_fails() -> None:
    outcome = checked(None, effective={}, props={"total_slots": 2})
    assert (outcome.passed, outcome.reason) == (False, Reason.NOT_ENGAGED)


def test_a_baseline_that_shows_an_arms_witness_says_whose() -> None:
    guilty = arm("always", witness=[{"source": "log", "pattern": "ARMED"}])
    outcome = checked(None, (arm(), guilty))
    assert (outcome.passed, outcome.reason) == (True, Reason.SELF_ARMED)
    assert "'always'" in outcome.evidence and "'four'" not in outcome.evidence


def test_an_arm_with_one_witness_unseen_on_the_baseline_is_not_self_armed() -> None:
    both = arm(witness=[{"source": "log", "pattern": "ARMED"}, {"source": "props", "path": "total_slots", "equals": 4}])
    report = EngineReport(log=LOG, props=PROPS)
    assert self_armed((both, arm("bare", witness=[])), report) == ()


@pytest.mark.parametrize(
    ("witness", "seen"),
    [
        ({"source": "log", "pattern": r"n_batch = 512$"}, True),
        ({"source": "log", "pattern": r"ARMED\nn_batch"}, False),  # one line at a time
        ({"source": "props", "path": "nested.0.speculative", "equals": False}, True),
        ({"source": "props", "path": "nested.1.speculative", "equals": False}, False),
        ({"source": "props", "path": "total_slots.deeper", "equals": 1}, False),
        ({"source": "props", "path": "nested", "equals": 1}, False),
        ({"source": "metrics", "path": "drafts_total", "equals": 3}, True),
        ({"source": "metrics", "path": "drafts_total", "equals": 4}, False),
        ({"source": "metrics", "path": "absent", "equals": 0}, False),
    ],
)
def test_witnesses_read_log_props_and_metrics(witness: dict[str, Any], seen: bool) -> None:
    outcome = checked(arm(witness=[witness]), effective={}, metrics={"drafts_total": 3.0})
    assert outcome.passed is seen


@pytest.mark.parametrize("pattern", [".*.*.*.*ARMED", "(?:A|A)*RMED", "(W+)+ORKER"])
def test_a_pattern_whose_search_might_never_end_is_never_seen(pattern: str) -> None:
    slow = arm(witness=[{"source": "log", "pattern": pattern}])  # this log has it, and would be searched quickly
    outcome = checked(slow, effective={})
    assert (outcome.passed, outcome.reason) == (False, Reason.NOT_ENGAGED)
    assert "not searched for: the pattern" in outcome.evidence
    assert self_armed((slow,), EngineReport(log=LOG, props=PROPS)) == ()
