"""The hours in which production may be away: pure arithmetic on the local clock of the target's host.

A window is read off the wall clock there, so the hour that is left out or comes twice when the clocks change makes it
shorter or longer, and no rule of a time zone is needed beyond what the clock shows.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from math import floor

from harness.vocabulary.base import BadFileError

MINUTE_S = 60
DAY_MIN = 24 * 60
LOOK_AHEAD_MIN = 3 * DAY_MIN  # a window that a clock change leaves out opens on the next day; more is a broken clock
LATE = 1.1  # launches of one configuration differ by some percent in time; a block must fit with that much to spare
MARGIN_S = 15.0  # production must be up again within its own start time and so much more

WallClock = Callable[[float], int]  # seconds since 1970 -> minute of the local day, 0 to 1439


def local_minute(at: float) -> int:
    """The minute of this machine's local day."""
    shown = time.localtime(at)
    return shown.tm_hour * 60 + shown.tm_min


@dataclass(frozen=True)
class Window:
    """From a minute of the local day, included, to another one, not included; it may go over midnight."""

    opens_min: int
    closes_min: int

    @classmethod
    def parse(cls, text: str) -> "Window":
        """Read `02:00-06:00`. Raises BadFileError with one sentence."""
        found = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)", text)
        if not found:
            raise BadFileError(f"--window {text!r} is not two times of a day; write it like 02:00-06:00")
        opens_h, opens, closes_h, closes = (int(part) for part in found.groups())
        window = cls(opens_h * 60 + opens, closes_h * 60 + closes)
        if window.opens_min == window.closes_min:
            raise BadFileError(f"--window {text!r} opens and closes at the same time; leave it away to measure all day")
        return window

    def __str__(self) -> str:
        return f"{_clock(self.opens_min)}-{_clock(self.closes_min)}"

    @property
    def length_s(self) -> float:
        """Its length on a day without a change of clocks, seconds."""
        return (self.closes_min - self.opens_min) % DAY_MIN * MINUTE_S

    def holds(self, minute: int) -> bool:
        """Whether a minute of the local day lies inside."""
        if self.opens_min < self.closes_min:
            return self.opens_min <= minute < self.closes_min
        return minute >= self.opens_min or minute < self.closes_min

    def seconds_open(self, now: float, clock: WallClock = local_minute) -> float:
        """Seconds from `now` (since 1970) until the local clock leaves the window; 0 outside of it."""
        return self._until(now, clock, inside=False) if self.holds(clock(now)) else 0.0

    def seconds_shut(self, now: float, clock: WallClock = local_minute) -> float:
        """Seconds from `now` (since 1970) until the local clock enters the window; 0 inside of it."""
        return 0.0 if self.holds(clock(now)) else self._until(now, clock, inside=True)

    def _until(self, now: float, clock: WallClock, *, inside: bool) -> float:
        """Seconds to the first whole minute at which the local clock is inside, or outside.

        Every zone's clock changes at whole minutes. Raises ValueError where the clock never gets there.
        """
        minute = floor(now / MINUTE_S)
        for ahead in range(1, LOOK_AHEAD_MIN + 1):
            at = float((minute + ahead) * MINUTE_S)
            if self.holds(clock(at)) == inside:
                return at - now
        raise ValueError(f"the local clock does not reach an end of {self} within {LOOK_AHEAD_MIN} minutes")


@dataclass(frozen=True)
class Cost:
    """What a plan costs production, in expected seconds."""

    block_s: float  # one block of all arms, without production's return
    return_s: float  # production's own start
    blocks: int  # at most; a plan with looks may end before
    whole_s: float  # all blocks; less than each of them at its largest where arms drop out
    teardown_s: float = 0.0  # at most: ending a server under load and waiting for its memory

    @property
    def total_s(self) -> float:
        """All blocks one after the other, and one return."""
        return self.whole_s + self.return_s

    @property
    def hold_back_s(self) -> float:
        """What must be left of a window for production to be up when it closes: teardown, its start, a margin."""
        return self.teardown_s + self.return_s + MARGIN_S

    @property
    def away_s(self) -> float:
        """What one block needs inside a window: the block, with something to spare, and what is held back."""
        return self.block_s * LATE + self.hold_back_s

    def refusal(self, window: Window, by: str) -> str | None:
        """Why no window of an ordinary day has room for one block; none if there is room."""
        if self.away_s <= window.length_s:
            return None
        return (
            f"one block and production's return take about {self.away_s / 60:.0f} minutes {by}, but the window "
            f"{window} has {window.length_s / 60:.0f}; name a longer one, or measure fewer arms at a time"
        )

    def in_windows(self, window: Window) -> int:
        """How many windows the plan needs at most. Raises BadFileError where not even one block fits into one."""
        if (said := self.refusal(window, "by the target's planning figures")) is not None:
            raise BadFileError(said)
        if self.block_s <= 0:
            return 1
        fitting = floor((window.length_s - self.hold_back_s) / (self.block_s * LATE))
        return -(-self.blocks // max(1, fitting))


def at_clock(at: float) -> str:
    """A moment as a person reads it on this machine's clock; to the next second, so that 01:59:59.9999 is 02:00."""
    return datetime.fromtimestamp(round(at)).astimezone().strftime("%Y-%m-%d %H:%M %Z")


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"
