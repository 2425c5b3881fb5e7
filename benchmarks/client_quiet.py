"""Which moments of a run were undisturbed: when neither the server nor the client waited for a core.

The kernel counts for each process how long it stood ready without being given a core (`/proc/PID/schedstat`, second
number). A thread of the benchmark reads that count of both every few milliseconds; a request that holds more than a
little of such waiting where it counts says something about the machine and not about the client.
"""

import os
import threading
import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from types import TracebackType
from typing import Self

SAMPLE_S = 0.002  # what is asked about is a millisecond long; reading both costs a hundredth of a core


class Watch:
    """Watches processes while it is entered; asked afterwards. Where the kernel keeps no count, nothing is quiet."""

    def __init__(self, pids: Sequence[int]) -> None:
        self.at: list[float] = []  # of each reading's end, seconds of `time.perf_counter`
        self.waited: list[float] = []  # by all processes together so far, seconds
        self._pids = pids
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read_on, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def quiet(self, begin: float, end: float, most_wait_s: float) -> bool:
        """Whether all processes together waited for at most so long between the readings around `begin` and `end`."""
        first, last = bisect_right(self.at, min(begin, end)) - 1, bisect_left(self.at, max(begin, end))
        if first < 0 or last >= len(self.at):
            return False
        return self.waited[last] - self.waited[first] <= most_wait_s

    @property
    def share(self) -> float:
        """Seconds waited for a second of the time watched, all processes together."""
        span_s = self.at[-1] - self.at[0] if self.at else 0.0
        return (self.waited[-1] - self.waited[0]) / span_s if span_s > 0 else 0.0

    def _read_on(self) -> None:
        files = [os.open(f"/proc/{pid}/schedstat", os.O_RDONLY) for pid in self._pids]
        try:
            while not self._ended.is_set():
                self.waited.append(sum(int(os.pread(file, 100, 0).split()[1]) for file in files) / 1e9)
                self.at.append(time.perf_counter())
                self._ended.wait(SAMPLE_S)
        except OSError:
            pass  # a process has ended, and nothing is asked about the time after it
        finally:
            for file in files:
                os.close(file)
