"""One thing that a reviewer supposes, with its prediction fixed before anything is measured."""

from typing import Any, ClassVar, Literal

from pydantic import Field

from ledger.entries.base import Part, Payload, RunId, Sha256


class Prediction(Part):
    """The effect claimed, as a change in percent against the baseline."""

    metric: str = Field(description="name of the metric")
    load: int = Field(ge=1, description="number of users at once")
    direction: Literal["up", "down", "same"] = Field(description="which way the metric goes")
    low_pct: float = Field(description="lower end of the claimed change, percent")
    high_pct: float = Field(description="upper end of the claimed change, percent")
    confidence: float | None = Field(
        default=None, ge=0, le=1, description="the reviewer's probability that the direction is right, none if not said"
    )


class Citation(Part):
    """A place in the frozen revision that the reviewer points at."""

    file: str = Field(description="path inside the revision")
    line: int = Field(ge=1, description="line number, from 1")
    quote: str = Field(description="words that stand there")
    found_line: int | None = Field(
        default=None, ge=1, description="line at which the quote really stands, none if nowhere in the file"
    )


class PatchedFile(Part):
    """One file of the revision as a reviewer's patch leaves it."""

    path: str = Field(description="path inside the revision")
    sha256: Sha256 = Field(description="hash of the whole file after the patch")
    plain_sha256: Sha256 = Field(description="the same without comments and formatting")


class PatchOutcome(Part):
    """What became of a reviewer's patch when it was tried in a copy of the revision."""

    files: tuple[PatchedFile, ...] = Field(
        description="files that it changes, sorted by path; empty if it does not apply"
    )
    change: Sha256 | None = Field(description="fingerprint of the change without formatting, none if it does not apply")
    compiled: str = Field(description="what the compiler said, or why it was not asked")
    launched: dict[str, Any] | None = Field(description="the arm that is measured for it, none if it cannot be")


class Hypothesis(Payload):
    """Mechanism and effect are kept apart (lesson C3): one may be right and the other wrong."""

    kind: ClassVar[str] = "hypothesis"

    hypothesis: str = Field(description="id: run, reviewer and number")
    run: RunId = Field(description="the review run")
    reviewer: str = Field(description="the reviewer's name")
    mechanism: str = Field(description="why the effect should appear")
    prediction: Prediction = Field(description="the effect claimed")
    prediction_sha256: Sha256 = Field(description="hash of the prediction's canonical bytes")
    falsifier: str = Field(description="the observation that would show the hypothesis wrong")
    citations: tuple[Citation, ...] = Field(description="places in the revision that it rests on")
    unsupported: bool = Field(default=False, description="whether a quote of it stands nowhere in the file it cites")
    arm: dict[str, Any] | None = Field(description="the arm as the reviewer wrote it, none if there is none")
    arm_fingerprint: Sha256 | None = Field(description="fingerprint of the arm's change, none without a usable arm")
    not_runnable: str | None = Field(description="why the arm cannot be run, none if it can or there is none")
    part: str | None = Field(
        default=None, description="part of the step-time table that it would shorten, none if not said"
    )
    refutes: str | None = Field(
        default=None, description="id of the hypothesis that it says is wrong, whose arm it has; none if it adds one"
    )
    patch: PatchOutcome | None = Field(default=None, description="of an arm that is a patch: what became of it")
