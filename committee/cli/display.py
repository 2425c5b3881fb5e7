"""Live progress of a run: reviewers by state, then launches with time left; plain lines where nobody watches."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from committee.review.progress import ReviewerEvent, SeatState
from committee.workflow.desk import StageEvent
from harness.cli.live import LiveWatcher
from harness.workflow.events import MeasureEvent

STYLES = {
    SeatState.ASKED: "yellow",
    SeatState.ANSWERED: "cyan",
    SeatState.COMPLETE: "green",
    SeatState.EXCLUDED: "red",
}
DETAIL = 60  # characters of a reason beside a reviewer; the whole sentence is in the ledger


class RunDisplay:
    """One for a command; told by the graph and by the measuring process, decides nothing."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.seats: dict[str, tuple[ReviewerEvent, float]] = {}
        self.stage_now = ""
        self.live = Live(console=console, get_renderable=self._picture, refresh_per_second=4, transient=True)
        self.bench = LiveWatcher(console)
        self.began = time.monotonic()

    def __enter__(self) -> Self:
        self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.live.stop()
        self.bench.progress.stop()

    def reviewer(self, event: ReviewerEvent) -> None:
        """One reviewer changed state."""
        self.seats[event.reviewer] = (event, time.monotonic() - self.began)
        if event.state in (SeatState.COMPLETE, SeatState.EXCLUDED):
            said = f": {event.detail}" if event.detail else ""
            self.console.print(f"  reviewer {event.reviewer} {event.state}{said}", markup=False, highlight=False)

    def stage(self, event: StageEvent) -> None:
        """The graph entered a stage; the review's picture gives way to the bench's when measuring begins."""
        self.stage_now = event.stage
        if event.stage == "measure":
            self.live.stop()
            self.bench.progress.start()
        elif event.stage == "rank":
            self.bench.progress.stop()
        if not event.sentence:
            self.console.print(f"{event.stage} ...", style="bold", markup=False, highlight=False)

    def measuring(self, event: MeasureEvent) -> None:
        """One event of the bench."""
        self.bench.tell(event)

    def _picture(self) -> RenderableType:
        table = Table("reviewer", "state", "after", "", box=None, pad_edge=False)
        for name, (event, seconds) in self.seats.items():
            shown = time.monotonic() - self.began if event.state is SeatState.ASKED else seconds
            table.add_row(
                Text(name), Text(event.state, style=STYLES[event.state]), f"{shown:.0f} s", Text(event.detail[:DETAIL])
            )
        return Group(Text(self.stage_now, style="bold"), table) if self.seats else Text(self.stage_now, style="bold")
