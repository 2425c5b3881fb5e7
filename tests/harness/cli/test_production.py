"""`harness start|stop|attest|restore` by command line, and that nobody stops production under a measurement."""

from pathlib import Path

import pytest

from harness.lease import Lease
from harness.workflow.order import read_target
from harness.workflow.production import state_dir
from ledger.entries import TargetState
from tests.committee.cli.yard import make, on_record, production, servers, typed, value


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace with the small target."""
    return make(tmp_path / "ws")


def test_started_looked_at_and_stopped(ws: Path) -> None:
    never = typed(ws, "harness", "stop", "small")
    assert (never.code, never.out) == (0, "small was never started here\n")
    with production(ws):
        seen = value(typed(ws, "harness", "attest", "small", "--json"))
        assert seen["as_described"] and servers(ws) == [seen["pid"]]
        again = typed(ws, "harness", "restore", "small")
        assert again.code == 0 and f"was already running: pid {seen['pid']}" in again.out
    assert servers(ws) == []
    down = typed(ws, "harness", "attest", "small")
    assert down.code == 1 and "'harness start small' brings it up" in down.out
    stays = typed(ws, "harness", "restore", "small")
    assert stays.code == 0 and "stopped by a person and stays down" in stays.out
    assert typed(ws, "harness", "attest", "small", "--record").code == 1
    states = [state for state in on_record(ws, TargetState) if isinstance(state, TargetState)]
    assert [(state.state, state.by, state.accepted) for state in states] == [
        ("up", "a person's command", ""),
        ("restored", "a person's command", None),
        ("taken_down", "a person's command", None),
        ("down", "a person's look", None),
    ]


def test_nobody_starts_or_stops_production_under_a_measurement(ws: Path) -> None:
    target, _ = read_target(ws / "targets" / "small.toml")
    place = state_dir(ws, target)
    with production(ws):
        lease = Lease.take(place, "measure-other-000001")
        assert isinstance(lease, Lease)
        with lease:
            for word in ("stop", "start"):
                said = typed(ws, "harness", word, "small")
                assert said.code == 1 and said.out == ""
                assert "is being measured by" in said.err and "'measure-other-000001'" in said.err
            assert value(typed(ws, "harness", "attest", "small", "--json"))["as_described"]


def test_production_that_refuses_to_start(ws: Path) -> None:
    target = ws / "targets" / "small.toml"
    target.write_text(target.read_text().replace('mode = "good"', 'mode = "refuse"'))
    said = typed(ws, "harness", "start", "small")
    typed(ws, "harness", "stop", "small")
    assert said.code == 1 and said.out == ""
    assert "partition size 2048 is not supported" in said.err and "harness restore small" in said.err
    assert len(said.err.splitlines()) == 1
