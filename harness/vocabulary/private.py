"""Variables of production that nobody but its server may read: a file of their own, which git does not keep."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from harness.blanks import Blanks
from harness.vocabulary.arm import NAME
from harness.vocabulary.base import BadFileError, Value
from harness.vocabulary.target import Target

BESIDE = (".accepted", ".private")  # what lies beside a target's file and is no target of its own
NOT_FOR_GIT = "*.private.toml"  # the line of `targets/.gitignore`


class Private(Value):
    """Read from `targets/<name>.private.toml`; never committed, its values never recorded or printed (`blanks_of`)."""

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    target: str = Field(pattern=NAME, description="the target it belongs to")
    env: dict[str, str] = Field(default_factory=dict, description="variables laid over the baseline's")


def with_private(target: Target, private: Private, where: str) -> Target:
    """The target with the private variables in its baseline. Raises BadFileError where one would not stay private."""
    if private.target != target.name:
        raise BadFileError(f"{where!r} belongs to {private.target!r}; move it away")
    for name in private.env:
        open_in = "recorded_env" if name in target.recorded_env else "allowed_env" if name in target.allowed_env else ""
        if open_in:
            raise BadFileError(
                f"{where!r}: {name!r} is private here, and {open_in} of target {target.name!r} would have its value "
                "recorded; take it out of one of the two"
            )
    baseline = target.baseline
    whole = {"env": {**baseline.env, **private.env}, "private": tuple(sorted({*baseline.private, *private.env}))}
    return target.model_copy(update={"baseline": baseline.model_copy(update=whole)})


def blanks_of(target: Target, *more: Mapping[str, str]) -> Blanks:
    """What takes the values of a target's private variables out of all that its servers, files and hosts say.

    `more` are other variables to take out, which a process has that was not started as the target's files say.
    """
    env = target.baseline.env
    return Blanks.of({name: env[name] for name in target.baseline.private if name in env}, *more)
