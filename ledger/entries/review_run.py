"""A review run began: who is asked, with what, under which rules."""

from typing import ClassVar, Literal

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
    lens: str = Field(default="", description="what this reviewer was asked to look at first, empty for everything")


class ReviewRun(Payload):
    """Everything that fixes a review run; the graph's state can be rebuilt from this and what follows it."""

    kind: ClassVar[str] = "review_run"

    run: RunId = Field(description="the run's id")
    proposal: str = Field(description="the proposal's id")
    tree: GitTree = Field(description="the revision under review")
    reviewers: tuple[ReviewerSeat, ...] = Field(min_length=1, description="who is asked, in configured order")
    quorum: int = Field(ge=1, description="how many complete reviews a brief needs")
    template_sha256: Sha256 = Field(description="hash of the prompt template's text")
    language: str = Field(
        default="en", description="language of prompts, reviews and brief, as committee.toml names it"
    )
    round: Literal["first", "second_look", "without_comments"] = Field(
        default="first", description="first; or a later one of run `of_run`, with an id of its own"
    )
    of_run: RunId | None = Field(default=None, description="the run whose round this is, none for the first")
    second_look: bool = Field(default=False, description="first: whether a second look belongs to the run")
    differential: bool = Field(default=False, description="first: whether a round without comments belongs to the run")
