"""A proposal was submitted."""

from typing import ClassVar, Literal

from pydantic import Field

from ledger.entries.base import Payload


class Proposal(Payload):
    """The proposal's own statement of what is asked and what may be spent."""

    kind: ClassVar[str] = "proposal"

    proposal: str = Field(description="the proposal's id, which is its folder's name")
    title: str = Field(description="one line for people")
    proposal_kind: Literal["config", "kernel"] = Field(description="what kind of change is asked for")
    target: str = Field(description="name of the target it is about")
    question: str = Field(description="the one question the reviewers are asked")
    budget_money: float = Field(ge=0, description="most that reviews may cost, in the workspace's currency")
    budget_server_minutes: float = Field(ge=0, description="most that measuring may keep production down, in minutes")
