"""Ways to load a launch and read metrics, one a file. `PROTOCOLS` is the registry, by the name in a criteria file."""

from harness.protocols.base import LoadProtocol, ProtocolOutcome, Surroundings
from harness.protocols.ladder import ladder
from harness.vocabulary.metrics import ProtocolName

PROTOCOLS: dict[ProtocolName, LoadProtocol] = {ProtocolName.LADDER: ladder}

__all__ = ["PROTOCOLS", "LoadProtocol", "ProtocolOutcome", "Surroundings"]
