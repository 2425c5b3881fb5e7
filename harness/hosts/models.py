"""A host's answer to which model files lie behind these paths, made typed. `harness/modelview.py` looks."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from harness.hosts.base import WatchedHost


@dataclass(frozen=True)
class ModelSeen:
    """One file of a model."""

    path: str
    bytes: int
    written: str  # time of the last writing, UTC
    stamp: str  # inode and time of change: with path, size and `written` it tells a file that was touched
    sample_sha256: str  # of its size and 64 pieces of it
    sha256: str | None  # of the whole file, none where nobody has read it whole since it was written


async def model_files(
    host: WatchedHost, paths: Sequence[str], known: Iterable[ModelSeen] = (), *, whole: bool = False
) -> tuple[ModelSeen, ...]:
    """The files behind absolute paths (files, folders, first parts), sorted by path; what is not there is left out.

    `whole` reads those whose hash `known` does not have: about a second for each GB.
    """
    if not paths:
        return ()
    question = {"ask": "models", "paths": list(paths), "known": [asdict(one) for one in known], "whole": whole}
    return tuple(ModelSeen(**one) for one in await host.look(question))
