"""What a device hands back of timed calls. Frozen."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Taken:
    """Times a call, and how many calls stand behind them: a graph of many launches gives one time for all."""

    ns: list[int]
    calls: int
    place: int  # of the last call
