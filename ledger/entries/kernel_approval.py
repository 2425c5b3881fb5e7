"""A person has read a reviewer's patch of a kernel task and says yes: the bench may build and run it, shut in."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import GitTree, Payload, RunId, Sha256


class KernelApproval(Payload):
    """Covers this very patch of this very revision, on the kernel bench only; it never lets code onto a server."""

    kind: ClassVar[str] = "kernel_approval"

    proposal: str = Field(description="id of the proposal")
    tree: GitTree = Field(description="the revision that the patch changes")
    review_run: RunId = Field(description="the review run that it came from")
    hypothesis: str = Field(description="id of the hypothesis that holds the patch")
    arm_name: str = Field(description="the arm's name, as the reviewer gave it and the bench shows it")
    change: Sha256 = Field(description="fingerprint of the change without formatting")
    approved: bool = Field(description="false takes an earlier yes back")
    reason: str = Field(description="why it was taken back, empty for a yes")
    person: str = Field(description="who says so")
