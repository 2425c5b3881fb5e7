"""A target denies every setting that it does not list, and says which and why."""

from typing import Any

import pytest

from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Allowed, Target

MINIMAL: dict[str, Any] = {
    "schema": 1,
    "name": "t",
    "adapter": "command",
    "users": 4,
    "baseline": {"command": ["server"], "flags": {"threads": 2}},
    "endpoint": {"port": 0},
    "ready": {"pattern": "ready", "timeout_s": 5},
    "planning": {"launch_sd_pct": 5, "start_s": 1, "user_tok_s": 50},
    "allowed_flags": {
        "threads": {"type": "int", "min": 1, "max": 2},
        "cache_type_k": {"type": "choice", "values": ["f16", "q8_0"]},
        "mlock": {"type": "bool"},
        "ratio": {"type": "float", "min": 0, "max": 1},
    },
    "allowed_env": {"OMP_NUM_THREADS": {"type": "int", "min": 1, "max": 2}},
}


def target(**changes: Any) -> Target:
    return Target.from_mapping({**MINIMAL, **changes}, "t.toml")


def denials(**change: Any) -> tuple[str, ...]:
    return target().denials(Arm.model_validate({"schema": 1, "name": "a", **change}))


@pytest.mark.parametrize(
    "change",
    [
        {"flags": {"threads": 1}},
        {"flags": {"cache-type-k": "q8_0"}},
        {"flags": {"mlock": True}},
        {"flags": {"ratio": 0.5}},
        {"env": {"OMP_NUM_THREADS": "2"}},
    ],
)
def test_listed_settings_are_admitted(change: dict[str, Any]) -> None:
    assert denials(**change) == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"flags": {"host": "0.0.0.0"}}, "'host'"),
        ({"flags": {"threads": 3}}, "between 1 and 2"),
        ({"flags": {"threads": 1.5}}, "a whole number"),
        ({"flags": {"threads": True}}, "a whole number"),
        ({"flags": {"threads": "two"}}, "a whole number"),
        ({"flags": {"ratio": "nan"}}, "between 0 and 1"),
        ({"flags": {"cache-type-k": "q4_0"}}, "one of f16, q8_0"),
        ({"flags": {"mlock": 1}}, "true or false"),
        ({"env": {"LD_PRELOAD": "/x.so"}}, "is not listed"),
        ({"env": {"OMP_NUM_THREADS": "9"}}, "between 1 and 2"),
    ],
)
def test_everything_else_is_denied_with_a_reason(change: dict[str, Any], said: str) -> None:
    found = denials(**change)
    assert len(found) == 1
    assert said in found[0]
    assert "target 't'" in found[0]


@pytest.mark.parametrize(
    "name", ["LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "HOME", "OPENAI_API_KEY", "PYTHONPATH", "SSH_AUTH_SOCK"]
)
def test_no_target_can_allow_dangerous_variables(name: str) -> None:
    with pytest.raises(BadFileError, match="can never be allowed"):
        target(allowed_env={name: {"type": "choice", "values": ["x"]}})


@pytest.mark.parametrize("value", [{"type": "int"}, {"type": "float", "min": 0}, {"type": "choice"}])
def test_an_open_range_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(BadFileError):
        Allowed.from_mapping(value, "here")


@pytest.mark.parametrize(
    "change", [{"ready": {"pattern": "(", "timeout_s": 5}}, {"armed": [{"marker": "WORKER (", "count": 1}]}]
)
def test_a_pattern_that_is_none_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadFileError, match="is not a regular expression"):
        target(**change)


@pytest.mark.parametrize("host", ["0.0.0.0", "example.org", ""])
def test_a_server_answers_on_loopback_only(host: str) -> None:
    with pytest.raises(BadFileError, match=r"endpoint\.host"):
        target(endpoint={"port": 0, "host": host})
