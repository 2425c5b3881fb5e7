"""Files: what an arm may name, and every way in which a target denies it."""

from typing import Any

import pytest

from harness.vocabulary.accepted import Accepted, with_accepted
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target

SHA = "a" * 64
OVER = {"path": "/opt/lib/a.so", "source": "/srv/builds/a/a.so", "sha256": SHA}
BUILD = {"argv": ["/usr/bin/ninja"], "cwd": "/srv/src", "output": "/srv/builds/a/a.so"}
VALUE: dict[str, Any] = {
    "schema": 1,
    "name": "t",
    "adapter": "command",
    "users": 4,
    "baseline": {"command": ["bash", "/srv/deploy.sh"], "flags": {"model": "/models/q4.gguf"}, "witness": []},
    "endpoint": {"port": 0},
    "ready": {"pattern": "ready", "timeout_s": 5},
    "planning": {"launch_sd_pct": 5, "start_s": 1},
    "model_flag": "model",
    "allowed_models": [{"path": "/models/one.gguf"}, {"folder": "/models/more", "pattern": "*-Q?.gguf"}],
    "allowed_overlays": [{"path": "/opt/lib/a.so", "sources": "/srv/builds"}],
    "deploy": {"script": "/srv/deploy.sh", "edits": True},
    "build": {
        "programs": ["/usr/bin/ninja"],
        "folders": ["/srv/src"],
        "output": "/srv/builds",
        "reference": ["/opt/reference"],
    },
}


def target(**changes: Any) -> Target:
    return Target.from_mapping(VALUE | changes, "t.toml")


def arm(**change: Any) -> Arm:
    return Arm.from_mapping({"schema": 1, "name": "a", **change}, "a.toml")


def test_fingerprints_of_flags_and_variables_are_what_they_always_were() -> None:
    """Pinned: acceptances and orders on record name it."""
    one = arm(flags={"n_parallel": 4}, env={"X": "1"})
    assert one.fingerprint == "d2fefdb229530d9dce8706cb277bcbb52dd6331661471543a3ee0db3af7d8c73"
    assert one.model_dump(mode="json", by_alias=True) == {
        "schema": 1, "name": "a", "title": "", "flags": {"n_parallel": 4}, "env": {"X": "1"}, "witness": [],
    }  # fmt: skip


def test_every_kind_of_change_has_a_fingerprint_of_its_own() -> None:
    changes: list[dict[str, Any]] = [
        {"model": "/models/one.gguf"},
        {"model": "/models/two.gguf"},
        {"overlay": [OVER]},
        {"overlay": [OVER | {"sha256": "b" * 64}]},
        {"overlay": [{"path": OVER["path"], "source": OVER["source"]}], "build": BUILD},
        {
            "overlay": [{"path": OVER["path"], "source": OVER["source"]}],
            "build": BUILD | {"argv": ["/usr/bin/ninja", "x"]},
        },
        {"deploy": [{"find": "a", "replace": "b"}]},
        {"deploy": [{"find": "a", "replace": "c"}]},
        {"flags": {"a": "b"}},
    ]
    assert len({arm(**change).fingerprint for change in changes}) == len(changes)
    elsewhere = arm(overlay=[OVER | {"source": "/srv/builds/renamed.so"}])
    assert elsewhere.fingerprint == arm(overlay=[OVER]).fingerprint  # the content counts, not where it lay


def test_its_files_in_words() -> None:
    change = {"overlay": [{"path": OVER["path"], "source": OVER["source"]}], "build": BUILD}
    assert arm(model="/models/one.gguf", deploy=[{"find": "a", "replace": "b"}], **change).file_words == (
        "model /models/one.gguf",
        "overlay /opt/lib/a.so by /srv/builds/a/a.so",
        "deploy script: 'a' becomes 'b'",
        "build /usr/bin/ninja",
    )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"model": "/models/one.gguf"}, False),
        ({"flags": {"a": 1}}, False),
        ({"overlay": [OVER]}, True),
        ({"deploy": [{"find": "a", "replace": "b"}]}, True),
    ],
)
def test_what_is_code_needs_a_persons_yes(change: dict[str, Any], code: bool) -> None:
    assert arm(**change).is_code is code


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model": "models/one.gguf"}, "must be an absolute path"),
        ({"model": "/models/../etc/passwd"}, "must be an absolute path without '..'"),
        ({"model": "//models/one.gguf"}, "must be an absolute path"),
        ({"model": "/"}, "must be an absolute path"),
        ({"model": "/models/a\nb"}, "control characters"),
        ({"overlay": [{"path": "/a", "source": "/b"}]}, "the overlay of '/a' needs sha256"),
        ({"overlay": [OVER, OVER | {"source": "/srv/x"}]}, "two overlays name the same file"),
        ({"overlay": [OVER], "build": BUILD | {"output": "/srv/builds/b.so"}}, "which no overlay takes as its source"),
        ({"build": BUILD}, "which no overlay takes as its source"),
        ({"overlay": [OVER], "build": BUILD | {"argv": ["", "x"]}}, "an empty word"),
        ({"deploy": [{"find": "", "replace": "b"}]}, "is too short, at least 1"),
        ({"stack": ["one"]}, "at least two arms, each once"),
        ({"stack": ["one", "one"]}, "at least two arms, each once"),
    ],
)
def test_bad_arms_get_one_sentence(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadFileError, match=said):
        arm(**change)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "/models/one.gguf"},
        {"model": "/models/more/x-Q4.gguf"},
        {"overlay": [OVER]},
        {"overlay": [{"path": OVER["path"], "source": OVER["source"]}], "build": BUILD},
        {"deploy": [{"find": "a", "replace": "b"}]},
    ],
)
def test_what_is_listed_is_admitted(change: dict[str, Any]) -> None:
    assert target().denials(arm(**change)) == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model": "/models/two.gguf"}, "model '/models/two.gguf' is not listed"),
        ({"model": "/models/more/x-Q10.gguf"}, "is not listed"),
        ({"model": "/models/more/deeper/x-Q4.gguf"}, "is not listed"),
        ({"overlay": [OVER | {"path": "/opt/lib/b.so"}]}, "overlay of '/opt/lib/b.so' is not listed"),
        ({"overlay": [OVER | {"source": "/tmp/a.so"}]}, "overlay from '/tmp/a.so' is not in '/srv/builds'"),
        ({"overlay": [OVER | {"source": "/srv/builds-mine/a.so"}]}, "is not in '/srv/builds'"),
        (
            {"overlay": [OVER], "build": BUILD | {"argv": ["/bin/sh"]}},
            "build with '/bin/sh' is not listed",
        ),
        ({"overlay": [OVER], "build": BUILD | {"cwd": "/root"}}, "build in '/root' is not listed"),
    ],
)
def test_what_is_not_listed_is_denied_with_a_reason(change: dict[str, Any], said: str) -> None:
    (found,) = target().denials(arm(**change))
    assert said in found
    assert found.endswith("for target 't'")


def test_edits_and_builds_are_denied_unless_the_target_lists_them() -> None:
    edit, built = arm(deploy=[{"find": "a", "replace": "b"}]), arm(overlay=[OVER], build=BUILD)
    assert "edits of the deploy script are not listed" in target(deploy={"script": "/srv/deploy.sh"}).denials(edit)[0]
    assert "edits of the deploy script are not listed" in target(deploy=None).denials(edit)[0]
    assert "a build is not listed" in target(build=None).denials(built)[0]
    outside = target(build=VALUE["build"] | {"output": "/srv/other"}).denials(built)
    assert "build of '/srv/builds/a/a.so' is not in '/srv/other', which is listed" in outside[0]
    shared = target(build=VALUE["build"] | {"output": "/srv/builds/a"}).denials(built)
    assert "build of '/srv/builds/a/a.so' has no folder of its own in '/srv/builds/a', which it needs" in shared[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_flag": ""}, "allowed_models needs model_flag"),
        ({"allowed_models": [{"path": "/a", "folder": "/b", "pattern": "*"}]}, "either path, or folder and pattern"),
        ({"allowed_models": [{"folder": "/b"}]}, "either path, or folder and pattern"),
        ({"allowed_models": [{"folder": "/b", "pattern": "*/x"}]}, "it holds no '/'"),
        (
            {"allowed_overlays": [{"path": "/opt/a", "sources": "/opt"}], "build": None},
            "sources '/opt' holds production's own file",
        ),
        (
            {"allowed_overlays": [{"path": "/opt/a", "sources": "/srv", "copies": "/usr"}]},
            "copies is a folder around the path",
        ),
        (
            {"allowed_overlays": [{"path": "/opt/a", "sources": "/srv", "copies": "/opt", "mode": "in-place"}]},
            "only for mode 'beside'",
        ),
        ({"allowed_overlays": VALUE["allowed_overlays"] * 2}, "two allowed_overlays name the same path"),
        ({"deploy": {"script": "/srv/other.sh"}}, "is no word of baseline.command"),
        ({"build": VALUE["build"] | {"reference": ["/srv"]}}, "would lie in the reference build '/srv'"),
        ({"build": VALUE["build"] | {"reference": ["/srv/builds/old"]}}, "would lie in the reference build"),
        ({"build": VALUE["build"] | {"output": "/opt/lib"}}, "could be written over '/opt/lib/a.so'"),
        (
            {"allowed_overlays": [{"path": "/srv/deploy.sh", "sources": "/srv/b"}]},
            "is the deploy script, which is edited in",
        ),
    ],
)
def test_targets_that_would_touch_production_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadFileError, match=said):
        target(**changes)


def test_a_target_without_files_is_written_as_it_was() -> None:
    plain = {
        key: value for key, value in VALUE.items() if not key.startswith(("allowed_", "model_", "deploy", "build"))
    }
    written = Target.from_mapping(plain, "t.toml").model_dump(mode="json", by_alias=True)
    assert not {"model_flag", "allowed_models", "allowed_overlays", "deploy", "build"} & set(written)


def test_an_accepted_model_is_laid_over_the_baseline() -> None:
    value = {"schema": 1, "target": "t", "proposal": "p", "arm": "a", "fingerprint": "f", "ledger_head": "h"}
    accepted = Accepted.model_validate(value | {"model": "/models/one.gguf"})
    assert with_accepted(target(), accepted).baseline.flags == {"model": "/models/one.gguf"}
    assert "model" not in Accepted.model_validate(value).model_dump()
