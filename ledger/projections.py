"""Pure: the rows that an entry fills. The only way a projection row comes to be; `verify` computes them again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import BaseModel
from sqlalchemy import Table
from sqlmodel import SQLModel

from ledger import bench_tables as bench
from ledger import review_tables as review
from ledger.chain import Entry
from ledger.entries import BlobRef, Part
from ledger.tables import BlobUseRow, Item, Projection


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
        "arm": Shape(bench.ArmRow, {"origins": bench.ArmOriginRow}),
        "measuring_run": Shape(bench.MeasuringRunRow, {"slots": bench.SlotRow}),
        "launch": Shape(bench.LaunchRow),
        "gate": Shape(bench.GateRow),
        "trial": Shape(bench.TrialRow, {"metrics": bench.TrialMetricRow}),
        "verdict": Shape(bench.VerdictRow, {"trials": bench.VerdictTrialRow}),
        "run_end": Shape(bench.RunEndRow),
        "acceptance": Shape(review.AcceptanceRow, {"verdicts": review.AcceptanceVerdictRow}),
        "parked": Shape(review.ParkedRow),
        "not_applied": Shape(review.NotAppliedRow),
    }
)

ROW_TYPES: tuple[type[Projection], ...] = (
    *(shape.row for shape in SHAPES.values()),
    *(item for shape in SHAPES.values() for item in shape.items.values()),
    BlobUseRow,
)


def table_of(row_type: type[SQLModel]) -> Table:
    """The SQLAlchemy table behind a row type."""
    return row_type.metadata.tables[str(row_type.__tablename__)]


def blob_refs(value: object) -> Iterator[BlobRef]:
    """Every reference to a blob anywhere inside a payload, in order of fields."""
    if isinstance(value, BlobRef):
        yield value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from blob_refs(getattr(value, name))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from blob_refs(one)


def project(entry: Entry) -> tuple[SQLModel, ...]:
    """Every projection row of an entry: its own, its lists' items, and the blobs it uses (each once)."""
    shape = SHAPES[entry.kind]
    filled: list[SQLModel] = [_fill(shape.row, {"seq": entry.seq, **_flat(entry.payload)})]
    for name, row_type in shape.items.items():
        for number, value in enumerate(getattr(entry.payload, name)):
            filled.append(_fill(row_type, {"seq": entry.seq, "item": number, **_item(row_type, value)}))
    for number, sha256 in enumerate(dict.fromkeys(ref.sha256 for ref in blob_refs(entry.payload))):
        filled.append(BlobUseRow(seq=entry.seq, item=number, sha256=sha256))
    return tuple(filled)


def _fill(row_type: type[SQLModel], values: Mapping[str, object]) -> SQLModel:
    return row_type(**{name: values.get(name) for name in row_type.model_fields})


def _item(row_type: type[Item], value: object) -> dict[str, object]:
    """A part is flattened; a plain text goes into the one column that the table has besides its key."""
    if isinstance(value, Part):
        return _flat(value)
    (column,) = set(row_type.model_fields) - {"seq", "item"}
    return {column: value}


def _flat(part: Part) -> dict[str, object]:
    """Fields by column name: a blob by its hash, an inner part by its fields with the part's name before them."""
    flat: dict[str, object] = {}
    for name in type(part).model_fields:
        value = getattr(part, name)
        if isinstance(value, BlobRef):
            flat[f"{name}_sha256"] = value.sha256
        elif isinstance(value, Part):
            flat.update({f"{name}_{inner}": one for inner, one in _flat(value).items()})
        else:
            flat[name] = value
    return flat
