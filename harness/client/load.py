"""What the client itself cost and how late it was: the measure of its own part in the times it reports.

`LoadMeter` collects while requests are open; `ClientLoad` is what it found, frozen, with the rule that says whether the
client was the bottleneck.
"""

import asyncio
import math
import time
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

SAMPLE_S = 0.05  # a wake-up every 50 ms costs 0.1 % of a core and gives 20 samples of the loop's lag a second
# A loop that is busy for seven tenths of its core makes an event wait, on average, as long as its own handling takes
# (M/D/1: rho / (2 (1 - rho)) = 1.2); beyond that the waiting grows without bound.
BUSY_SHARE = 0.7
# The client is measured to stamp within 5 ms at 64 streams (docs/client.md). A loop that comes 5 ms late in one case
# of a hundred no longer keeps that, whatever the cause.
LATE_MS = 5.0
RANK = 0.99  # the percentile that is shown and judged


@dataclass(frozen=True)
class ClientLoad:
    """The client's own part in what it measured, over the time in which at least one request was open."""

    requests: int
    events: int  # pieces of body that arrived
    open_s: float  # time with at least one request open
    cpu_s: float  # CPU of the whole process in that time, reading the answers included
    dispatch_p99_ms: float  # meant to be sent -> sent, without the time the connection took
    dispatch_max_ms: float
    lag_p99_ms: float  # how late the event loop came to a timer
    lag_max_ms: float

    @property
    def cpu_us_per_event(self) -> float:
        """CPU of the process for each piece of body, microseconds."""
        return self.cpu_s / self.events * 1e6 if self.events else 0.0

    @property
    def busy_share(self) -> float:
        """CPU over time; 1 is one whole core."""
        return self.cpu_s / self.open_s if self.open_s > 0 else 0.0

    @property
    def complaints(self) -> tuple[str, ...]:
        """Why the client counts as the bottleneck, a part of a sentence each; empty: it does not."""
        said: list[str] = []
        if not self.busy_share <= BUSY_SHARE:
            said.append(f"it used {self.busy_share:.2f} of a core, over {BUSY_SHARE:g}")
        if not self.lag_p99_ms <= LATE_MS:
            said.append(f"its loop came {self.lag_p99_ms:.1f} ms late at p99, over {LATE_MS:g}")
        if not self.dispatch_p99_ms <= LATE_MS:
            said.append(f"it sent {self.dispatch_p99_ms:.1f} ms late at p99, over {LATE_MS:g}")
        return tuple(said)

    @property
    def bound(self) -> bool:
        """Whether a time that was measured may be the client's and not the server's."""
        return bool(self.complaints)

    @property
    def sentence(self) -> str:
        """For people."""
        if self.bound:
            return f"client-bound: yes ({'; '.join(self.complaints)})"
        return (
            f"client-bound: no ({self.busy_share:.2f} of a core, {self.cpu_us_per_event:.0f} us an event, "
            f"loop late {self.lag_p99_ms:.1f} ms and sending {self.dispatch_p99_ms:.1f} ms at p99)"
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values, for a record."""
        return {**vars(self), "bound": self.bound}


class LoadMeter:
    """Collects while requests are open. Numbers are kept in arrays: an hour of samples is 1.4 MB."""

    def __init__(self) -> None:
        self._open = 0
        self.restart()

    def restart(self) -> None:
        """Forget what was collected; requests that are open count from now on."""
        self._since = (time.perf_counter(), time.process_time())  # when the first of the open requests began
        self._spent = (0.0, 0.0)
        self._requests = self._events = 0
        self._dispatch_ms = array("d")
        self._lag_ms = array("d")

    @contextmanager
    def request(self) -> Iterator[None]:
        """One request is open."""
        if not self._open:
            self._since = (time.perf_counter(), time.process_time())
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1
            if not self._open:
                self._spent = self._total()
        self._requests += 1

    def arrived(self, events: int) -> None:
        """So many pieces of body came."""
        self._events += events

    def dispatched(self, delay_ms: float) -> None:
        """A request was sent so much later than meant."""
        self._dispatch_ms.append(delay_ms)

    async def sample(self) -> None:
        """Measure the loop's lag until cancelled."""
        while True:
            before = time.perf_counter()
            await asyncio.sleep(SAMPLE_S)
            if self._open:
                self._lag_ms.append(max(0.0, (time.perf_counter() - before - SAMPLE_S) * 1000))

    def load(self) -> ClientLoad:
        """What was collected so far."""
        open_s, cpu_s = self._total() if self._open else self._spent
        return ClientLoad(
            requests=self._requests,
            events=self._events,
            open_s=open_s,
            cpu_s=cpu_s,
            dispatch_p99_ms=percentile(self._dispatch_ms, RANK),
            dispatch_max_ms=max(self._dispatch_ms, default=0.0),
            lag_p99_ms=percentile(self._lag_ms, RANK),
            lag_max_ms=max(self._lag_ms, default=0.0),
        )

    def _total(self) -> tuple[float, float]:
        wall_s, cpu_s = time.perf_counter() - self._since[0], time.process_time() - self._since[1]
        return self._spent[0] + wall_s, self._spent[1] + cpu_s


def percentile(values: Sequence[float], rank: float) -> float:
    """The smallest value that at least the share `rank` of all does not exceed; 0 for none."""
    return sorted(values)[max(0, math.ceil(rank * len(values)) - 1)] if len(values) else 0.0
