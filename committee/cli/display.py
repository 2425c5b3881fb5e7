"""Live progress of a run: reviewers by state, then launches with time left; plain lines where nobody watches."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.table import Column, Table
from rich.text import Text

from committee.review.progress import ReviewerEvent, SeatState
from committee.workflow.desk import StageEvent
from committee.workflow.state import Stage
from harness.cli.live import LiveWatcher
from harness.cli.terminal import one_line
from harness.workflow.events import MeasureEvent

STYLES = {
    SeatState.ASKED: "yellow",
    SeatState.ANSWERED: "cyan",
    SeatState.COMPLETE: "green",
    SeatState.EXCLUDED: "red",
}
DETAIL = 60  # characters of a reason beside a reviewer; the whole sentence is in the ledger


class RunDisplay:
    """One for a command; told by the graph and by the measuring process, decides nothing.

    At most one picture moves at a time: the reviewers' from the first event of one, the bench's from its first event.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.seats: dict[str, tuple[ReviewerEvent, float]] = {}
        self.reviewers = Live(console=console, get_renderable=self._picture, refresh_per_second=4, transient=True)
        self.bench = LiveWatcher(console)
        self.began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.reviewers.stop()
        self._stop_bench()

    def reviewer(self, event: ReviewerEvent) -> None:
        """One reviewer changed state."""
        self.reviewers.start()
        self.seats[event.reviewer] = (event, time.monotonic() - self.began)
        if event.state in (SeatState.COMPLETE, SeatState.EXCLUDED):
            said = f": {event.detail}" if event.detail else ""
            self._say(f"  reviewer {event.reviewer} {event.state}{said}")

    def stage(self, event: StageEvent) -> None:
        """The graph entered a stage; after the review its picture goes."""
        if event.stage != Stage.REVIEW:
            self.reviewers.stop()
        if event.stage == Stage.RANK:
            self._stop_bench()
        if not event.sentence:
            self._say(f"{event.stage} ...", style="bold")

    def measuring(self, event: MeasureEvent) -> None:
        """One event of the bench."""
        self.bench.progress.start()
        self.bench.tell(event)

    def _stop_bench(self) -> None:
        if self.bench.progress.live.is_started:  # where nobody watches, rich ends even what never began with a line
            self.bench.progress.stop()

    def _say(self, line: str, style: str | None = None) -> None:
        self.console.print(one_line(line), style=style, markup=False, highlight=False, soft_wrap=True)

    def _picture(self) -> Table:
        whole = (Column(name, no_wrap=True) for name in ("reviewer", "state", "after"))
        table = Table(*whole, "", box=None, pad_edge=False)  # on a narrow terminal the detail gives way
        for name, (event, seconds) in self.seats.items():
            after_s = time.monotonic() - self.began if event.state is SeatState.ASKED else seconds
            table.add_row(
                Text(one_line(name)),
                Text(event.state, style=STYLES[event.state]),
                f"{after_s:.0f} s",
                Text(one_line(event.detail[:DETAIL])),
            )
        return table
