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


@pytest.mark.parametrize(("path", "good"), [("", True), ("/tokenize", True), ("tokenize", False), ("/a b", False)])
def test_a_tokenizer_is_a_path_of_the_server(path: str, good: bool) -> None:
    if good:
        assert target(endpoint={"port": 0, "tokenizer": path}).endpoint.tokenizer == path
    else:
        with pytest.raises(BadFileError, match="tokenizer"):
            target(endpoint={"port": 0, "tokenizer": path})


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
        ({"flags": {"mlock": "true"}}, "true or false, without quotes"),
        ({"flags": {"cache-type-k": True}}, "one of f16, q8_0"),
        ({"env": {"LD_PRELOAD": "/x.so"}}, "is not listed"),
        ({"flags": {"cache-typ-k": "f16"}}, "is not listed for target 't' (the nearest listed one is 'cache-type-k')"),
        ({"env": {"OMP_NUM_THREADS": "9"}}, "between 1 and 2"),
    ],
)
def test_everything_else_is_denied_with_a_reason(change: dict[str, Any], said: str) -> None:
    found = denials(**change)
    assert len(found) == 1
    assert said in found[0]
    assert "target 't'" in found[0]


@pytest.mark.parametrize("value", [1, 1.0, "1"])
def test_one_change_has_one_fingerprint_and_is_admitted(value: object) -> None:
    arm = Arm.model_validate({"schema": 1, "name": "a", "flags": {"threads": value}})
    assert arm.fingerprint == Arm.model_validate({"schema": 1, "name": "b", "flags": {"threads": 1}}).fingerprint
    assert target().denials(arm) == ()


@pytest.mark.parametrize("value", ["01", "1.0", " 1", "+1", "1e0", "1_0", "\u0661"])
def test_another_spelling_of_a_number_is_denied_with_the_right_one(value: str) -> None:
    (said,) = denials(flags={"threads": value})
    assert f"must be written as {'10' if value == '1_0' else '1'} for target 't'" in said
    (said,) = denials(env={"OMP_NUM_THREADS": value})
    assert "must be written as 1" in said


def test_a_fraction_has_one_spelling_too() -> None:
    assert denials(flags={"ratio": "0.5"}) == () == denials(flags={"ratio": 0.5})
    (said,) = denials(flags={"ratio": ".50"})
    assert "must be written as 0.5" in said


@pytest.mark.parametrize(
    "name",
    [
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "HOME", "OPENAI_API_KEY", "PYTHONPATH", "SSH_AUTH_SOCK"),
        *(
            "GCONV_PATH",
            "BASH_ENV",
            "ENV",
            "HTTP_PROXY",
            "https_proxy",
            "ALL_PROXY",
            "AWS_CREDENTIALS",
            "OPENAI_PASSWD",
        ),
        *("VLLM_HOST_IP", "HOSTALIASES", "NODE_OPTIONS", "PERL5LIB", "RUBYOPT"),
    ],
)
def test_no_target_can_allow_dangerous_variables(name: str) -> None:
    with pytest.raises(BadFileError, match="can never be allowed"):
        target(allowed_env={name: {"type": "choice", "values": ["x"]}})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("host", "where the server answers"),
        ("port", "where the server answers"),
        ("master_addr", "where the server answers"),
        ("model-url", "whom it talks to"),
        ("rpc", "whom it talks to"),
        ("alias", "the bench's proof of who it is"),
        ("Served_Model_Name", "the bench's proof of who it is"),
        ("api-key", "looks like a secret"),
        ("api-key-file", "looks like a secret"),
        ("hf-token", "looks like a secret"),
        ("ssl-keyfile", "looks like a secret"),
        ("admin-password", "looks like a secret"),
        ("credentials", "looks like a secret"),
        ("client-secret", "looks like a secret"),
        ("log-file", "read or write"),
        ("slot-save-path", "read or write"),
        ("download-dir", "read or write"),
    ],
)
def test_no_target_can_allow_dangerous_flags(name: str, reason: str) -> None:
    with pytest.raises(BadFileError, match=f"'{name}' can never be allowed to an arm: .*{reason}.*; leave it out"):
        target(allowed_flags={name: {"type": "choice", "values": ["x"]}})


def test_flags_that_only_sound_like_secrets_can_be_allowed() -> None:
    names = ("max-num-batched-tokens", "cache-type-k", "tokenizer-mode", "override-kv", "threads-http", "log-verbosity")
    assert set(target(allowed_flags={name: {"type": "bool"} for name in names}).allowed_flags) == set(names)


@pytest.mark.parametrize("name", ["HF_TOKEN", "API_KEY", "db_passwd", "AWS_CREDENTIALS", "THE_SECRET"])
def test_no_target_can_record_a_secret(name: str) -> None:
    with pytest.raises(BadFileError, match=f"'{name}' looks like a secret, so its value can never be recorded"):
        target(recorded_env=["LANG", name])


@pytest.mark.parametrize("name", ["api-key", "API_KEY", "api-key-file", "ssl-keyfile", "ssl-keyfile-password"])
def test_a_key_that_a_server_asks_its_users_for_belongs_to_a_proxy(name: str) -> None:
    said = f"'{name}' makes the server ask its users for a key or for TLS, and the harness asks without either"
    with pytest.raises(BadFileError, match=said):
        target(baseline={"command": ["server"], "flags": {name: "x"}})


@pytest.mark.parametrize("name", ["hf-token", "db_password", "hf.secret"])
def test_a_secret_flag_of_the_baseline_belongs_into_its_environment(name: str) -> None:
    said = (
        f"'{name}' looks like a secret, and every flag is recorded; put the engine's variable for it into NAME.private"
    )
    with pytest.raises(BadFileError, match=said):
        target(baseline={"command": ["server"], "flags": {name: "x"}})


@pytest.mark.parametrize(
    "change",
    [
        {"baseline": {"command": ["server"], "flags": {"a_b": 1, "a-b": 2}}},
        {"allowed_flags": {"a_b": {"type": "bool"}, "a-b": {"type": "int", "min": 1, "max": 2}}},
    ],
)
def test_two_spellings_of_one_flag_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadFileError, match="'a_b' and 'a-b' are two spellings of one flag; keep one"):
        target(**change)


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


@pytest.mark.parametrize("name", ["gpu1", "ada@gpu1.example", "ada@192.0.2.7", "::1"])
def test_another_host_has_a_name_a_folder_and_a_python(name: str) -> None:
    if name.startswith(":"):
        with pytest.raises(BadFileError, match="host"):
            target(host={"ssh": name})
        return
    host = target(host={"ssh": name}).host
    assert host is not None
    assert (host.ssh, host.folder, host.python) == (name, ".committee", "python3")


@pytest.mark.parametrize(
    "host",
    [
        {"ssh": "gpu1", "folder": "a b"},
        {"ssh": "gpu1", "folder": "$HOME"},
        {"ssh": "gpu1", "folder": "../up"},
        {"ssh": "gpu1", "folder": "-x"},
        {"ssh": "gpu1", "python": "python3; true"},
        {"ssh": "gpu1", "python": ""},
        {"ssh": "-oProxyCommand=x"},
        {"ssh": "gpu1 x"},
        {},
    ],
)
def test_another_host_is_named_in_plain_words(host: dict[str, str]) -> None:
    with pytest.raises(BadFileError, match=r"'host\."):
        target(host=host)


def test_a_target_on_this_machine_keeps_the_form_that_plans_were_made_of() -> None:
    assert "host" not in target().model_dump(mode="json", by_alias=True)
    assert target(host={"ssh": "gpu1"}).model_dump(mode="json", by_alias=True)["host"]["ssh"] == "gpu1"
