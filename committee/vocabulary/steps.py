"""A step-time table: where the time of one step goes, measured by the proposal's author. Values and Amdahl's law.

It stands in the proposal as `evidence/step-time*.toml`, one file for each phase and load that was profiled.
"""

from fractions import Fraction
from typing import Literal, Self

from pydantic import Field, model_validator

from committee.vocabulary.plain import OneLine
from harness.vocabulary.base import Value
from harness.vocabulary.outcome import Metric

SUM_SLACK = 1.01  # parts are rounded one by one; one percent above the whole is rounding, more is a mistake
PART_NAME = r"^[a-z0-9][a-z0-9-]{0,47}$"
DECODE = frozenset({Metric.USER_TOK_S, Metric.TOTAL_TOK_S, Metric.STREAMING_TOK_S})
PREFILL = frozenset(
    {Metric.PREFILL_TOK_S, Metric.TTFT_MS, Metric.TTFT_P95_MS, Metric.COLD_TTFT_MS, Metric.WARM_TTFT_MS}
)
RATES = frozenset({*DECODE, Metric.PREFILL_TOK_S})


class StepPart(Value):
    """One part of a step: a kernel, a group of kernels, or time in which nothing runs."""

    name: str = Field(pattern=PART_NAME, description="short name that hypotheses use")
    ms: float = Field(gt=0, description="time of it in one step, milliseconds")
    what: OneLine = Field(default="", max_length=200, description="one line for people")


class StepTable(Value):
    """Where the time of one step goes, at one load."""

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    phase: Literal["decode", "prefill"] = Field(description="which kind of step")
    load: int = Field(ge=1, description="users at once while it was measured")
    step_ms: float = Field(gt=0, description="time of the whole step, milliseconds")
    measured: OneLine = Field(min_length=1, max_length=300, description="how and on what it was measured")
    part: tuple[StepPart, ...] = Field(min_length=1, max_length=64, description="the parts; they need not be all")

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        names = [part.name for part in self.part]
        if len(set(names)) != len(names):
            raise ValueError("two parts have one name; give each its own")
        total = sum(part.ms for part in self.part)
        if total > self.step_ms * SUM_SLACK:
            raise ValueError(f"the parts add up to {total:g} ms, more than the step of {self.step_ms:g} ms")
        return self

    def share(self, name: str) -> float | None:
        """The part's share of the step, 0 to 1; none if there is no such part."""
        return next((min(part.ms / self.step_ms, 1.0) for part in self.part if part.name == name), None)

    def speaks_of(self, metric: str, load: int) -> bool:
        """Whether it bounds this metric: of its own phase, at the load it was measured at."""
        return load == self.load and metric in (DECODE if self.phase == "decode" else PREFILL)


def most_pct(share: float, metric: str) -> float | None:
    """The most that a metric can gain, percent, if the part took no time at all; none where there is no bound.

    Amdahl's law (1967): the step becomes 1 - share of itself. A rate gains 1/(1 - share) - 1, a time loses `share`.
    """
    if metric not in RATES:
        return share * 100
    rest = Fraction(1) - Fraction(share).limit_denominator(1_000_000)
    return float((1 / rest - 1) * 100) if rest > 0 else None
