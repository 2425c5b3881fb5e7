"""The registry of payload schemas: one file a kind. Reading an entry goes through `parse_payload` only."""

from typing import Any

from ledger.entries.acceptance import Acceptance
from ledger.entries.arm import Arm
from ledger.entries.attempt import Attempt
from ledger.entries.base import BlobRef, Part, Payload
from ledger.entries.brief import Brief
from ledger.entries.checkpoint import Checkpoint
from ledger.entries.deployment import Deployment
from ledger.entries.exclusion import Exclusion
from ledger.entries.gate import Gate
from ledger.entries.hypothesis import Citation, Hypothesis, PatchedFile, PatchOutcome, Prediction
from ledger.entries.imported import ImportedPage, ImportedPiece, Quantity, Reference, ReferenceResult
from ledger.entries.invalidation import Invalidation
from ledger.entries.kernel_approval import KernelApproval
from ledger.entries.kernel_run import KernelPatch, KernelRun, WrongArm
from ledger.entries.kernel_verdict import KernelVerdict
from ledger.entries.launch import BuiltFile, ChangedFile, Launch
from ledger.entries.machine import Machine, MachineCard
from ledger.entries.measuring_run import Look, MeasuringRun, Slot
from ledger.entries.model import Model, ModelFile
from ledger.entries.not_applied import NotApplied
from ledger.entries.parked import Parked
from ledger.entries.proposal import Proposal
from ledger.entries.response import Response
from ledger.entries.review import Review
from ledger.entries.review_run import ReviewerSeat, ReviewRun
from ledger.entries.revision import Revision, RevisionFile
from ledger.entries.rollback import Rollback
from ledger.entries.run_end import RunEnd
from ledger.entries.supersession import Supersession
from ledger.entries.target_state import TargetState
from ledger.entries.ticket import Ticket, TicketPart
from ledger.entries.tombstone import KeptPrediction, Tombstone, Withheld
from ledger.entries.trial import Metric, Trial
from ledger.entries.verdict import Interval, Verdict
from ledger.entries.watch import Watch
from ledger.entries.withdrawal import Withdrawal

SCHEMAS: dict[tuple[str, int], type[Payload]] = {
    (schema.kind, schema.version): schema
    for schema in (
        Proposal, Revision, ReviewRun, Attempt, Response, Review, Exclusion, Hypothesis, Brief,
        TargetState, Arm, MeasuringRun, Launch, Gate, Trial, Verdict, RunEnd, Acceptance, Parked, NotApplied,
        Checkpoint, Tombstone, Invalidation, Supersession, ImportedPage, Reference,
        Machine, Ticket, Deployment, Watch, Rollback, Withdrawal,
        KernelVerdict, KernelRun, KernelApproval,
        Model,
    )
}  # fmt: skip


class UnknownKindError(ValueError):
    """An entry's kind and version have no schema here: it was written by a newer version."""


def parse_payload(kind: str, version: int, value: dict[str, Any]) -> Payload:
    """The typed payload. Raises UnknownKindError, or pydantic's ValidationError when the value does not fit."""
    schema = SCHEMAS.get((kind, version))
    if schema is None:
        raise UnknownKindError(f"no schema for kind {kind!r} version {version}; open this ledger with a newer version")
    return schema.model_validate(value)


__all__ = [
    "SCHEMAS", "Acceptance", "Arm", "Attempt", "BlobRef", "Brief", "BuiltFile", "ChangedFile", "Checkpoint",
    "Citation", "Deployment", "Exclusion", "Gate", "Hypothesis", "ImportedPage", "ImportedPiece", "Interval",
    "Invalidation", "KeptPrediction", "KernelApproval", "KernelPatch", "KernelRun", "KernelVerdict", "Launch", "Look",
    "Machine",
    "MachineCard", "MeasuringRun", "Metric", "Model", "ModelFile", "NotApplied", "Parked",
    "Part", "PatchOutcome", "PatchedFile", "Payload", "Prediction", "Proposal", "Quantity", "Reference",
    "ReferenceResult", "Response", "Review", "ReviewRun", "ReviewerSeat", "Revision", "RevisionFile", "Rollback",
    "RunEnd", "Slot", "Supersession", "TargetState", "Ticket", "TicketPart", "Tombstone", "Trial", "UnknownKindError",
    "Verdict", "Watch", "Withdrawal", "Withheld", "WrongArm", "parse_payload",
]  # fmt: skip
