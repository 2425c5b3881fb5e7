"""How long production will be away, from figures known before the first launch. Estimates only; no clock is read."""

from dataclasses import dataclass

from harness.vocabulary.criteria import Ladder


@dataclass(frozen=True)
class LaunchTime:
    """Seconds that one launch takes, by part."""

    start_s: float  # from start to the ready line, the target file's figure
    protocol_s: float  # the protocol under load
    gates_s: float = 0.0  # probes before the protocol
    stop_s: float = 0.0  # ending the process and waiting for its memory

    @property
    def total_s(self) -> float:
        """Seconds of one whole launch."""
        return self.start_s + self.gates_s + self.protocol_s + self.stop_s


def estimate(launches: int, launch: LaunchTime) -> float:
    """Expected seconds without production: every launch, and production's own start at the end.

    Raises ValueError for a negative count or time.
    """
    parts = (launch.start_s, launch.protocol_s, launch.gates_s, launch.stop_s)
    if launches < 0 or not all(0 <= part < float("inf") for part in parts):
        raise ValueError(f"downtime needs a count and times of 0 or more, not {launches} launches of {launch}")
    return launches * launch.total_s + launch.start_s


def ladder_s(ladder: Ladder, user_tok_s: float) -> float:
    """Longest expected time of one ladder, seconds: as if the server answered its users one after the other.

    `user_tok_s` is the rate of a single user; a server that batches is faster than this.
    """
    if not 0 < user_tok_s < float("inf"):
        raise ValueError(f"the rate of a single user must be above 0, not {user_tok_s} tok/s")
    return sum(ladder.steps) * ladder.tokens / user_tok_s
