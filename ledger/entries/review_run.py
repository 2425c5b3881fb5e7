"""A review run began: who is asked, with what, under which rules."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import GitTree, Part, Payload, RunId, Sha256


class ReviewerSeat(Part):
    """One configured reviewer, without its key."""

    name: str = Field(description="the reviewer's name in committee.toml")
    reviewer_kind: str = Field(description="openai, command, recorded or embedded")
    model: str = Field(description="model name asked for, or the command's first word")
    label: str = Field(
        description="what the reviewer is, shown wherever its words are: live, recorded, or small CPU model"
    )
    timeout_s: float = Field(gt=0, description="wall-clock limit around the whole call, seconds")


class ReviewRun(Payload):
    """Everything that fixes a review run; the graph's state can be rebuilt from this and what follows it."""

    kind: ClassVar[str] = "review_run"

    run: RunId = Field(description="the run's id")
    proposal: str = Field(description="the proposal's id")
    tree: GitTree = Field(description="the revision under review")
    reviewers: tuple[ReviewerSeat, ...] = Field(min_length=1, description="who is asked, in configured order")
    quorum: int = Field(ge=1, description="how many complete reviews a brief needs")
    template_sha256: Sha256 = Field(description="hash of the prompt template's text")
