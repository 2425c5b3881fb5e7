"""Windows over midnight and on days when the clocks change, and what a plan costs inside of them."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from harness.vocabulary.base import BadFileError
from harness.workflow.window import MARGIN_S, Cost, WallClock, Window, local_minute

HOUR_S = 3600.0
BERLIN = ZoneInfo("Europe/Berlin")


def berlin(at: float) -> int:
    """The clock on a wall in Berlin: forward at 02:00 on 2026-03-29, back at 03:00 on 2026-10-25."""
    shown = datetime.fromtimestamp(at, BERLIN)
    return shown.hour * 60 + shown.minute


def moment(text: str, fold: int = 0) -> float:
    """Seconds since 1970 of a time in Berlin; `fold` 1 is the second of two."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold).timestamp()


@pytest.mark.parametrize(
    ("window", "now", "open_h", "shut_h"),
    [
        ("02:00-06:00", "2026-06-01T02:00", 4, 0),
        ("02:00-06:00", "2026-06-01T05:59", 1 / 60, 0),
        ("02:00-06:00", "2026-06-01T06:00", 0, 20),
        ("02:00-06:00", "2026-06-01T01:30", 0, 0.5),
        ("22:00-04:00", "2026-06-01T23:00", 5, 0),
        ("22:00-04:00", "2026-06-01T03:00", 1, 0),
        ("22:00-04:00", "2026-06-01T12:00", 0, 10),
        ("22:00-00:00", "2026-06-01T23:30", 0.5, 0),
        ("00:00-06:00", "2026-06-01T23:30", 0, 0.5),
        # 02:00 is 03:00 on this day, so four hours on the wall are three
        ("02:00-06:00", "2026-03-29T03:00", 3, 0),
        ("02:00-06:00", "2026-03-29T01:00", 0, 1),
        ("22:00-06:00", "2026-03-28T22:00", 7, 0),
        # a window inside the hour that is left out opens on the next day
        ("02:15-02:45", "2026-03-29T00:15", 0, 25),
        # 03:00 is 02:00 again on this day: five hours
        ("02:00-06:00", "2026-10-25T02:00", 5, 0),
        ("22:00-06:00", "2026-10-24T22:00", 9, 0),
        ("02:15-02:45", "2026-10-25T02:15", 0.5, 0),
        ("02:15-02:45", "2026-10-25T02:45", 0, 0.5),
    ],
)
def test_how_long_it_is_open_or_shut(window: str, now: str, open_h: float, shut_h: float) -> None:
    parsed, at = Window.parse(window), moment(now)
    assert parsed.seconds_open(at, berlin) == pytest.approx(open_h * HOUR_S)
    assert parsed.seconds_shut(at, berlin) == pytest.approx(shut_h * HOUR_S)


def test_seconds_and_the_hour_that_comes_twice() -> None:
    window = Window.parse("02:15-02:45")
    assert window.seconds_open(moment("2026-10-25T02:20", fold=1) + 12.5, berlin) == pytest.approx(25 * 60 - 12.5)
    assert window.seconds_shut(moment("2026-06-01T02:14") + 59.5, berlin) == pytest.approx(0.5)


@pytest.mark.parametrize("text", ["2-6", "02:00", "02:00-24:00", "25:00-26:00", "02:60-03:00", "02:00 - 06:00", ""])
def test_what_is_no_window(text: str) -> None:
    with pytest.raises(BadFileError, match="write it like 02:00-06:00"):
        Window.parse(text)


def test_a_window_without_length() -> None:
    with pytest.raises(BadFileError, match="same time"):
        Window.parse("02:00-02:00")


def test_it_reads_back_as_it_was_written() -> None:
    assert str(Window.parse("22:05-04:30")) == "22:05-04:30"
    assert Window.parse("22:00-04:00").length_s == 6 * HOUR_S


def test_a_clock_that_stands_still_is_not_waited_for() -> None:
    stopped: WallClock = lambda at: 0  # noqa: E731 - a clock in one expression
    with pytest.raises(ValueError, match="does not reach"):
        Window.parse("02:00-06:00").seconds_shut(0.0, stopped)


def test_this_machines_clock_is_a_minute_of_a_day() -> None:
    assert 0 <= local_minute(0.0) < 24 * 60


def test_what_a_plan_costs() -> None:
    cost = Cost(block_s=3000, return_s=600, blocks=5, whole_s=15000)
    assert cost.total_s == 15600
    assert cost.away_s == pytest.approx(3300 + 600 + MARGIN_S)
    assert cost.in_windows(Window.parse("02:00-06:00")) == 2  # (14400 - 615) / 3300: four blocks a night
    assert Cost(0, 600, 5, 0).in_windows(Window.parse("02:00-06:00")) == 1


def test_a_teardown_and_a_margin_are_held_back_beside_productions_start() -> None:
    slow = Cost(block_s=3000, return_s=600, blocks=5, whole_s=15000, teardown_s=120)
    assert slow.hold_back_s == 120 + 600 + MARGIN_S
    assert slow.away_s == pytest.approx(3300 + slow.hold_back_s)
    hour = Window.parse("02:00-03:00")
    assert Cost(2500, 600, 2, 5000).in_windows(hour) == 2  # 2750 + 615 of 3600 seconds
    with pytest.raises(BadFileError, match="name a longer one"):
        Cost(2500, 600, 2, 5000, teardown_s=240).in_windows(hour)  # 2750 + 855


def test_a_block_that_fits_into_no_window() -> None:
    said = r"take about 65 minutes by the target's planning figures, but the window 02:00-03:00 has 60"
    with pytest.raises(BadFileError, match=said):
        Cost(3000, 600, 5, 15000).in_windows(Window.parse("02:00-03:00"))
