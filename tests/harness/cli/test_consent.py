"""What is said about a run's cost and hours before anybody says yes."""

import itertools
from datetime import datetime
from pathlib import Path

import pytest

from harness.cli.consent import cost_lines
from harness.workflow.night import Hours
from harness.workflow.window import Window, at_clock
from tests.harness.workflow.bench_yard import BenchYard


@pytest.mark.parametrize("tick_s", [0.0, 1e-7, 1e-5, 0.01])
def test_a_window_opens_at_the_minute_that_was_asked_for(tmp_path: Path, tick_s: float) -> None:
    order = BenchYard(tmp_path).order()
    began = datetime.fromisoformat("2026-07-01T12:00:17.3").timestamp()
    ticks = itertools.count()
    hours = Hours(Window.parse("02:00-06:00"), now=lambda: began + tick_s * next(ticks))
    opens = datetime.fromisoformat("2026-07-02T02:00").astimezone().strftime("%Y-%m-%d %H:%M %Z")
    assert f"the next one opens {opens}" in " ".join(cost_lines(order, hours))


def test_a_moment_before_a_minute_is_that_minute() -> None:
    at = datetime.fromisoformat("2026-07-02T02:00").timestamp()
    assert at_clock(at - 3e-7) == at_clock(at) and " 02:00 " in at_clock(at)
