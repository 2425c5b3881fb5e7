"""Reads an analysis' inputs and hands them to the pure code that answers. Nothing is started, loaded or changed."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Self

from pydantic import Field, field_validator, model_validator

from harness.analyses import (
    attribution,
    change,
    dispatch,
    effect,
    growth,
    limits,
    memory,
    speculation,
    start,
    step_time,
)
from harness.analyses.answer import Result
from harness.analyses.attribution import Profile
from harness.vocabulary.base import BadFileError, Value
from harness.vocabulary.nearest import meant
from harness.workflow.model_files import read_header
from harness.workflow.profile_tables import read_profile


class OneKernel(Value):
    """One kernel of one run, as somebody tells it."""

    calls: limits.Calls = Field(description="calls in the run")
    total_ms: float = Field(default=0.0, ge=0, le=1e12, description="time of all its calls, ms; 0 where it is not told")


class OneRun(Value):
    """Profiles of one run."""

    steps: limits.Steps = Field(description="decoding steps of the run")
    files: tuple[str, ...] = Field(default=(), description="profiles, one a process, beside this file or absolute")
    kernels: dict[str, OneKernel] = Field(
        default_factory=dict, description="instead of files: kernels as they are told"
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.files) == bool(self.kernels):
            raise ValueError("give files or kernels")
        return self

    def profile(self, folder: Path) -> Profile:
        """The run's kernels; files lie beside `folder`'s inputs. Raises BadFileError."""
        if self.files:
            return read_profile([folder / name for name in self.files], self.steps)
        told = {name: attribution.Calls(one.calls, one.total_ms) for name, one in self.kernels.items()}
        return Profile(self.steps, told)


class KernelFamily(Value):
    """Kernels whose bytes are known."""

    name: str = Field(min_length=1, description="its name")
    pattern: str = Field(min_length=1, description="regular expression over kernel names")
    gb_per_step: limits.StepGb = Field(description="GB that they read in one step, all cards of the profiles together")

    @field_validator("pattern")
    @classmethod
    def _readable(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression ({error})") from error
        return pattern


class TwoLengths(Value):
    """Profiles of a short and a long run of the same server."""

    short: OneRun = Field(description="the shorter run")
    long: OneRun = Field(description="the longer run")
    layers: dict[str, int] = Field(default_factory=dict, description="layers of the model by kind")
    families: tuple[KernelFamily, ...] = Field(default=(), description="for bandwidth")

    @model_validator(mode="after")
    def _same_processes(self) -> Self:
        if len(self.short.files) != len(self.long.files):
            raise ValueError(
                f"short has {len(self.short.files)} profiles and long {len(self.long.files)}: with one file a process, "
                "one that is missing in one of them makes every ratio wrong"
            )
        if len({*self.short.files, *self.long.files}) < len(self.short.files) + len(self.long.files):
            raise ValueError("one profile is named twice, so its calls would count twice")
        return self

    @field_validator("layers")
    @classmethod
    def _some(cls, layers: dict[str, int]) -> dict[str, int]:
        if not all(1 <= count <= limits.MOST_LAYERS for count in layers.values()):
            raise ValueError(f"a kind of layer has at least one layer, and no model more than {limits.MOST_LAYERS:,}")
        return layers


@dataclass(frozen=True)
class Kind:
    """One analysis."""

    line: str
    answer: Callable[[Path], Result]


def _attribution(path: Path) -> Result:
    asked = TwoLengths.from_toml(path)
    families = tuple(
        attribution.Family(one.name, re.compile(one.pattern), one.gb_per_step * 1e9) for one in asked.families
    )
    short, long = asked.short.profile(path.parent), asked.long.profile(path.parent)
    return attribution.analyse(short, long, dict(asked.layers), families)


def _memory(path: Path) -> Result:
    asked = memory.Memory.from_toml(path)
    return memory.analyse(asked, read_header(path.parent / asked.model) if asked.model else None)


KINDS: dict[str, Kind] = {
    "speculation": Kind(
        "speed-up, break-even and best length of speculative decoding",
        lambda path: speculation.analyse(speculation.Speculation.from_toml(path)),
    ),
    "step-time": Kind(
        "fixed time and bandwidth from tensor-parallel sizes, and a held-out size predicted",
        lambda path: step_time.analyse(step_time.StepTime.from_toml(path)),
    ),
    "growth": Kind(
        "how time to first token grows with length, users and budgets; the bearable envelope",
        lambda path: growth.analyse(growth.Growth.from_toml(path)),
    ),
    "attribution": Kind("what a decoding step spends its time on, from profiles of two lengths", _attribution),
    "memory": Kind(
        "prefill pieces, KV tokens and memory a card by budget of batched tokens",
        _memory,
    ),
    "dispatch": Kind(
        "where two ways cross over positions, and what a wrong threshold costs",
        lambda path: dispatch.analyse(dispatch.Dispatch.from_toml(path)),
    ),
    "start": Kind(
        "decode partition, shared memory, captured graphs and KV tokens of a start's settings",
        lambda path: start.analyse(start.Start.from_toml(path)),
    ),
    "change": Kind(
        "what changed beside what identical arms differ by, and sums beside their parts",
        lambda path: change.analyse(change.Changes.from_toml(path)),
    ),
    "effect": Kind(
        "the smallest effect that planned launches can see, in server hours",
        lambda path: effect.analyse(effect.Effect.from_toml(path)),
    ),
}


def kind(name: str) -> Kind:
    """The analysis of that name. Raises BadFileError with the names there are."""
    if name not in KINDS:
        raise BadFileError(f"there is no analysis {name!r}; there are {', '.join(KINDS)}{meant(name, KINDS)}")
    return KINDS[name]


def example(name: str) -> str:
    """A file of inputs to copy. Raises BadFileError for an unknown name."""
    kind(name)
    return files("harness.analyses").joinpath("examples", f"{name}.toml").read_text(encoding="utf-8")
