"""Pure: the rows that an entry fills. The only way a projection row comes to be; `verify` computes them again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from ledger import approval_tables as approval
from ledger import bench_tables as bench
from ledger import deploying_tables as deploying
from ledger import imported_tables as imported
from ledger import kernel_tables as kernels
from ledger import machine_tables as machines
from ledger import model_tables as models
from ledger import review_tables as review
from ledger import standing_tables as standing
from ledger.chain import Entry
from ledger.entries import SCHEMAS, Payload
from ledger.plans import Plan, Row, blob_refs, can_name_blobs, item_type, plan_of, table_of
from ledger.tables import BlobUseRow, Item, Projection

__all__ = [
    "ROW_TYPES",
    "SHAPES",
    "Filling",
    "Row",
    "blob_refs",
    "filling",
    "project",
    "project_payload",
    "table_of",
    "table_plans",
]


@dataclass(frozen=True)
class Shape:
    """Where a kind is projected to."""

    row: type[Projection]  # one row an entry
    items: Mapping[str, type[Item]] = field(default_factory=lambda: MappingProxyType({}))  # list field -> table


SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "proposal": Shape(review.ProposalRow),
        "revision": Shape(review.RevisionRow, {"files": review.RevisionFileRow}),
        "review_run": Shape(review.ReviewRunRow, {"reviewers": review.ReviewerSeatRow}),
        "attempt": Shape(review.AttemptRow),
        "response": Shape(review.ResponseRow),
        "review": Shape(review.ReviewRow),
        "exclusion": Shape(review.ExclusionRow),
        "hypothesis": Shape(review.HypothesisRow, {"citations": review.CitationRow}),
        "brief": Shape(review.BriefRow, {"hypotheses": review.BriefHypothesisRow, "arms": review.BriefArmRow}),
        "target_state": Shape(bench.TargetStateRow),
        "arm": Shape(bench.ArmRow, {"origins": bench.ArmOriginRow, "settings": bench.ArmSettingRow}),
        "measuring_run": Shape(bench.MeasuringRunRow, {"slots": bench.SlotRow}),
        "launch": Shape(bench.LaunchRow),
        "gate": Shape(bench.GateRow),
        "trial": Shape(bench.TrialRow, {"metrics": bench.TrialMetricRow}),
        "verdict": Shape(bench.VerdictRow, {"trials": bench.VerdictTrialRow}),
        "run_end": Shape(bench.RunEndRow),
        "acceptance": Shape(review.AcceptanceRow, {"verdicts": review.AcceptanceVerdictRow}),
        "parked": Shape(review.ParkedRow),
        "not_applied": Shape(review.NotAppliedRow),
        "invalidation": Shape(standing.InvalidationRow),
        "supersession": Shape(standing.SupersessionRow),
        "imported_page": Shape(imported.ImportedPageRow, {"pieces": imported.ImportedPieceRow}),
        "reference": Shape(imported.ReferenceRow, {"results": imported.ReferenceResultRow}),
        "machine": Shape(machines.MachineRow, {"cards": machines.MachineCardRow}),
        "model": Shape(models.ModelRow, {"files": models.ModelFileRow}),
        "ticket": Shape(deploying.TicketRow, {"parts": deploying.TicketPartRow}),
        "deployment": Shape(deploying.DeploymentRow),
        "watch": Shape(deploying.WatchRow),
        "rollback": Shape(deploying.RollbackRow),
        "withdrawal": Shape(approval.WithdrawalRow),
        "kernel_verdict": Shape(kernels.KernelVerdictRow),
        "kernel_run": Shape(kernels.KernelRunRow),
        "kernel_approval": Shape(kernels.KernelApprovalRow),
        "checkpoint": Shape(review.CheckpointRow),
        "tombstone": Shape(
            review.TombstoneRow, {"entries": review.TombstoneEntryRow, "blobs": review.TombstoneBlobRow}
        ),
    }
)

ROW_TYPES: tuple[type[Projection], ...] = (
    *(shape.row for shape in SHAPES.values()),
    *(item for shape in SHAPES.values() for item in shape.items.values()),
    BlobUseRow,
)


@dataclass(frozen=True)
class Filling:
    """Everything that one schema's entries fill."""

    own: Plan
    items: tuple[tuple[Callable[[Any], Sequence[object]], Plan], ...]  # a list field and its table
    names_blobs: bool  # whether any payload of this schema can refer to a blob


BLOB_USE = Plan(table_of(BlobUseRow), ("sha256",), lambda ref: (ref.sha256,))


@cache
def filling(kind: str, version: int) -> Filling:
    """The plans of a schema; made when it is first met."""
    schema, shape = SCHEMAS[kind, version], SHAPES[kind]
    items = tuple((attrgetter(name), plan_of(row, item_type(schema, name))) for name, row in shape.items.items())
    return Filling(plan_of(shape.row, schema), items, can_name_blobs(schema))


def table_plans() -> tuple[Plan, ...]:
    """One plan for every projection table; all plans of a table have the same columns in the same order."""
    fills = [filling(kind, version) for kind, version in SCHEMAS]
    plans = [BLOB_USE, *(plan for one in fills for plan in (one.own, *(plan for _items_of, plan in one.items)))]
    return tuple({plan.table.name: plan for plan in plans}.values())


def project(entry: Entry) -> tuple[Row, ...]:
    """Every projection row of an entry: its own, its lists' items, and the blobs it uses (each once)."""
    return project_payload(entry.seq, entry.payload)


def project_payload(seq: int, payload: Payload) -> tuple[Row, ...]:
    """The same for a payload that is recorded as entry `seq`."""
    fills = filling(payload.kind, payload.version)
    rows = [Row(fills.own, (seq, *fills.own.values(payload)))]
    for items_of, plan in fills.items:
        rows += [Row(plan, (seq, number, *plan.values(one))) for number, one in enumerate(items_of(payload))]
    if fills.names_blobs:
        used = dict.fromkeys(ref.sha256 for ref in blob_refs(payload))
        rows += [Row(BLOB_USE, (seq, number, sha256)) for number, sha256 in enumerate(used)]
    return tuple(rows)
