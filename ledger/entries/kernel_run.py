"""One run of the kernel bench for a proposal: which task of which revision, what was tried, and how far it came."""

from typing import ClassVar, Literal

from pydantic import Field

from ledger.entries.base import BlobRef, GitTree, Part, Payload, RunId, Sha256


class KernelPatch(Part):
    """A reviewer's patch that a person said yes to, as an arm of the bench."""

    arm_name: str = Field(description="the arm of the bench that it became")
    source_of: str = Field(description="the arm of the task whose source it changes")
    hypothesis: str = Field(description="id of the hypothesis that holds the patch")
    change: Sha256 = Field(description="fingerprint of the change without formatting")
    person: str = Field(description="who said yes to it")


class WrongArm(Part):
    """A known-wrong arm of the task, tried before anything counted."""

    arm_name: str = Field(description="the arm")
    expected: str = Field(description="the reason code that it must be caught with")
    found: str = Field(description="the reason code that it was caught with, empty if it passed")


class KernelRun(Payload):
    """The run's verdicts are entries of kind `kernel_verdict` with the same `run`; no server was touched."""

    kind: ClassVar[str] = "kernel_run"

    run: RunId = Field(description="the run of the bench, made once")
    proposal: str = Field(description="id of the proposal")
    tree: GitTree = Field(description="the proposal's exact revision")
    review_run: RunId | None = Field(description="the review run whose patches were tried too, none if there is none")
    task: str = Field(description="name of the task's folder")
    task_sha256: Sha256 = Field(description="hash of every file of the task but results, without patches")
    carried: bool = Field(description="whether the proposal carries the task itself, else it is one of the workspace")
    device: str = Field(description="the card, or the processor, as it names itself; empty where nothing was run")
    outcome: Literal["measured", "compiled", "input_wrong", "void", "incomplete"] = Field(
        description="compiled: no card here; input_wrong: the task tells nothing apart; void: a known-wrong arm passed "
        "or was caught for another reason; incomplete: no arm could be timed"
    )
    detail: str = Field(description="one sentence for a person")
    arms: tuple[str, ...] = Field(description="arms that were asked for, the baseline first")
    patches: tuple[KernelPatch, ...] = Field(description="which of them are patches of reviewers")
    wrong: tuple[WrongArm, ...] = Field(description="known-wrong arms that were tried first")
    compiled: BlobRef = Field(description="what the compiler made and said of every arm, application/json")
