"""Canonical bytes of every schema read back as the same payload; headers are hashed as documented."""

import hashlib
import json
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.canonical import NotCanonicalError, canonical_bytes
from ledger.chain import GENESIS, Head, Header, from_canonical, link, payload_bytes, utc_now
from ledger.entries import SCHEMAS, Parked, Payload, parse_payload
from tests.ledger.payloads import payload_of, payloads

HEADER = Header(2, "2026-11-29T14:20:30.123456Z", "ada", "parked", 1, "a" * 64, "b" * 64)


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=lambda schema: schema.kind)
@given(data=st.data())
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_canonical_bytes_read_back_as_the_same_payload(schema: type[Payload], data: st.DataObject) -> None:
    payload = data.draw(payload_of(schema))
    content = payload_bytes(payload)
    again = parse_payload(payload.kind, payload.version, from_canonical(content))
    assert again == payload
    assert payload_bytes(again) == content


@given(payloads())
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_an_entry_links_to_the_one_before(payload: Payload) -> None:
    first, content = link(payload, time=utc_now(), actor="ada", previous=None)
    second, _content = link(payload, time=utc_now(), actor="ada", previous=Head(first.seq, first.id))
    assert (first.seq, first.previous, second.seq, second.previous) == (1, GENESIS, 2, first.id)
    assert first.payload_sha256 == second.payload_sha256 == hashlib.sha256(content).hexdigest()
    assert first.id != second.id


def test_the_id_is_the_hash_of_the_header_with_sorted_keys_and_no_spaces() -> None:
    plain = json.dumps(asdict(HEADER), sort_keys=True, separators=(",", ":")).encode()
    assert HEADER.id() == hashlib.sha256(plain).hexdigest()
    assert HEADER.id() == "b46a4a797b650628034329cf151aaf982c603a3cd02980ec21e06507a15a3a77"


@pytest.mark.parametrize("field", list(Header.__dataclass_fields__))
def test_every_field_of_the_header_is_covered(field: str) -> None:
    values: dict[str, Any] = asdict(HEADER)
    changed = Header(**(values | {field: 7 if isinstance(values[field], int) else "x"}))
    assert changed.id() != HEADER.id()


def test_a_header_of_wrong_values_has_no_id() -> None:
    with pytest.raises(NotCanonicalError):
        replace(HEADER, actor="\ud800").id()


def test_one_payload_has_these_bytes_for_ever() -> None:
    payload = Parked(subject="快取", proposal=None, reason="not understood", person="Ada")
    assert payload_bytes(payload).decode() == (
        '{"person":"Ada","proposal":null,"reason":"not understood","subject":"快取"}'
    )


@pytest.mark.parametrize("number", [2.552355825145365e16, 2.0**53, -(2.0**60), 1e300, 5e-324, 0.1, -0.0, 2**53 - 1])
def test_numbers_of_a_free_dictionary_come_back_equal(number: float) -> None:
    assert from_canonical(canonical_bytes({"x": number})) == {"x": number}


def test_times_sort_as_text() -> None:
    before, after = utc_now(), utc_now()
    assert before <= after
    assert len(before) == len("2026-11-29T14:20:30.123456Z")
    assert before.endswith("Z")
