"""A production that does not run: said to be left as found, and a run is refused beside a server of somebody else."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.cli.consent import cost_lines
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.outcome import Reason
from harness.vocabulary.target import Target
from harness.workflow.measure import NotMeasured
from harness.workflow.night import Hours
from harness.workflow.not_running import left_as_found, served_by_others
from ledger.entries import Launch, TargetState
from tests.harness.workflow.bench_yard import TARGET, BenchYard


@pytest.fixture
def port() -> Iterator[int]:
    """A port on which this process listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        yield sock.getsockname()[1]


def target_on(port: int) -> Target:
    """The yard's target, its production on that port."""
    return Target.model_validate({**TARGET, "endpoint": {**TARGET["endpoint"], "port": port}})


async def test_who_serves_on_the_port_is_named(tmp_path: Path, port: int) -> None:
    said = await served_by_others(target_on(port), Onlooker(tmp_path))
    assert said is not None and f"port {port} of 'small' is served by" in said and f"(pid {os.getpid()} (" in said
    assert said.endswith("stop it and `harness start small`, which is taken down and brought back")
    assert await served_by_others(target_on(0), Onlooker(tmp_path)) is None


async def test_a_port_on_which_nobody_listens_is_nobodys(tmp_path: Path) -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))  # bound, so that nobody else takes it, and silent
        assert await served_by_others(target_on(sock.getsockname()[1]), Onlooker(tmp_path)) is None


async def test_no_launch_is_made_beside_a_server_that_would_stay_up(tmp_path: Path, port: int) -> None:
    yard = BenchYard(tmp_path)
    order = yard.order().model_copy(update={"target": target_on(port)})
    with yard.ledger() as ledger:
        outcome = await yard.measurement(order, ledger, []).run()
        assert isinstance(outcome, NotMeasured) and outcome.reason is Reason.START_REFUSED
        assert "is served by a process that the harness did not start" in outcome.sentence
        assert not ledger.of(Launch) and not ledger.of(TargetState)


def test_what_becomes_of_it_is_said(tmp_path: Path) -> None:
    never, stopped = left_as_found("small", ()), left_as_found("small", ("up", "down"))
    assert "is not running (it was never started here): nothing is stopped for this run" in never
    assert "is not running (it was stopped): " in stopped
    assert never.endswith("`harness start small` first if it is to be up again afterwards")
    (line,) = cost_lines(BenchYard(tmp_path).order(), Hours(), stops=False)
    assert line.startswith("The run takes about ") and "away" not in line
