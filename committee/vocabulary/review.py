"""What a reviewer must return, strictly: unknown keys, wrong types and unbounded texts are refused.

This is the border's idea of a review; the entries that are kept of it are in `ledger.entries`.
"""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from committee.vocabulary.plain import CONTROL, unseen
from harness.vocabulary.base import Scalar
from harness.vocabulary.outcome import Metric

MAX_HYPOTHESES = 12  # a person reads the brief; more than this from one reviewer is not read
MAX_ARM_SETTINGS = 8  # one flag, one arm (lesson A1); a few more for arms that must stack
MAX_PATCH = 60_000  # characters; a person reads every patch before it is run
LARGEST_NUMBER = 2**53 - 1  # canonical JSON holds no larger whole number, and writes 1e16 as one


def _left_out(value: object) -> bool:
    return not value  # an arm without a patch is recorded as it was before there were patches


class Answer(BaseModel):
    """Frozen, closed, no coercion of types, no NaN, no control or hidden characters."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @field_validator("*", mode="after")
    @classmethod
    def _plain(cls, value: object) -> object:
        texts = (*value, *value.values()) if isinstance(value, dict) else (value,)
        for text in texts:
            if isinstance(text, str) and CONTROL.search(text):
                raise ValueError("holds a control character")
            if isinstance(text, str) and unseen(text):
                raise ValueError("holds a character that nobody sees")
            if isinstance(text, (int, float)) and abs(text) > LARGEST_NUMBER:
                raise ValueError("holds a number that is too large")
        return value


class AnswerWitness(Answer):
    """Where the engine itself says that the change is in force."""

    source: Literal["log", "props", "metrics"] = Field(description="where to look")
    pattern: str | None = Field(default=None, max_length=300, description="log: regular expression")
    path: str | None = Field(default=None, max_length=200, description="props: dotted path; metrics: name")
    equals: Scalar | None = Field(default=None, description="the value that must stand there")


class AnswerArm(Answer):
    """A change as the reviewer wrote it; whether it can run is decided later and does not spoil the review."""

    name: str = Field(min_length=1, max_length=48, description="short name")
    title: str = Field(default="", max_length=200, description="one line for people")
    flags: dict[str, Scalar] = Field(default_factory=dict, max_length=MAX_ARM_SETTINGS, description="engine flags")
    env: dict[str, str] = Field(default_factory=dict, max_length=MAX_ARM_SETTINGS, description="variables")
    patch: str = Field(
        default="", max_length=MAX_PATCH, exclude_if=_left_out, description="unified diff against the proposal's files"
    )
    witness: tuple[AnswerWitness, ...] = Field(default=(), max_length=4, description="proofs of effect")


class AnswerPrediction(Answer):
    """The claimed change of one metric at one load, percent against the baseline."""

    metric: Metric = Field(description="name of the metric")
    load: int = Field(ge=1, le=100_000, description="users at once")
    direction: Literal["up", "down", "same"] = Field(description="which way it goes")
    low_pct: float = Field(ge=-100, le=100_000, description="lower end, percent")
    high_pct: float = Field(ge=-100, le=100_000, description="upper end, percent")
    confidence: float | None = Field(default=None, ge=0, le=1, description="probability that the direction is right")

    @model_validator(mode="after")
    def _an_interval(self) -> Self:
        if self.low_pct > self.high_pct:
            raise ValueError("low_pct is above high_pct")
        return self


class AnswerCitation(Answer):
    """A place in the revision."""

    file: str = Field(min_length=1, max_length=300, description="path inside the revision")
    line: int = Field(ge=1, le=10_000_000, description="line number, from 1")
    quote: str = Field(max_length=400, description="words that stand there")


class AnswerHypothesis(Answer):
    """One thing the reviewer supposes."""

    mechanism: str = Field(min_length=1, max_length=2000, description="why the effect should appear")
    predicted: AnswerPrediction = Field(description="the effect claimed")
    falsifier: str = Field(min_length=1, max_length=1000, description="what would show it wrong")
    citations: tuple[AnswerCitation, ...] = Field(max_length=12, description="places it rests on")
    arm: AnswerArm | None = Field(description="the change that tests it, or null")
    part: str | None = Field(default=None, max_length=48, description="part of a step that it would shorten")
    refutes: str | None = Field(default=None, max_length=8, description="second look: label of what it says is wrong")


class ReviewAnswer(Answer):
    """A whole review. `count` is the reviewer's own count, so that a shortened list is noticed."""

    nonce: str = Field(max_length=64, description="the nonce of this request, repeated")
    proposal: str = Field(max_length=100, description="the proposal's id, repeated")
    count: int = Field(ge=0, le=MAX_HYPOTHESES, description="number of hypotheses")
    hypotheses: tuple[AnswerHypothesis, ...] = Field(max_length=MAX_HYPOTHESES, description="the hypotheses")
