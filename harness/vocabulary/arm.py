"""An arm: one change against a target's baseline, and the witness of its effect."""

import re
from collections.abc import Iterable
from math import isfinite
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from harness.vocabulary.base import Scalar, Value
from harness.vocabulary.changes import AbsolutePath, Build, Overlay, ScriptEdit
from ledger.canonical import digest

NAME = r"^[a-z0-9][a-z0-9-]{0,47}$"
KEY = r"^[A-Za-z][A-Za-z0-9_.-]{0,79}$"


def _left_out(value: object) -> bool:
    return not value  # an arm of flags and variables is written as it was before there was more


class Witness(Value):
    """Where to see that a change is engaged, not only requested (lesson A5).

    `log` searches the server's own log for a regular expression; `props` and `metrics` compare one value of the
    engine's own report.
    """

    source: Literal["log", "props", "metrics"] = Field(description="where the engine's own words are read")
    pattern: str | None = Field(default=None, description="log: regular expression that must be found")
    path: str | None = Field(default=None, description="props: dotted path; metrics: the metric's name")
    equals: Scalar | None = Field(default=None, description="props and metrics: the value that must stand there")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.source == "log":
            if not self.pattern:
                raise ValueError("a log witness needs a pattern")
            try:
                re.compile(self.pattern)
            except re.error as error:
                raise ValueError(f"the pattern is not a regular expression ({error})") from error
        elif self.path is None or self.equals is None:
            raise ValueError(f"a {self.source} witness needs path and equals")
        return self


class Arm(Value):
    """What differs from the baseline: flags, variables, the model file, other files, the deploy script's copy.

    A flag set to false is taken away. An arm with a `stack` is made of other arms, which are named there.
    """

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    name: str = Field(pattern=NAME, description="short name, lower case with hyphens")
    title: str = Field(default="", max_length=200, description="one line for people")
    flags: dict[str, Scalar] = Field(default_factory=dict, description="engine flags without leading dashes")
    env: dict[str, str] = Field(default_factory=dict, description="environment variables")
    model: AbsolutePath | None = Field(
        default=None, exclude_if=_left_out, description="model file on the target's host"
    )
    overlay: tuple[Overlay, ...] = Field(
        default=(), max_length=16, exclude_if=_left_out, description="files that stand in for production's"
    )
    deploy: tuple[ScriptEdit, ...] = Field(
        default=(), max_length=32, exclude_if=_left_out, description="edits in the deploy script's copy"
    )
    build: Build | None = Field(default=None, exclude_if=_left_out, description="the step that makes an overlay's file")
    stack: tuple[Annotated[str, Field(pattern=NAME)], ...] = Field(
        default=(), max_length=6, exclude_if=_left_out, description="names of the arms that it is made of"
    )
    witness: tuple[Witness, ...] = Field(default=(), description="proofs that the change is engaged")

    @field_validator("flags", mode="before")
    @classmethod
    def _finite_scalars(cls, value: object) -> object:
        for key, setting in value.items() if isinstance(value, dict) else ():
            if not isinstance(setting, bool | int | float | str) or (
                isinstance(setting, float) and not isfinite(setting)
            ):
                raise ValueError(f"{key!r} must be text, true, false or a finite number")
        return value

    @field_validator("flags", "env")
    @classmethod
    def _keys(cls, value: dict[str, Scalar]) -> dict[str, Scalar]:
        for key, setting in value.items():
            if not re.fullmatch(KEY, key):
                raise ValueError(f"{key!r} is not a flag or variable name")
            if isinstance(setting, str) and re.search(r"[\x00-\x1f]", setting):
                raise ValueError(f"the value of {key!r} holds a control character")
        return value

    @field_validator("flags")
    @classmethod
    def _one_spelling(cls, value: dict[str, Scalar]) -> dict[str, Scalar]:
        if said := spelled_twice(value):
            raise ValueError(said)
        return value

    @field_validator("stack")
    @classmethod
    def _at_least_two(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if value and (len(value) < 2 or len(set(value)) != len(value)):
            raise ValueError("a stack names at least two arms, each once")
        return value

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not (self.flags or self.env or self.changes_files or self.stack):
            raise ValueError("an arm needs at least one flag or env entry, or a model, overlay, deploy edit or stack")
        return self

    @model_validator(mode="after")
    def _files_are_known(self) -> Self:
        paths = [overlay.path for overlay in self.overlay]
        if len(set(paths)) != len(paths):
            raise ValueError("two overlays name the same file; keep one")
        built = self.build.output if self.build else None
        if built is not None and built not in [overlay.source for overlay in self.overlay]:
            raise ValueError(f"the build makes {built!r}, which no overlay takes as its source")
        for overlay in self.overlay:
            if overlay.sha256 is None and overlay.source != built:
                raise ValueError(f"the overlay of {overlay.path!r} needs sha256, the hash of {overlay.source!r}")
        return self

    @property
    def changes_files(self) -> bool:
        """Whether it needs more than a command line and an environment."""
        return bool(self.model or self.overlay or self.deploy or self.build)

    @property
    def is_code(self) -> bool:
        """Whether it runs code that is not production's: it then needs a person's yes, whoever wrote it."""
        return bool(self.overlay or self.deploy or self.build)

    @property
    def file_words(self) -> tuple[str, ...]:
        """What it changes in files, a line each, for people."""
        return (
            *((f"model {self.model}",) if self.model else ()),
            *(f"overlay {over.path} by {over.source}" for over in self.overlay),
            *(f"deploy script: {edit.find!r} becomes {edit.replace!r}" for edit in self.deploy),
            *((f"build {' '.join(self.build.argv)}",) if self.build else ()),
        )

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the change alone; name, title, witness and the names of stacked arms do not count.

        What an arm leaves out is not hashed, so a change of flags and variables has the fingerprint it always had. An
        overlay counts by its content, and by its place only where a build makes it.
        """
        change: dict[str, Any] = {
            "flags": {normal(key): text(value) for key, value in self.flags.items()},
            "env": self.env,
        }
        if self.model:
            change["model"] = self.model
        if self.overlay:
            change["overlay"] = {over.path: over.sha256 or f"built:{over.source}" for over in self.overlay}
        if self.deploy:
            change["deploy"] = [[edit.find, edit.replace] for edit in self.deploy]
        if self.build:
            change["build"] = {"argv": list(self.build.argv), "cwd": self.build.cwd, "output": self.build.output}
        return digest(change)


def normal(flag: str) -> str:
    """A flag's one spelling: lower case, hyphens for underscores."""
    return flag.lower().replace("_", "-")


def spelled_twice(flags: Iterable[str]) -> str | None:
    """One sentence for two names that are spellings of one flag, none if each flag is named once."""
    first: dict[str, str] = {}
    for name in flags:
        other = first.setdefault(normal(name), name)
        if other != name:
            return f"{other!r} and {name!r} are two spellings of one flag; keep one"
    return None


def text(value: Scalar) -> str:
    """A setting's one spelling: true/false in lower case, integral floats without the point."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
