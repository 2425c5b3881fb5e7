"""Launches whose arm changes files, on real servers under a real guardian; afterwards everything is what it was."""

import hashlib
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.hosts.local import LocalHost
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Reason, Role
from harness.vocabulary.target import Target
from harness.workflow.changed import run_changed
from harness.workflow.launch_values import LaunchOutcome, LaunchRequest
from tests.harness import small_server
from tests.harness.hosts.yard import Yard, a_yard
from tests.harness.overlay.ground import gguf

SCRIPT = '#!/bin/sh\nSERVER={server}\nVARIANT=one\necho "variant $VARIANT"\nexec {python} "$SERVER" "$@"\n'


class Floor:
    """Production's files of one test and the target that names them."""

    def __init__(self, root: Path) -> None:
        self.server, self.script = root / "lib" / "server.py", root / "deploy.sh"
        self.model, self.builds = root / "models" / "other.gguf", root / "builds"
        for folder in (self.server.parent, self.model.parent, self.builds):
            folder.mkdir()
        text = Path(small_server.__file__).read_text(encoding="utf-8")
        self.server.write_text(text, encoding="utf-8")
        other = text.replace("def say(", 'print("another server", flush=True)\n\n\ndef say(', 1)
        (self.builds / "server.py").write_text(other, encoding="utf-8")
        self.model.write_bytes(gguf())
        self.script.write_text(SCRIPT.format(server=self.server, python=sys.executable), encoding="utf-8")

    def target(self, mode: str = "beside") -> Target:
        value: dict[str, Any] = {
            "schema": 1,
            "name": "small",
            "adapter": "llamacpp",
            "users": 2,
            "baseline": {"command": ["/bin/sh", str(self.script)], "flags": {"token-s": 0.0005}},
            "endpoint": {"port": 0, "api": "completions"},
            "ready": {"pattern": r"listening on (?P<url>http://\S+)", "timeout_s": 15},
            "armed": [{"marker": "WORKER ARMED x/4", "count": 1}],
            "model_flag": "mode",
            "allowed_models": [{"folder": str(self.model.parent), "pattern": "*.gguf"}],
            "allowed_overlays": [{"path": str(self.server), "mode": mode, "sources": str(self.builds)}],
            "deploy": {"script": str(self.script), "edits": True},
            "teardown": {"grace_s": 2, "memory_slack_mib": 8000, "memory_timeout_s": 1},
            "planning": {"launch_sd_pct": 5, "start_s": 1},
        }
        return Target.from_mapping(value, "target")

    def overlay(self) -> dict[str, Any]:
        source = self.builds / "server.py"
        return {
            "path": str(self.server),
            "source": str(source),
            "sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
        }


CRITERIA = Criteria.from_mapping(
    {
        "schema": 1,
        "blocks": 2,
        "level": 0.05,
        "ladder": {"steps": [1, 2, 1], "tokens": 16, "request_timeout_s": 10},
        "primary": {"metric": "total_tok_s", "load": 2, "smallest_effect_pct": 10},
        "numerics": {"policy": "identical"},
    },
    "criteria",
)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[LocalHost]:
    with a_yard(tmp_path) as yard:
        host = await LocalHost.open(yard.state)
        await host.begin("run-1")
        yield host
        await host.end()
        await host.close()


def arm(pattern: str, **change: Any) -> Arm:
    witness = [{"source": "log", "pattern": pattern}]
    return Arm.from_mapping({"schema": 1, "name": "an-arm", "witness": witness} | change, "arm")


async def launched(host: LocalHost, target: Target, one: Arm | None, arms: Sequence[Arm] = ()) -> LaunchOutcome:
    role = Role.ARM if one else Role.BASELINE
    request = LaunchRequest("run-1.b0.t1.p0", "measure-000001", 0, 1, 0, role, one, prompt_seed=1)
    return await run_changed(request, target, CRITERIA, host, arms, lambda event: None)


async def test_baseline_runs_a_copy_of_the_script(host: LocalHost, tmp_path: Path) -> None:
    floor = Floor(tmp_path)
    before = Yard(tmp_path).files()
    outcome = await launched(host, floor.target(), None)
    assert outcome.usable, outcome.sentence
    assert outcome.launch.argv[1] == str(tmp_path / "deploy.committee-run-1.b0.t1.p0.sh")
    (copied,) = outcome.launch.files
    script = hashlib.sha256(floor.script.read_bytes()).hexdigest()
    assert (copied.kind, copied.before_sha256, copied.after_sha256) == ("copy", script, script)
    assert outcome.launch.undone == ()
    assert Yard(tmp_path).files() == before


@pytest.mark.parametrize("mode", ["beside", "in-place"])
async def test_an_overlaid_file_runs_and_is_gone_afterwards(host: LocalHost, tmp_path: Path, mode: str) -> None:
    floor = Floor(tmp_path)
    before = Yard(tmp_path).files()
    one = arm("another server", overlay=[floor.overlay()])
    outcome = await launched(host, floor.target(mode), one, [one])
    assert outcome.usable, outcome.sentence
    assert outcome.launch.arm == one.fingerprint
    assert {file.kind for file in outcome.launch.files} == {"copy", *({"in-place"} if mode == "in-place" else set())}
    assert floor.overlay()["sha256"] in {file.after_sha256 for file in outcome.launch.files}
    assert Yard(tmp_path).files() == before


async def test_an_edit_of_the_scripts_copy_is_seen_in_the_log(host: LocalHost, tmp_path: Path) -> None:
    floor = Floor(tmp_path)
    one = arm("variant two", deploy=[{"find": "VARIANT=one", "replace": "VARIANT=two"}])
    outcome = await launched(host, floor.target(), one, [one])
    assert outcome.usable, outcome.sentence
    assert "variant two" in outcome.log_text and "VARIANT=one" in floor.script.read_text()


async def test_a_model_that_is_not_whole_is_never_started(host: LocalHost, tmp_path: Path) -> None:
    floor = Floor(tmp_path)
    floor.model.write_bytes(gguf(short_by=1))
    before = Yard(tmp_path).files()
    outcome = await launched(host, floor.target(), arm("x", model=str(floor.model)))
    assert (outcome.launch.outcome, outcome.launch.reason) == ("invalid", Reason.NOT_APPLIED)
    assert "the file is not whole" in outcome.launch.detail
    assert outcome.launch.pid is None and outcome.log_text == ""
    assert Yard(tmp_path).files() == before


async def test_a_source_with_another_hash_is_never_started(host: LocalHost, tmp_path: Path) -> None:
    floor = Floor(tmp_path)
    one = arm("x", overlay=[floor.overlay() | {"sha256": "0" * 64}])
    outcome = await launched(host, floor.target(), one)
    assert outcome.launch.reason == Reason.NOT_APPLIED
    assert "0000000000000000 was asked for" in outcome.launch.detail
