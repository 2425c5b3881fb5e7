"""Live progress of a measuring run in the terminal, or one JSON line an event where nobody watches."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from harness.cli.speak import out
from harness.cli.terminal import one_line
from harness.vocabulary.clocks import without_clock
from harness.workflow.events import MeasureEvent

MOST_BYTES = 32_000_000  # 200 blocks of 40 arms tell about half of that
TURNING_POINTS = frozenset({"plan", "production", "waiting", "end"})  # a handful for each window

LAUNCH_FAILED = re.compile(r"(?P<block>block \d+)/\d+: (?P<arm>[^:]+): (?P<words>(?P<code>[a-z_]+): .+)")


class Watcher(Protocol):
    """Something that is told what happens."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def tell(self, event: MeasureEvent) -> None:
        """Take one event."""


class LineWatcher:
    """One JSON object a line, appended to a file or written to standard output; what another process reads.

    A file is bounded: near its limit phases of launches are left out, at its limit all but the run's turning points.
    """

    def __init__(self, path: Path | None = None, most_bytes: int = MOST_BYTES) -> None:
        self.stream = path.open("a", encoding="utf-8") if path else sys.stdout
        self.most_bytes = most_bytes
        self.written = path.stat().st_size if path else 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what a full disk did not take was only told, never needed
            self.stream.flush()
            if self.stream is not sys.stdout:
                self.stream.close()

    def tell(self, event: MeasureEvent) -> None:
        """Write the event at once."""
        if self._full(event):
            return
        with suppress(Exception):  # telling never ends a run: production is away
            self.written += self.stream.write(json.dumps(event.as_json()) + "\n")
            self.stream.flush()

    def _full(self, event: MeasureEvent) -> bool:
        if self.stream is sys.stdout or event.what in TURNING_POINTS:
            return False
        return self.written > (self.most_bytes * 0.9 if event.what == "phase" else self.most_bytes)


class LiveWatcher:
    """A bar of launches with time left; launches and production changes stay above it as lines."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.progress = Progress(
            TextColumn("[bold]measuring"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            TextColumn("{task.fields[now]}", style="dim", markup=False),
            console=console,
            transient=True,  # the lines above it stay; the bar says nothing once it is over
        )
        self.task = self.progress.add_task("measuring", total=None, left="", now="")
        self.failed: dict[str, str] = {}  # an arm with its reason's words, clocks left out -> the block it was first in

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def tell(self, event: MeasureEvent) -> None:
        """Move the bar; say aloud what a person would want to find in the scroll-back. A command says its own end."""
        text = one_line(event.text)
        left = "" if event.seconds_left is None else f"about {_span(event.seconds_left)} left"
        with suppress(Exception):  # telling never ends a run: production is away
            self.progress.update(self.task, completed=event.done, total=event.total, left=left, now=text)
            if event.what in ("plan", "launch_done", "production", "block_broken", "waiting", "look"):
                self.console.print(f"  {self._once(text)}", markup=False, highlight=False)

    def _once(self, text: str) -> str:
        """The same, or where a launch failed in the very words of an earlier one of its arm: its reason and where."""
        parts = LAUNCH_FAILED.fullmatch(text)
        if parts is None:
            return text
        alike = f"{parts['arm']}: {without_clock(parts['words'])}"
        first = self.failed.setdefault(alike, parts["block"])
        return text if first == parts["block"] else f"{parts['block']}: {parts['arm']}: {parts['code']}, as in {first}"


@contextmanager
def watching(events: Path, progress: Path | None, *, json_lines: bool) -> Iterator["Watchers"]:
    """Everybody who is told of a run: its own file always, and a display, or lines where a program watches."""
    with ExitStack() as stack:
        told: list[Watcher] = [stack.enter_context(LineWatcher(events))]
        if progress is not None and progress.resolve() != events.resolve():
            told.append(stack.enter_context(LineWatcher(progress)))
        if json_lines:
            told.append(stack.enter_context(LineWatcher()))
        elif progress is None:
            told.append(stack.enter_context(LiveWatcher(out)))
        yield Watchers(tuple(told))


@dataclass(frozen=True)
class Watchers:
    """Several, told one after the other."""

    told: tuple[Watcher, ...]

    def tell(self, event: MeasureEvent) -> None:
        """Tell each."""
        for watcher in self.told:
            watcher.tell(event)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.1f} min"
