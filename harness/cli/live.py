"""Live progress of a measuring run in the terminal, or one JSON line an event where nobody watches."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from harness.cli.terminal import shown
from harness.workflow.events import MeasureEvent


class Watcher(Protocol):
    """Something that is told what happens."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def tell(self, event: MeasureEvent) -> None:
        """Take one event."""


class LineWatcher:
    """One JSON object a line, appended to a file or written to standard output; what another process reads."""

    def __init__(self, path: Path | None = None) -> None:
        self.stream = path.open("a", encoding="utf-8") if path else sys.stdout

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
        with suppress(Exception):  # telling never ends a run: production is away
            self.stream.write(json.dumps(event.as_json()) + "\n")
            self.stream.flush()


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

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def tell(self, event: MeasureEvent) -> None:
        """Move the bar; say aloud what a person would want to find in the scroll-back."""
        text = shown(event.text)
        left = "" if event.seconds_left is None else f"about {_span(event.seconds_left)} left"
        with suppress(Exception):  # telling never ends a run: production is away
            now = " ".join(text.split())
            self.progress.update(self.task, completed=event.done, total=event.total, left=left, now=now)
            if event.what in ("plan", "launch_done", "production", "block_broken", "end"):
                self.console.print(f"  {text}", markup=False, highlight=False)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.1f} min"
