"""A baseline was put on a target, or was to be: begun, then how it ended."""

from typing import ClassVar, Literal

from pydantic import Field

from ledger.entries.base import Payload, Sha256


class Deployment(Payload):
    """Begun is written before production is touched; the same `deployment` names the end that follows."""

    kind: ClassVar[str] = "deployment"

    deployment: str = Field(min_length=1, description="id of the attempt, made once")
    target: str = Field(description="the target's name")
    acceptance: Sha256 | None = Field(
        description="entry hash of the acceptance it puts in force, none for the baseline that a person wrote"
    )
    ticket: Sha256 | None = Field(description="hash of the ticket that was checked, none where there is none")
    outcome: Literal["begun", "deployed", "failed", "refused"] = Field(
        description="failed: the former baseline is production again; refused: nothing was touched"
    )
    detail: str = Field(description="one sentence")
    away_s: float | None = Field(ge=0, description="measured time without production, seconds; none if not known")
    person: str = Field(description="who deployed")
