"""What every protocol gets and gives back: metrics or a reason, never both, and the records of all its requests."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Protocol

from harness.client.record import RequestRecord
from harness.client.stream import Client, ClientLoad, Door
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason
from ledger.entries import Metric


@dataclass(frozen=True)
class ProtocolOutcome:
    """One protocol run on one launch. `metrics` is empty exactly when `reason` is set."""

    metrics: tuple[Metric, ...]
    reason: Reason | None
    detail: str
    records: tuple[RequestRecord, ...]
    texts: tuple[str, ...] = ()  # temperature-0 texts to be compared with the baseline's, besides the gate's
    findings: tuple[str, ...] = ()  # what numbers alone do not say, one sentence each
    client: ClientLoad | None = None  # what the client itself cost; known once the protocol has run


@dataclass(frozen=True)
class Asked:
    """One request, and where in its protocol it stood, in words."""

    place: str
    record: RequestRecord


@dataclass(frozen=True)
class CacheCount:
    """What the engine has counted of prompt tokens since it started; none where it does not count that."""

    computed: int | None = None  # prompt tokens that were really computed
    hits: int | None = None  # prompt tokens that were taken from a cache


@dataclass(frozen=True)
class ProcessUse:
    """What one process of the server holds. `memory_mib` is its own: pages of files, as of a model, do not count."""

    pid: int
    name: str
    memory_mib: float
    descriptors: int


class Watched(Protocol):
    """The server's processes, looked at from outside."""

    async def use(self) -> tuple[ProcessUse, ...]:
        """Every process of the server's tree that can be seen now."""


class Unwatched:
    """No process can be seen."""

    async def use(self) -> tuple[ProcessUse, ...]:
        return ()


async def uncounted() -> CacheCount | None:
    """The engine publishes no counters."""
    return None


@dataclass(frozen=True)
class Surroundings:
    """What a protocol may know of the server besides its answers."""

    cache: Callable[[], Awaitable[CacheCount | None]] = uncounted  # reads the engine's counters now
    watched: Watched = field(default_factory=Unwatched)


class LoadProtocol(Protocol):
    """One way to load a launch."""

    async def __call__(
        self, client: Client, door: Door, criteria: Criteria, prompt_seed: int, surroundings: Surroundings, /
    ) -> ProtocolOutcome:
        """Load the server as the criteria say; prompts depend on the seed alone."""


def invalid(reason: Reason, detail: str, asked: Sequence[Asked]) -> ProtocolOutcome:
    """No numbers, for this reason."""
    return ProtocolOutcome((), reason, detail, tuple(one.record for one in asked))


def spoilt(asked: Sequence[Asked]) -> ProtocolOutcome | None:
    """The outcome where a request did not end well, for the first of them; none if all did."""
    for one in asked:
        if one.record.reason is not None:
            return invalid(one.record.reason, f"{one.place}: {one.record.detail}", asked)
    return None


def number(name: Name, load: int, values: Sequence[float | None], size: int | None = None) -> tuple[Metric, ...]:
    """The mean of the values as a metric; nothing where there is no value, or one of them does not exist."""
    numbers = [value for value in values if value is not None]
    if not numbers or len(numbers) != len(values):
        return ()
    full = name.value if size is None else f"{name.value}@{size}"
    return (Metric(metric=full, load=load, value=fmean(numbers), samples=len(numbers)),)
