"""The model files a launch runs with: those its processes have mapped and its flags name, and how they are recorded."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import PurePosixPath

from harness.adapters.base import merged_flags
from harness.gates.base import GateOutcome
from harness.hosts.base import WatchedHost
from harness.hosts.models import ModelSeen, model_files
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import Target
from harness.workflow.present import CONTAINERS, MODEL_FLAGS
from ledger.entries import Model, ModelFile

MODEL_SUFFIX = ".gguf"


async def models_of(
    host: WatchedHost, target: Target, arm: Arm | None, started: str, armed: GateOutcome
) -> tuple[ModelSeen, ...]:
    """The files that are on the host; `started` is the program, and `armed` kept what was mapped."""
    return await model_files(host, model_paths(target, arm, started, armed.seen))


def model_paths(target: Target, arm: Arm | None, started: str, seen: str | None) -> tuple[str, ...]:
    """Pure: mapped model files, and absolute paths that the flags for a model name.

    A flag of a program in a container, or of a deploy script's own server, may name a path of another file system.
    """
    objects = json.loads(seen)["host"]["objects"] if seen else []
    mapped = {one["path"] for one in objects if one["path"].endswith(MODEL_SUFFIX)}
    if PurePosixPath(started).name in CONTAINERS or target.deploy is not None:
        return tuple(sorted(mapped))
    flags = merged_flags(target, arm)
    named = {str(flags.get(flag, "")) for flag in (target.model_flag, *MODEL_FLAGS) if flag}
    return tuple(sorted(mapped | {path for path in named if path.startswith("/")}))


def whole_hashes(earlier: Iterable[Model]) -> dict[tuple[object, ...], str]:
    """Hashes of whole files that are on record, by all that tells whether a file was written to since."""
    return {_untouched(file): file.sha256 for model in earlier for file in model.files if file.sha256}


def as_entry(seen: ModelSeen, known: Mapping[tuple[object, ...], str]) -> ModelFile:
    """As it is recorded; the whole file's hash is taken over where nobody has written to it since it was read."""
    told = asdict(seen)
    made = ModelFile(name=PurePosixPath(seen.path).name, **told)
    return made.model_copy(update={"sha256": made.sha256 or known.get(_untouched(made))})


def _untouched(file: ModelFile) -> tuple[object, ...]:
    return file.path, file.bytes, file.written, file.stamp, file.sample_sha256
