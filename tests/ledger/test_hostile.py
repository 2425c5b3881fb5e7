"""A file that somebody made so that reading it goes wrong: each gets its finding, and no command falls over it."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.canonical import canonical_bytes
from ledger.chain import from_canonical
from ledger.checks import form
from ledger.checks.form import is_canonical, reading
from ledger.entries import Gate, Trial
from ledger.errors import LedgerError
from ledger.findings import FindingKind as Kind
from ledger.head_file import head_path
from ledger.rebuild import rebuild
from ledger.store import Ledger
from ledger.verify import verify
from tests.ledger.tampering import forge, found, unguarded

UNREADABLE = {
    "deep": b"[" * 200_000,
    "a number of many digits": b'{"seq":' + b"9" * 5_000 + b"}",
    "half a pair": b'{"a":"\\ud800"}',
}


def forged(path: Path, change: Callable[[bytes], bytes]) -> int:
    """The last payload changed, with its hash, its id and the head file moved along; its number."""
    with unguarded(path) as plain:
        (seq,) = plain.execute("SELECT max(seq) FROM entry").fetchone()
        (payload,) = plain.execute("SELECT payload FROM entry WHERE seq = ?", (seq,)).fetchone()
        content = change(bytes(payload))
        said = (content, hashlib.sha256(content).hexdigest(), seq)
        plain.execute("UPDATE entry SET payload = ?, payload_sha256 = ? WHERE seq = ?", said)
        forge(plain, seq)
        (entry_id,) = plain.execute("SELECT id FROM entry WHERE seq = ?", (seq,)).fetchone()
    head = json.loads(head_path(path).read_text())
    head_path(path).write_text(json.dumps(head | {"id": entry_id}) + "\n")
    return int(seq)


@pytest.mark.parametrize("payload", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_payload_that_cannot_be_read_is_named_and_read_by_nobody(full: Path, payload: bytes) -> None:
    seq = forged(full, lambda _payload: payload)
    assert (Kind.UNREADABLE_PAYLOAD, f"#{seq}") in found(full)
    with Ledger.open(full, actor="test") as ledger, pytest.raises(LedgerError, match=f"#{seq} cannot be read"):
        list(ledger.entries())
    with pytest.raises(LedgerError, match="cannot be rebuilt"):
        rebuild(full, actor="test")


def test_reading_says_so_where_there_is_no_end() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        from_canonical(UNREADABLE["deep"])


@pytest.mark.parametrize("space", [False, True])
def test_a_payload_in_another_form_is_named_although_every_hash_and_table_agrees(full: Path, space: bool) -> None:
    def twice(payload: bytes) -> bytes:
        key = next(iter(json.loads(payload)))
        return payload.replace(b":", b": ", 1) if space else b'{"%s":"another",' % key.encode() + payload[1:]

    seq = forged(full, twice)
    assert found(full) == [(Kind.NOT_CANONICAL, f"#{seq}")]
    with pytest.raises(LedgerError, match="not in canonical form"):
        rebuild(full, actor="test")


@pytest.mark.parametrize(
    "change",
    [(b"4", b"4.0"), (b"0.5", b"0.50"), (b"0.5", b"5e-6"), (b"0.5", b"0.00000051"), (b"ladder", b"ladde\\u0072")],
)
def test_the_fast_form_agrees_with_the_exact_one(change: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    trial = (
        b'{"client":null,"detail":"","findings":[],"launch":"l","metrics":[{"load":4,"metric":"total_tok_s",'
        b'"samples":1,"value":0.5}],"protocol":"ladder","reason":null,"run":"m-000001"}'
    )
    changed = trial.replace(*change)
    read = reading(Trial.kind, 1)
    assert is_canonical(trial) and not is_canonical(changed)
    assert read(trial)[1] and not read(changed)[1]
    monkeypatch.setattr(form, "is_canonical", lambda _payload: False)
    assert read(trial)[1] and read(trial.replace(b"0.5", b"5e-7"))[1], "shown without the exact one"


def test_fields_out_of_order_are_no_canonical_form() -> None:
    gate = Gate(launch="l", run="m-000001", gate="ready", passed=True, reason=None, evidence='\x1f\u20ac "up"\n')
    content = canonical_bytes(gate.model_dump())
    assert reading(Gate.kind, 1)(content) == (gate, True)
    assert not reading(Gate.kind, 1)(gate.model_dump_json().encode())[1]


@pytest.mark.parametrize("cut", [0.5, 0.02])
def test_a_cut_file_is_a_damaged_one(full: Path, cut: float) -> None:
    content = full.read_bytes()
    full.write_bytes(content[: int(len(content) * cut)])
    outcome = verify(full)
    assert not outcome.ok and Kind.DAMAGED_FILE in [one.what for one in outcome.findings], outcome
