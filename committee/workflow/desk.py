"""What the graph's nodes work with: everything from outside, put together once by the command line."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from committee.review.order import Edge
from committee.review.progress import Watch, unwatched
from committee.vocabulary.config import CommitteeConfig
from harness.vocabulary.target import Target
from ledger.store import Ledger


@dataclass(frozen=True)
class Measuring:
    """What the measure node asks for. The same ids come again when a run is taken up, so a measurement is rejoined."""

    run: str  # id of the measuring run, made from the review run's
    review_run: str
    proposal: str
    tree: str
    arms: tuple[str, ...]  # fingerprints, in no order of merit


@dataclass(frozen=True)
class Measured:
    """How measuring ended. `run` may differ from what was asked for where an earlier run was rejoined."""

    run: str
    complete: bool
    sentence: str  # why it is not complete


@dataclass(frozen=True)
class StageEvent:
    """The graph entered a stage, or ended in it with a sentence."""

    stage: str
    sentence: str = ""


Measure = Callable[[Measuring], Awaitable[Measured]]
WatchStages = Callable[[StageEvent], None]


def stages_unwatched(_event: StageEvent) -> None:
    """For callers that show nothing."""


@dataclass(frozen=True)
class Desk:
    """Dependencies of one run of the graph."""

    ledger: Ledger
    config: CommitteeConfig
    edge: Edge
    checkpoints: Path  # a cache of its own, beside the ledger and never instead of it
    folder_of: Callable[[str], Path]  # a proposal's folder by its id; raises BadFileError
    target_of: Callable[[str], tuple[Target, str]]  # a target by name, and the hash of its files; raises BadFileError
    measure: Measure
    differential: bool = False  # whether runs begun here also ask for the files without comments
    watch: Watch = unwatched
    watch_stages: WatchStages = stages_unwatched
