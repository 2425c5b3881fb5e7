"""Markers k of k, requested against effective, witnesses seen, and baselines that show an arm."""

from dataclasses import replace
from typing import Any

import pytest

from harness.adapters import ADAPTERS, EngineReport
from harness.gates.armed import NOTHING_SEEN, check_armed, self_armed
from harness.gates.base import GateOutcome
from harness.gates.running import Running
from harness.hosts.looking import Card, LoadedObject, OtherLog, Process
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


def checked(
    arm_: Arm | None, arms: tuple[Arm, ...] = (), running: Running = NOTHING_SEEN, **report: Any
) -> GateOutcome:
    seen = EngineReport(**({"log": LOG, "effective": EFFECTIVE, "props": PROPS} | report))
    return check_armed(target(), arm_, arms, ADAPTERS["llamacpp"], seen, running)


def test_a_baseline_that_runs_as_described_is_armed() -> None:
    outcome = checked(None, (arm(),))
    assert (outcome.passed, outcome.reason) == (True, None)


@pytest.mark.parametrize(
    ("log", "count", "reason"),
    [
        ("WORKER 0 ARMED\n", 1, Reason.PARTLY_ARMED),
        (LOG + "WORKER 2 ARMED\n", 3, Reason.BASELINE_UNARMED),
        ("", 0, Reason.BASELINE_UNARMED),
    ],
)
def test_markers_must_stand_k_times(log: str, count: int, reason: Reason) -> None:
    outcome = checked(None, log=log)
    assert (outcome.passed, outcome.reason) == (False, reason)
    assert f"stands {count} times, 2 needed" in outcome.evidence


def test_an_arm_without_any_marker_is_not_armed() -> None:
    assert checked(arm(), log="").reason is Reason.NOT_ARMED


def test_a_marker_in_another_log_says_where() -> None:
    other = OtherLog("/state/logs/production-1.log", (2,))
    outcome = checked(arm(), log="", running=Running(other_logs=(other,)))
    assert outcome.reason is Reason.MARKER_ELSEWHERE
    assert "stands 0 times, 2 needed in its own log" in outcome.evidence and other.path in outcome.evidence
    assert checked(None, running=Running(other_logs=(other,))).passed, "its own log shows it as well"


WORKERS = {"marker": r"pid=(?P<pid>\d+) rank (?P<worker>\d) ARMED", "count": 2}


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("pid=11 rank 0 ARMED\npid=12 rank 1 ARMED\n", None),
        ("pid=11 rank 0 ARMED\npid=11 rank 0 ARMED\n", Reason.MARKED_TWICE),
        ("pid=11 rank 0 ARMED\n", Reason.PARTLY_ARMED),
        ("pid=11 rank 0 ARMED\npid=99 rank 1 ARMED\n", Reason.MARKER_ELSEWHERE),
    ],
)
def test_a_marker_that_names_worker_and_process_counts_those(lines: str, reason: Reason | None) -> None:
    seen = EngineReport(log=lines, effective=EFFECTIVE, props=PROPS)
    running = Running(processes=(process(10), process(11), process(12)))
    outcome = check_armed(target(armed=[WORKERS]), None, (), ADAPTERS["llamacpp"], seen, running)
    assert outcome.reason is reason


def process(pid: int, argv: tuple[str, ...] = ("python", "serve"), **env: str | None) -> Process:
    return Process(pid, 1, "python", argv, tuple(env.items()))


def test_a_setting_that_stays_as_in_the_baseline_was_ignored() -> None:
    outcome = checked(arm(), effective={"n-parallel": "1", "threads": "2"}, props={"total_slots": 4})
    assert (outcome.passed, outcome.reason) == (False, Reason.REQUEST_IGNORED)
    assert outcome.evidence == "asked n-parallel=4, the engine says 1, as in the baseline: it was ignored"


def test_a_number_that_is_neither_the_asked_nor_the_old_one_was_clamped() -> None:
    asked = arm(flags={"n-parallel": 16})
    assert checked(asked, effective={"n-parallel": "15"}).reason is Reason.CLAMPED
    assert checked(None, effective={"n-parallel": "15"}).reason is Reason.CLAMPED


def test_a_word_that_differs_is_an_unarmed_arm_or_baseline() -> None:
    typed = {"cache-type-k": "q8_0"}
    assert checked(arm(flags=typed), effective={"cache-type-k": "f16"}).reason is Reason.NOT_ARMED
    wrong = target(baseline={"command": ["x"], "flags": typed})
    seen = EngineReport(log=LOG, effective={"cache-type-k": "f16"})
    assert check_armed(wrong, None, (), ADAPTERS["llamacpp"], seen).reason is Reason.BASELINE_UNARMED


def test_a_value_that_the_engine_read_otherwise_was_not_passed() -> None:
    outcome = checked(arm(), effective=EFFECTIVE | {"n-parallel": "4"}, parsed={"n-parallel": "2"})
    assert outcome.reason is Reason.NOT_PASSED and outcome.evidence == "asked n-parallel=4, the engine read 2"


def test_a_pinned_variable_of_which_the_engine_derives_its_own_value_was_ignored() -> None:
    asked = arm(flags={}, env={"PARTITION": "2048"})
    outcome = checked(asked, effective=EFFECTIVE | {"PARTITION": "1024"}, props={"total_slots": 4})
    assert outcome.reason is Reason.VARIABLE_IGNORED
    assert outcome.evidence == "asked PARTITION=2048, the engine says 1024: it derives its own"
    assert checked(asked, effective=EFFECTIVE | {"PARTITION": "2048"}, props={"total_slots": 4}).passed
    pinned = {"command": ["x"], "env": {"PARTITION": "2048"}}
    seen = EngineReport(log=LOG, effective={"PARTITION": "1024"})
    assert check_armed(target(baseline=pinned), None, (), ADAPTERS["vllm"], seen).passed, "production may keep it"


SERVE = ("/usr/bin/python", "serve", "--n_parallel=4", "--threads", "2")


@pytest.mark.parametrize(
    ("processes", "words"),
    [
        ((process(7, SERVE[:2] + SERVE[3:]),), "has '--n-parallel 4' in its command line"),
        ((process(7, SERVE, FUSED="1"), process(8, ("python", "-c", "spawn"), OTHER="1")), "pid 8 (python) lacks"),
        ((process(7, SERVE, FUSED="1"), process(8, ("Worker_TP0",), FUSED="0")), "pid 8 (python) has FUSED='0'"),
    ],
)
def test_what_did_not_reach_a_process_was_not_passed(processes: tuple[Process, ...], words: str) -> None:
    asked = arm(env={"FUSED": "1"})
    outcome = checked(asked, running=Running(processes), effective={}, props={"total_slots": 4})
    assert (outcome.passed, outcome.reason) == (False, Reason.NOT_PASSED)
    assert words in outcome.evidence


@pytest.mark.parametrize(
    "processes",
    [
        (process(7, SERVE, FUSED="1"), process(8, ("sh", "-c", "true"), PATH="/bin")),  # a helper's environment
        (process(7, SERVE, FUSED="1"), Process(8, 7, "python", ("python", "-c", "spawn"), None)),  # not readable
        (process(7, ("VLLM::APIServer",), FUSED="1"),),  # a title instead of a command line
        (process(7, SERVE, FUSED=None),),  # by name only
    ],
)
def test_what_cannot_be_seen_is_no_evidence(processes: tuple[Process, ...]) -> None:
    asked = arm(env={"FUSED": "1"})
    assert checked(asked, running=Running(processes), effective={}, props={"total_slots": 4}).passed


def test_what_reached_the_process_without_effect_was_ignored() -> None:
    asked = arm(env={"FUSED": "1"})
    seen = Running((process(7, SERVE, FUSED="1"), process(8, ("python", "-c", "spawn"), FUSED="1")))
    outcome = checked(asked, running=seen, effective={}, props={"total_slots": 1})
    assert outcome.reason is Reason.REQUEST_IGNORED
    assert "the command line of pid 7 and the environment of pids [7, 8]" in outcome.evidence
    alone = checked(arm(flags={}, env={"FUSED": "1"}), running=seen, effective={}, props={"total_slots": 1})
    assert alone.reason is Reason.VARIABLE_IGNORED and "the environment of pids [7, 8]" in alone.evidence


OBJECT = "/srv/engine/attn.so"


def swapped(sha256: str) -> Arm:
    overlay = {"path": OBJECT, "source": "/srv/beside/attn.so", "sha256": sha256}
    return arm("swapped", flags={}, overlay=[overlay], witness=[])


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ((LoadedObject("/srv/engine/other.so", 1, "a" * 64, (7, 8)),), "0 of 2 processes have mapped"),
        ((LoadedObject(OBJECT, 1, "a" * 64, (7,)),), "1 of 2 processes have mapped"),
        ((LoadedObject(OBJECT, 1, "b" * 64, (7, 8)),), "pids [7, 8] have mapped another content"),
        ((LoadedObject(OBJECT, 1, "a" * 64, (7,)), LoadedObject(OBJECT, 1, None, (8,))), "pids [8] have mapped"),
    ],
)
def test_an_object_that_is_not_mapped_as_asked_is_not_loaded(objects: tuple[LoadedObject, ...], words: str) -> None:
    outcome = checked(swapped("a" * 64), running=Running(objects=objects))
    assert (outcome.passed, outcome.reason) == (False, Reason.OBJECT_NOT_LOADED)
    assert words in outcome.evidence


def test_an_object_that_every_worker_mapped_is_loaded() -> None:
    right = Running(objects=(LoadedObject(OBJECT, 1, "a" * 64, (7, 8)),))
    assert checked(swapped("a" * 64), running=right).passed
    assert checked(swapped("a" * 64)).passed, "what cannot be seen is no evidence"


def test_another_model_than_the_arms_is_not_loaded() -> None:
    asked = arm("file", flags={}, model="/srv/iq4.gguf", witness=[])
    old = Running(objects=(LoadedObject("/srv/q4.gguf", 1, None, (7,)),))
    outcome = checked(asked, running=old)
    assert outcome.reason is Reason.OBJECT_NOT_LOADED and "'/srv/iq4.gguf' is not mapped" in outcome.evidence


def card(index: int, *pids: int) -> Card:
    return Card(index, 100, 100, 1500, 1500, 50, (), pids)


@pytest.mark.parametrize(("holders", "reason"), [((7, 8), None), ((7, 99), Reason.CARD_UNUSED), ((98, 99), None)])
def test_every_card_must_hold_its_share(holders: tuple[int, int], reason: Reason | None) -> None:
    parallel = target(baseline={"command": ["x"], "flags": {"tensor-parallel-size": 2}})
    seen = Running((process(7), process(8)), cards=tuple(card(index, pid) for index, pid in enumerate(holders)))
    outcome = check_armed(parallel, None, (), ADAPTERS["vllm"], EngineReport(log=LOG), seen)
    assert outcome.reason is reason  # where no card names a process of ours, pids are another namespace's
    silent = replace(seen, cards=(card(0, 7), replace(card(1), pids=None)))
    assert check_armed(parallel, None, (), ADAPTERS["vllm"], EngineReport(log=LOG), silent).passed  # nobody knows


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
    assert (outcome.passed, outcome.reason) == (False, Reason.BASELINE_UNARMED)


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
