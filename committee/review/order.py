"""What one call needs. Values only; a key is never part of it, only the name it is found under."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from committee.vocabulary.config import Reviewer


@dataclass(frozen=True)
class Order:
    """One prompt for one reviewer."""

    reviewer: Reviewer
    prompt: str
    schema: Mapping[str, Any]  # JSON schema of the answer, for servers that can be held to one
    files: tuple[tuple[str, bytes], ...]  # the frozen revision, for agents that read files
    left_s: float | None = None  # what is left of the wall clock after an earlier attempt; none where there was none

    @property
    def limit_s(self) -> float:
        """The wall-clock limit around this call, seconds."""
        return self.reviewer.timeout_s if self.left_s is None else self.left_s


@dataclass(frozen=True)
class Edge:
    """What the command line read once and passes in, so that nothing below it reads the environment."""

    environ: Mapping[str, str]
    engine: tuple[str, ...] = ()  # argv of the embedded model's server, empty for the shipped one
    bwrap: str | None = None  # bubblewrap's program, none where it is not installed
