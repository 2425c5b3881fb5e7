"""One launch against real processes: a good one, and every way in which one carries no number."""

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Reason, Role
from harness.vocabulary.target import Target
from harness.workflow.launch import LaunchEvent, LaunchOutcome, LaunchRequest, Phase, run_launch
from tests.harness import small_server
from tests.harness.direct_host import DirectHost
from tests.harness.small_server import Behaviour, serving

SERVER = str(Path(small_server.__file__))


def target(**changes: Any) -> Target:
    value: dict[str, Any] = {
        "schema": 1,
        "name": "small",
        "adapter": "llamacpp",
        "users": 2,
        "baseline": {
            "command": ["{python}", SERVER],
            "flags": {"mode": "good", "token-s": 0.0005},
            "witness": [{"source": "props", "path": "total_slots", "equals": 4}],
        },
        "endpoint": {"port": 0, "api": "completions"},
        "ready": {"pattern": r"listening on (?P<url>http://\S+)", "timeout_s": 10},
        "armed": [{"marker": "WORKER ARMED x/4", "count": 1}],
        "teardown": {"grace_s": 2, "memory_slack_mib": 8000, "memory_timeout_s": 1},
        "planning": {"launch_sd_pct": 5, "start_s": 1},
    }
    return Target.from_mapping(value | changes, "target")


def criteria(**changes: Any) -> Criteria:
    value: dict[str, Any] = {
        "schema": 1,
        "blocks": 2,
        "level": 0.05,
        "ladder": {"steps": [1, 2, 1], "tokens": 16, "request_timeout_s": 5},
        "primary": {"metric": "total_tok_s", "load": 2, "smallest_effect_pct": 10},
        "numerics": {"policy": "identical"},
    }
    return Criteria.from_mapping(value | changes, "criteria")


def arm(name: str = "an-arm", **changes: Any) -> Arm:
    witness = [{"source": "log", "pattern": "listening"}]
    value = {"schema": 1, "name": name, "flags": {"token-s": 0.001}, "witness": witness}
    return Arm.from_mapping(value | changes, name)


async def launched(
    tmp_path: Path, arm_: Arm | None = None, host: DirectHost | None = None, **given: Any
) -> LaunchOutcome:
    """Run one launch; whatever comes out, no process may be left."""
    host = host or DirectHost(tmp_path)
    request = LaunchRequest("run-1.b0", "run-123456", 0, 1, 0, Role.ARM if arm_ else Role.BASELINE, arm_, 7)
    try:
        return await run_launch(
            request,
            given.get("target", target()),
            given.get("criteria", criteria()),
            host,
            given.get("arms", (arm_,) if arm_ else ()),
            given.get("progress", lambda event: None),
        )
    finally:
        assert host.living() == ()


async def test_a_good_baseline_is_measured_and_stopped(tmp_path: Path) -> None:
    events: list[LaunchEvent] = []
    outcome = await launched(tmp_path, progress=events.append)
    assert outcome.usable and outcome.sentence == "measured"
    assert [gate.gate.value for gate in outcome.gates] == [
        "ready",
        "armed",
        "coherent",
        "identical",
        "isolated",
        "quiet",
    ]
    assert all(gate.passed and gate.reason is None for gate in outcome.gates)
    assert outcome.trial is not None and len(outcome.trial.records) == 4
    assert {metric.load for metric in outcome.trial.metrics} == {1, 2}
    assert len(outcome.texts) == 3 and outcome.gates[3].texts == outcome.texts
    assert [event.phase for event in events] == list(Phase)
    assert [event.seconds for event in events] == sorted(event.seconds for event in events)
    assert "listening on" in outcome.log_text and outcome.memory_returned


async def test_the_launch_entry_tells_what_was_started(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    one = arm(env={"MODE": "x"})
    launch = (await launched(tmp_path, one, host)).launch
    assert (launch.outcome, launch.reason, launch.detail, launch.log) == ("ran", None, "", None)
    assert (launch.role, launch.arm, launch.target, launch.launch) == ("arm", one.fingerprint, "small", "run-1.b0")
    assert launch.argv == host.specs[0].argv and launch.argv[-1] == "run-1.b0"
    assert dict(launch.env)["MODE"] == "x" and dict(launch.env)["HOME"] is None
    assert launch.pid in host.started and launch.start_time and launch.ready_s and launch.ready_s > 0


async def test_two_launches_of_a_block_give_the_same_texts(tmp_path: Path) -> None:
    assert (await launched(tmp_path)).texts == (await launched(tmp_path)).texts


@pytest.mark.parametrize(
    ("flags", "reason", "words"),
    [
        ({"mode": "refuse"}, Reason.UNSUPPORTED_PARTITION, "ValueError: partition size 2048 is not supported"),
        ({"mode": "another-model"}, Reason.WRONG_PROCESS, "serves ['another'], not 'run-1.b0'"),
        ({"workers": 3}, Reason.NOT_ARMED, "marker 'WORKER ARMED x/4' stands 0 times, 1 needed"),
        ({"mode": "degenerate"}, Reason.DEGENERATE, "repeats 1 words: '<h2><h2>"),
        ({"mode": "short"}, Reason.TOO_FEW_TOKENS, "2 tokens came of 100"),
        ({"mode": "early-end"}, Reason.STREAM_CUT, "without a finish reason"),
        ({"mode": "overcount"}, Reason.OVERCOUNTED, "counted 140 tokens of 100"),
        ({"mode": "stranger"}, Reason.STRANGER, "somebody else was served"),
        ({"die-after": 2}, Reason.DIED, "ERROR: engine core died of a test"),
        ({"die-after": 5}, Reason.DIED, "ERROR: engine core died of a test"),
    ],
)
async def test_a_bad_server_is_invalid_for_its_own_reason(
    tmp_path: Path, flags: dict[str, Any], reason: Reason, words: str
) -> None:
    outcome = await launched(tmp_path, arm(flags=flags))
    assert (outcome.launch.outcome, outcome.launch.reason) == ("invalid", reason)
    assert words in outcome.launch.detail
    assert not outcome.usable and not (outcome.trial and outcome.trial.metrics)
    assert outcome.sentence.startswith(reason.value)


async def test_an_arm_whose_witness_is_not_seen_is_never_loaded(tmp_path: Path) -> None:
    outcome = await launched(tmp_path, arm(witness=[{"source": "log", "pattern": "kernel attached"}]))
    assert outcome.launch.reason == Reason.REQUEST_IGNORED and outcome.trial is None
    assert f"in the command line of pid {outcome.launch.pid}" in outcome.launch.detail
    assert [gate.gate.value for gate in outcome.gates] == ["ready", "armed"], "no request was sent to it"


async def test_an_arm_without_a_witness_is_measured_with_a_note(tmp_path: Path) -> None:
    outcome = await launched(tmp_path, arm(witness=[]))
    assert outcome.usable and outcome.gates[1].reason is Reason.NO_WITNESS


async def test_a_baseline_that_shows_an_arm_names_it_and_is_measured_for_the_others(tmp_path: Path) -> None:
    shown, other = arm("shown"), arm("other", witness=[{"source": "log", "pattern": "never said"}])
    outcome = await launched(tmp_path, arms=(shown, other))
    assert outcome.usable and outcome.self_armed == (shown.fingerprint,)
    assert outcome.gates[1].reason is Reason.SELF_ARMED


async def test_a_command_that_does_not_exist_is_a_refused_start(tmp_path: Path) -> None:
    outcome = await launched(tmp_path, target=target(baseline={"command": ["/nowhere/engine"]}))
    assert outcome.launch.reason == Reason.START_REFUSED and "/nowhere/engine" in outcome.launch.detail
    assert outcome.launch.pid is None and outcome.log_text == ""


async def test_a_server_that_never_gets_ready_is_stopped_after_the_limit(tmp_path: Path) -> None:
    slow = target(ready={"pattern": "listening", "timeout_s": 0.8})
    began = time.monotonic()
    outcome = await launched(tmp_path, arm(flags={"mode": "silent"}), target=slow)
    assert outcome.launch.reason == Reason.NOT_READY and time.monotonic() - began < 8
    assert outcome.launch.ready_s is None


async def test_a_leftover_server_that_answers_is_found_out(tmp_path: Path) -> None:
    async with serving(Behaviour(model="run-1.b0")) as leftover:
        outcome = await launched(tmp_path, arm(flags={"claim": leftover}))
    assert outcome.launch.reason == Reason.STALE_SERVER
    assert "served by another process" in outcome.launch.detail


async def test_a_server_that_hangs_is_bounded_by_the_request_limit(tmp_path: Path) -> None:
    short = criteria(ladder={"steps": [1, 2], "tokens": 16, "request_timeout_s": 0.5})
    outcome = await launched(tmp_path, arm(flags={"mode": "hang"}), criteria=short)
    assert outcome.launch.reason == Reason.NO_END and "no end within 0.5 s" in outcome.launch.detail


async def test_isolation_that_is_asked_for_and_cannot_be_shown_is_no_proof(tmp_path: Path) -> None:
    plain = target(
        adapter="command",
        baseline={"command": ["{python}", SERVER, "--port", "{port}"], "flags": {"alias": "{alias}"}},
    )
    gates = ["ready", "armed", "coherent", "isolated"]
    outcome = await launched(tmp_path, target=plain, criteria=criteria(gates=gates))
    assert outcome.launch.reason == Reason.NO_PROOF
    outcome = await launched(tmp_path, target=plain)
    assert outcome.usable and [gate.gate.value for gate in outcome.gates[3:]] == ["identical", "quiet"]


@pytest.mark.parametrize("mode", ["late-metrics", "silent-metrics"])
async def test_counters_that_do_not_come_are_asked_for_again_and_then_are_a_reason(tmp_path: Path, mode: str) -> None:
    server = target(baseline={"command": ["{python}", SERVER], "flags": {"mode": mode, "token-s": 0.0005}})
    gates = ["ready", "armed", "coherent", "isolated"]
    outcome = await launched(tmp_path, target=server, criteria=criteria(gates=gates))
    isolated = next(gate for gate in outcome.gates if gate.gate.value == "isolated")
    if mode == "late-metrics":
        assert outcome.usable and isolated.passed
    else:
        assert outcome.launch.reason == Reason.NO_PROOF and isolated.evidence == (
            "the engine's counters were asked for and did not come (it answered with status 503), so nothing can be "
            "shown"
        )


async def test_a_missing_capability_is_a_finding_and_not_a_fault(tmp_path: Path) -> None:
    asking = criteria(capability={"check": "context_tokens", "value": 2000})  # this server counts 5 tokens
    outcome = await launched(tmp_path, criteria=asking)
    assert outcome.usable
    assert (outcome.gates[2].gate.value, outcome.gates[2].reason) == ("capability", Reason.CAPABILITY_MISSING)


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.FREE])
async def test_a_cancelled_launch_leaves_no_server(tmp_path: Path, phase: Phase) -> None:
    host = DirectHost(tmp_path)
    reached = asyncio.Event()

    def interrupt(event: LaunchEvent) -> None:
        if event.phase is phase:
            reached.set()
            task.cancel()

    task = asyncio.ensure_future(launched(tmp_path, host=host, progress=interrupt))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert reached.is_set() and len(host.started) == 1 and host.living() == ()


class _FullHost(DirectHost):
    """A host whose memory does not come back."""

    async def memory_available_mib(self) -> int:
        return 0 if self.started else 9000


async def test_memory_that_does_not_come_back_is_told(tmp_path: Path) -> None:
    events: list[LaunchEvent] = []
    outcome = await launched(tmp_path, host=_FullHost(tmp_path), progress=events.append)
    assert outcome.usable and not outcome.memory_returned
    assert events[-1].detail == "memory did not come back in time (host: 9000 MiB)"


class _Busy(DirectHost):
    """A machine whose two cores others use entirely, one second between any two looks."""

    looks = 0

    async def look(self, question: Mapping[str, Any]) -> Any:
        if question["ask"] != "machine":
            return await super().look(question)
        self.looks += 1
        seen = {"at": float(self.looks), "cores": 2, "busy_s": 2.0 * self.looks, "own_s": 0.0, "stolen_s": 0.0}
        return seen | {"load_1m": 9.0, "mhz": None, "max_mhz": None, "throttled": None, "cards": []}


@pytest.mark.parametrize(("most_pct", "reason"), [(100, None), (99, Reason.NOT_QUIET), (None, None)])
async def test_a_machine_that_others_use_is_recorded_and_may_void_the_launch(
    tmp_path: Path, most_pct: int | None, reason: Reason | None
) -> None:
    quiet = {} if most_pct is None else {"max_other_cpu_pct": most_pct}
    outcome = await launched(tmp_path, host=_Busy(tmp_path), target=target(quiet=quiet))
    assert outcome.launch.reason == reason and outcome.usable is (reason is None)
    assert "others used 100.0 % of 2 cores, load 9" in outcome.gates[-1].evidence


async def test_everything_that_runs_is_kept_with_the_armed_gate(tmp_path: Path) -> None:
    outcome = await launched(tmp_path, arm(env={"MODE": "x", "B": "y"}))
    seen = json.loads(outcome.gates[1].seen or "{}")
    (process,) = seen["host"]["processes"]
    assert process["pid"] == outcome.launch.pid and process["argv"] == list(outcome.launch.argv)
    assert ["MODE", "x"] in process["env"] and ["HOME", None] in process["env"]
    assert any(one["sha256"] for one in seen["host"]["objects"])
    assert seen["engine"]["served_models"] == ["run-1.b0"]


@pytest.mark.parametrize(("then", "outcome"), [('exec "$@"', "ran"), ("exit 1", "invalid")])
async def test_a_private_value_that_the_server_prints_is_blanked(tmp_path: Path, then: str, outcome: str) -> None:
    say = f'echo "ERROR: $HF_TOKEN was refused" >&2; {then}'
    value, said = "hf_notarealone", list[LaunchEvent]()
    private = {"env": {"HF_TOKEN": value}, "private": ["HF_TOKEN"]}
    command = {"command": ["/bin/sh", "-c", say, "sh", "{python}", SERVER]}
    given = target(baseline=target().baseline.model_dump() | private | command)
    done = await launched(tmp_path, target=given, progress=said.append)
    assert done.launch.outcome == outcome, done.launch.detail
    assert "ERROR: [private HF_TOKEN] was refused" in (done.log_text if outcome == "ran" else done.launch.detail)
    assert value not in repr((done, said))
