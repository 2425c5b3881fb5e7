"""One pure function gives every row; every column comes from a field of its schema."""

import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import BaseModel

from ledger.chain import Head, link
from ledger.entries import SCHEMAS, BlobRef, Payload, Verdict
from ledger.projections import ROW_TYPES, SHAPES, blob_refs, project
from tests.ledger.examples import every_kind, verdict
from tests.ledger.payloads import payloads

BLOB = BlobRef(sha256="a" * 64, size=5, media_type="text/plain")
TIME = "2026-11-29T14:20:30.123456Z"


def rows_of(payload: Payload) -> dict[str, list[dict[str, object]]]:
    """Table -> rows of a payload that is entry #8."""
    entry, _content = link(payload, time=TIME, actor="test", previous=Head(7, "b" * 64))
    rows: dict[str, list[dict[str, object]]] = {}
    for row in project(entry):
        rows.setdefault(row.plan.table.name, []).append(row.as_dict())
    return rows


def test_every_kind_has_a_shape() -> None:
    assert set(SHAPES) == {kind for kind, _version in SCHEMAS}
    assert len(ROW_TYPES) == len({row_type.__tablename__ for row_type in ROW_TYPES})


@pytest.mark.parametrize("payload", every_kind(BLOB), ids=lambda payload: payload.kind)
def test_every_column_is_filled_from_its_field(payload: Payload) -> None:
    columns = set(SHAPES[payload.kind].row.model_fields) - {"seq"}
    assert columns <= _columns(type(payload))
    (row,) = rows_of(payload)[payload.kind]
    for name in columns & set(type(payload).model_fields):
        assert row[name] == getattr(payload, name)


def test_a_verdict_in_full() -> None:
    rows = rows_of(verdict())
    (row,) = rows["verdict"]
    assert (row["seq"], row["speed"], row["interval_low_pct"], row["interval_launch_sd_pct"]) == (
        8,
        "FASTER",
        30.25,
        4.7,
    )
    assert rows["verdict_trial"] == [
        {"seq": 8, "item": 0, "trial": "b" * 64},
        {"seq": 8, "item": 1, "trial": "c" * 64},
    ]
    (empty,) = rows_of(verdict(interval=None, validity="INVALID", speed=None))["verdict"]
    assert empty["interval_low_pct"] is None


def test_parts_and_blobs_of_lists() -> None:
    by_kind = {payload.kind: rows_of(payload) for payload in every_kind(BLOB)}
    assert by_kind["revision"]["revision_file"] == [
        {"seq": 8, "item": 0, "path": "PROPOSAL.md", "blob_sha256": "a" * 64}
    ]
    assert by_kind["trial"]["trial_metric"] == [
        {"seq": 8, "item": 0, "metric": "total_tok_s", "load": 4, "value": 86.7, "samples": 1}
    ]
    assert by_kind["brief"]["blob_use"] == [{"seq": 8, "item": 0, "sha256": "a" * 64}]
    assert by_kind["arm"]["arm_origin"] == [
        {"seq": 8, "item": 0, "origin": "glm/1"},
        {"seq": 8, "item": 1, "origin": "author"},
    ]


@given(payloads())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_projecting_is_pure_and_keys_are_unique(payload: Payload) -> None:
    entry, _content = link(payload, time=TIME, actor="test", previous=None)
    rows = project(entry)
    assert [row.as_dict() for row in rows] == [row.as_dict() for row in project(entry)]
    keys = [(row.plan.table.name, *(row.as_dict()[one.name] for one in row.plan.table.primary_key)) for row in rows]
    assert len(keys) == len(set(keys))
    used = {row.as_dict()["sha256"] for row in rows if row.plan.table.name == "blob_use"}
    assert used == {ref.sha256 for ref in blob_refs(payload)}


def test_projected_columns_can_be_asked_for() -> None:
    assert {"run", "target", "arm", "primary"} <= set(SHAPES["verdict"].row.model_fields) & set(Verdict.model_fields)


def _columns(schema: type[BaseModel]) -> set[str]:
    """Every column name that a schema can fill."""
    names: set[str] = set()
    for name, field in schema.model_fields.items():
        names.add(name)
        for kind in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if kind is BlobRef:
                names.add(f"{name}_sha256")
            elif isinstance(kind, type) and issubclass(kind, BaseModel):
                names |= {f"{name}_{inner}" for inner in _columns(kind)}
    return names
