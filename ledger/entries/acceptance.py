"""A person's decision that the criteria written beforehand are met."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import GitTree, Payload, RunId, Sha256


class Acceptance(Payload):
    """Bound to the exact evidence; it can be superseded, never edited."""

    kind: ClassVar[str] = "acceptance"

    proposal: str = Field(description="the proposal's id")
    tree: GitTree = Field(description="the revision whose criteria are met")
    target: str = Field(description="the target it holds for")
    arm: Sha256 = Field(description="the accepted arm's fingerprint")
    arm_name: str = Field(description="the arm's short name")
    run: RunId = Field(description="the measuring run")
    verdicts: tuple[Sha256, ...] = Field(min_length=1, description="entry hashes of the verdicts it rests on")
    criteria_sha256: Sha256 = Field(description="hash of the criteria as measured")
    person: str = Field(description="who decided")
    reason: str = Field(description="the person's own words")
    earlier: tuple[str, ...] = Field(
        default=(), description="every earlier run of this arm and revision and what it said, oldest first"
    )
    supersedes: Sha256 | None = Field(description="entry hash of the acceptance this one replaces, else none")
