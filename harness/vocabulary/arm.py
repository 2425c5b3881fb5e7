"""An arm: one change against a target's baseline, and the witness of its effect."""

import re
from collections.abc import Iterable
from math import isfinite
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from harness.vocabulary.base import Scalar, Value
from ledger.canonical import digest

NAME = r"^[a-z0-9][a-z0-9-]{0,47}$"
KEY = r"^[A-Za-z][A-Za-z0-9_.-]{0,79}$"


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
    """Flags and environment variables that differ from the baseline. A flag set to false is taken away."""

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    name: str = Field(pattern=NAME, description="short name, lower case with hyphens")
    title: str = Field(default="", max_length=200, description="one line for people")
    flags: dict[str, Scalar] = Field(default_factory=dict, description="engine flags without leading dashes")
    env: dict[str, str] = Field(default_factory=dict, description="environment variables")
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

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.flags and not self.env:
            raise ValueError("an arm needs at least one flag or env entry")
        return self

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the change alone; name, title and witness do not count."""
        return digest({"flags": {normal(key): text(value) for key, value in self.flags.items()}, "env": self.env})


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
