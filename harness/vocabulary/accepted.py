"""The accepted baseline: what acceptances have added to a target's file. The file a person wrote stays as it is."""

from typing import Literal

from pydantic import Field

from harness.vocabulary.arm import NAME, normal
from harness.vocabulary.base import Scalar, Value
from harness.vocabulary.changes import AbsolutePath
from harness.vocabulary.target import Target


class Accepted(Value):
    """Read from `targets/<name>.accepted.toml`, which `committee accept` writes and commits."""

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    target: str = Field(pattern=NAME, description="the target it belongs to")
    flags: dict[str, Scalar] = Field(default_factory=dict, description="flags laid over the baseline's")
    env: dict[str, str] = Field(default_factory=dict, description="variables laid over the baseline's")
    model: AbsolutePath | None = Field(
        default=None, exclude_if=lambda value: value is None, description="model file in place of the baseline's"
    )
    proposal: str = Field(description="the proposal of the newest acceptance")
    arm: str = Field(description="the accepted arm's name")
    fingerprint: str = Field(description="the accepted arm's fingerprint")
    ledger_head: str = Field(description="the ledger's head when it was accepted")


def with_accepted(target: Target, accepted: Accepted) -> Target:
    """The target with the accepted settings in force. Witnesses of the old baseline go."""
    baseline = target.baseline
    model = {target.model_flag: accepted.model} if accepted.model and target.model_flag else {}
    overlaid = baseline.model_copy(
        update={
            "flags": {normal(name): value for name, value in {**baseline.flags, **accepted.flags, **model}.items()},
            "env": {**baseline.env, **accepted.env},
            "witness": () if accepted.flags or accepted.env or model else baseline.witness,
        }
    )
    return target.model_copy(update={"baseline": overlaid})
