"""What every protocol gives back: metrics or a reason, never both, and the records of all its requests."""

from dataclasses import dataclass
from typing import Protocol

from harness.client.record import RequestRecord
from harness.client.stream import Client, Door
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Reason
from ledger.entries import Metric


@dataclass(frozen=True)
class LadderOutcome:
    """One protocol run on one launch. `metrics` is empty exactly when `reason` is set."""

    metrics: tuple[Metric, ...]
    reason: Reason | None
    detail: str
    records: tuple[RequestRecord, ...]


class LoadProtocol(Protocol):
    """One way to load a launch."""

    async def __call__(self, client: Client, door: Door, criteria: Criteria, prompt_seed: int) -> LadderOutcome:
        """Load the server as the criteria say; prompts depend on the seed alone."""
