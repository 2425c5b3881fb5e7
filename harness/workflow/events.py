"""What a measuring run tells its watchers while it goes on. Events inform; nothing is decided by them."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

EventKind = Literal["plan", "launch", "phase", "launch_done", "block_broken", "production", "waiting", "look", "end"]


@dataclass(frozen=True)
class MeasureEvent:
    """One thing that happened, with how far the run is."""

    what: EventKind
    run: str
    text: str  # one short sentence for people
    done: int  # launches finished
    total: int  # launches planned
    seconds_left: float | None  # expected, from this run's own launches; none before the first one

    def as_json(self) -> dict[str, Any]:
        """Plain values, for the line-by-line progress stream."""
        return asdict(self)
