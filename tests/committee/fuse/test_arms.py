"""A reviewer's words become an arm only where the target admits it; else one sentence says why."""

from typing import Any

import pytest

from committee.fuse.arms import NO_ARM, arm_from, parse_arm, slug
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import Allowed
from tests.committee.proposals.sample import make_target


def test_an_allowed_change_becomes_an_arm() -> None:
    arm = arm_from(
        {
            "name": "Four slots!",
            "flags": {"n_parallel": 4},
            "env": {},
            "title": "",
            "witness": [{"source": "props", "pattern": None, "path": "total_slots", "equals": 4}],
        },
        make_target(),
    )
    assert isinstance(arm, Arm)
    assert arm.name == "four-slots"
    assert arm.witness[0].equals == 4
    assert arm.fingerprint == Arm.model_validate({"schema": 1, "name": "x", "flags": {"n-parallel": "4"}}).fingerprint


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (None, NO_ARM),
        ({"name": "x", "flags": {"n-parallel": 9}}, "must be between 1 and 8"),
        ({"name": "x", "flags": {"host": "0.0.0.0"}}, "'host' = '0.0.0.0' is not listed"),
        ({"name": "x", "env": {"LD_PRELOAD": "/tmp/x.so"}}, "'LD_PRELOAD'"),
        ({"name": "x"}, "at least one flag or env"),
        ({"name": "x", "flags": {"--n-parallel": 4}}, "not a flag or variable name"),
        ({"name": "x", "flags": {"n-parallel": "4\n--host 0"}}, "control character"),
        ({"name": "x", "flags": {"n-parallel": [4]}}, "n-parallel"),
        ({"name": "x", "flags": {"n-parallel": 4}, "run": "rm -rf /"}, "unknown key 'run'"),
        ({"name": "x", "flags": {"n-parallel": 4}, "witness": [{"source": "log", "pattern": "("}]}, "regular"),
        ({"name": "x", "flags": {"n-parallel": float("nan")}}, "n-parallel"),
        ({"name": "x", "flags": {"n_parallel": "1"}}, "already has"),
    ],
)
def test_what_cannot_run_is_one_sentence(written: dict[str, Any] | None, words: str) -> None:
    said = arm_from(written, make_target())
    assert isinstance(said, str)
    assert words in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("pattern", "admitted"),
    [
        (r"K \(q8_0\)", True),
        (r"n_batch\s+= 1024", True),
        (r"n_threads = 1\b", True),
        (r"size [()]+ \)+", True),
        (r"(a+)+$", False),
        (r"(a|a)*b", False),
        (r"(?:x{1,9}){9}", False),
        (r"(a)\1", False),
        (r".*.*.*.*ZZZ", False),
        (r"a*a*a*a*b", False),
    ],
)
def test_a_pattern_that_may_never_end_is_not_searched_for(pattern: str, admitted: bool) -> None:
    written = {"name": "x", "flags": {"n-parallel": 4}, "witness": [{"source": "log", "pattern": pattern}]}
    assert isinstance(arm_from(written, make_target()), Arm) is admitted


def test_a_denied_arm_still_parses() -> None:
    arm = parse_arm({"name": "x", "flags": {"host": "0.0.0.0"}})
    assert isinstance(arm, Arm)


@pytest.mark.parametrize(
    ("name", "expected"), [("A  b", "a-b"), ("", "unnamed"), ("文件", "unnamed"), ("-x-", "x"), ("a" * 60, "a" * 48)]
)
def test_names_are_brought_into_form(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_taking_away_a_flag_that_is_not_there_is_no_change() -> None:
    listed = {"x": Allowed(type="bool")}
    target = make_target().model_copy(update={"allowed_flags": listed})
    assert "already has" in str(arm_from({"name": "a", "flags": {"x": False}}, target))
    assert isinstance(arm_from({"name": "a", "flags": {"x": True}}, target), Arm)
