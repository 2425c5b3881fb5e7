"""What a person's command saw of production, as an entry."""

from pathlib import Path

import pytest

from harness.gates.running import Running
from harness.hosts.base import Held
from harness.hosts.looking import Process
from harness.hosts.restore import RestoreOutcome
from harness.vocabulary.target import Target
from harness.workflow.attest import Attestation
from harness.workflow.seen_state import attested, restored
from tests.harness.workflow.bench_yard import TARGET

SMALL = Target.from_mapping(TARGET, "small.toml")
RUNNING = Running((Process(7, 1, "server", ("server",), None),))
ARM = "a" * 64


def look(**changes: object) -> Attestation:
    """A production that is up as its file describes it."""
    value = {"target": "small", "as_described": True, "sentence": "it is up", "pid": 7, "url": "http://127.0.0.1:1"}
    return Attestation(**{**value, "running": RUNNING, **changes})  # type: ignore[arg-type] # one dictionary of all


@pytest.mark.parametrize("accepted", ["", ARM])
def test_what_is_as_described_names_what_it_was_started_with(accepted: str) -> None:
    state = attested(SMALL, look(), accepted)
    assert state is not None
    assert (state.state, state.accepted, state.pid, state.run) == ("up", accepted, 7, None)


def test_what_differs_is_not_compared() -> None:
    state = attested(SMALL, look(as_described=False, drift=("threads: asked 2, in force 1",)), ARM)
    assert state is not None and (state.state, state.accepted) == ("up", None)


def test_what_does_not_run_is_down() -> None:
    state = attested(SMALL, Attestation("small", False, "small does not run"), ARM)
    assert state is not None
    assert (state.state, state.accepted, state.evidence) == ("down", None, "small does not run")


def test_another_process_is_no_state_of_production() -> None:
    stranger = Attestation("small", False, "port 1 is served by another process", 7, "http://127.0.0.1:1")
    assert attested(SMALL, stranger, ARM) is None


def test_a_restore_is_recorded_as_it_ended(tmp_path: Path) -> None:
    held = Held("production", 7, 99, tmp_path / "log")
    back = restored("small", RestoreOutcome("Production is back: pid 7.", held, True))
    assert (back.state, back.pid, back.start_time, back.accepted) == ("restored", 7, 99, None)
    failed = restored("small", RestoreOutcome("Production was not restored: it died.", None, False))
    assert (failed.state, failed.pid, failed.evidence) == (
        "restore_failed",
        None,
        "Production was not restored: it died.",
    )
