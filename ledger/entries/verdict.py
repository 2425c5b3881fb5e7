"""What a run says about one arm, one metric and one load, on three axes."""

from typing import ClassVar, Literal

from pydantic import Field

from ledger.entries.base import Part, Payload, RunId, Sha256

Validity = Literal["VALID", "NOT_ARMED", "NOT_SHOWN_ENGAGED", "INPUT_WRONG", "CONTAMINATED", "INVALID"]


class Interval(Part):
    """Estimate and simultaneous bounds of the change against the control, percent."""

    estimate_pct: float = Field(description="change of the metric, percent; positive means a larger number")
    low_pct: float = Field(description="lower one-sided bound at the level used, percent")
    high_pct: float = Field(description="upper one-sided bound at the level used, percent")
    level: float = Field(gt=0, lt=1, description="one-sided level of each bound, after dividing over the arms")
    launch_sd_pct: float = Field(ge=0, description="standard deviation between launches that the bounds use, percent")
    degrees_of_freedom: int = Field(ge=1, description="degrees of freedom of that standard deviation")
    pooled: bool = Field(description="whether the standard deviation is pooled over arms and blocks")
    nominal_level: float | None = Field(
        default=None, gt=0, lt=1, description="level of the t quantile at the look it stopped at; none without looks"
    )


class Verdict(Payload):
    """Validity, speed and numerics. Speed is none unless the validity allows a number."""

    kind: ClassVar[str] = "verdict"

    run: RunId = Field(description="the measuring run")
    target: str = Field(description="the target's name")
    arm: Sha256 = Field(description="the arm's fingerprint")
    arm_name: str = Field(description="the arm's short name")
    metric: str = Field(description="name of the metric")
    load: int = Field(ge=1, description="number of users at once")
    primary: bool = Field(description="whether this is the criteria's primary metric and load")
    validity: Validity = Field(description="whether a number may exist")
    reasons: tuple[str, ...] = Field(description="reason codes and one sentence each, empty when valid")
    speed: Literal["FASTER", "SLOWER", "SAME", "AMBIGUOUS"] | None = Field(description="none when no number may exist")
    numerics: Literal["IDENTICAL", "CHANGED", "UNKNOWN"] = Field(description="temperature-0 text against the baseline")
    interval: Interval | None = Field(description="the measured change, none when no number may exist")
    smallest_effect_pct: float = Field(gt=0, description="smallest effect that matters, percent")
    blocks: int = Field(ge=0, description="number of complete blocks behind it")
    placebo_low_pct: float | None = Field(description="lower bound of placebo against baseline, percent")
    placebo_high_pct: float | None = Field(description="upper bound of placebo against baseline, percent")
    visible_effect_pct: float | None = Field(description="smallest effect this run could have seen, percent")
    more_blocks: int | None = Field(description="blocks more that would settle an AMBIGUOUS, else none")
    more_server_minutes: float | None = Field(description="server minutes those blocks would take")
    trials: tuple[Sha256, ...] = Field(description="entry hashes of the trials it rests on")
    because: Literal["futility", "budget", "screen", "blocks"] | None = Field(
        default=None, description="why a run with looks ended AMBIGUOUS for this arm, else none"
    )
    look: int | None = Field(default=None, ge=1, description="the look it stopped at, from 1; none without looks")
