"""Ways to load a launch and read metrics, one a file. `PROTOCOLS` is the registry, by the name in a criteria file."""

from harness.protocols.base import LoadProtocol, ProtocolOutcome, Surroundings
from harness.protocols.burst import burst
from harness.protocols.coherence import coherence
from harness.protocols.documents import documents
from harness.protocols.identity import identity
from harness.protocols.ladder import ladder
from harness.protocols.mixed import mixed
from harness.protocols.nested_prefix import nested_prefix
from harness.protocols.priority import priority
from harness.protocols.shared_document import shared_document
from harness.protocols.soak import soak
from harness.protocols.time_limit import time_limit
from harness.protocols.tool_calls import tool_calls
from harness.protocols.vision import vision
from harness.vocabulary.metrics import ProtocolName

PROTOCOLS: dict[ProtocolName, LoadProtocol] = {
    ProtocolName.LADDER: ladder,
    ProtocolName.MIXED: mixed,
    ProtocolName.DOCUMENTS: documents,
    ProtocolName.SHARED_DOCUMENT: shared_document,
    ProtocolName.NESTED_PREFIX: nested_prefix,
    ProtocolName.PRIORITY: priority,
    ProtocolName.SOAK: soak,
    ProtocolName.BURST: burst,
    ProtocolName.TOOL_CALLS: tool_calls,
    ProtocolName.VISION: vision,
    ProtocolName.IDENTITY: identity,
    ProtocolName.COHERENCE: coherence,
    ProtocolName.TIME_LIMIT: time_limit,
}

__all__ = ["PROTOCOLS", "LoadProtocol", "ProtocolOutcome", "Surroundings"]
