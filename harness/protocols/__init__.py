"""Ways to load a launch and read metrics, one a file. `PROTOCOLS` is the registry, by the name in a criteria file."""

from harness.protocols.base import LadderOutcome, LoadProtocol
from harness.protocols.ladder import ladder

PROTOCOLS: dict[str, LoadProtocol] = {"ladder": ladder}

__all__ = ["PROTOCOLS", "LadderOutcome", "LoadProtocol"]
