"""Pins say what they say, also inside other text; a root covers what it says."""

from pathlib import Path

import pytest

from ledger import entries as e
from ledger.anchor import Pin, Root, anchor, checkpoint, pins_in, root_over
from ledger.chain import Head
from ledger.errors import LedgerError
from ledger.findings import FindingKind as Kind
from ledger.store import Ledger
from ledger.tree import leaf_hash
from ledger.verify import verify
from tests.ledger.tampering import found

PIN = Pin(Head(12, "a" * 64), Root(12, "b" * 64))


def test_a_pin_is_read_back_from_a_text() -> None:
    assert pins_in(PIN.text()) == (PIN,)
    older = f"Accept x\n\nLedger-Head: 3 {'c' * 64}\n\n"
    assert pins_in(older + PIN.text() + "more\n") == (Pin(Head(3, "c" * 64), None), PIN)


@pytest.mark.parametrize("text", ["", "Ledger-Head: x", f"  Ledger-Head: 1 {'a' * 64}", f"Ledger-Root: 1 {'a' * 64}\n"])
def test_what_is_no_pin(text: str) -> None:
    assert pins_in(text) == ()


def test_an_anchor_covers_its_own_checkpoint(full: Path) -> None:
    with Ledger.open(full, actor="ada") as ledger:
        first = ledger.find("1")
        assert root_over(ledger, 1) == leaf_hash(bytes.fromhex(first.id)).hex()
        before = root_over(ledger, 20)
        pin = anchor(ledger)
        entry = ledger.find("21")
        assert (entry.kind, pin.head) == ("checkpoint", Head(21, entry.id))
        assert entry.payload == e.Checkpoint(size=20, root=before, head=ledger.find("20").id)
        assert pin.root == Root(21, root_over(ledger, 21))
    assert verify(full, pinned=(pin.head,)).findings == ()


def test_a_checkpoint_that_states_another_root_is_named(full: Path) -> None:
    with Ledger.open(full, actor="ada") as ledger:
        true = checkpoint(ledger)
        ledger.append_all((true.model_copy(update={"root": "0" * 64}), true.model_copy(update={"size": 99}), true))
    assert found(full) == [(Kind.WRONG_CHECKPOINT, "#21"), (Kind.WRONG_CHECKPOINT, "#22")]


def test_roots_that_cannot_be_had(full: Path, tmp_path: Path) -> None:
    with Ledger.open(full, actor="ada") as ledger:
        for size in (0, 21):
            with pytest.raises(LedgerError, match=f"has 20 entries; a root over {size} cannot be had"):
                root_over(ledger, size)
    with (
        Ledger.open(tmp_path / "empty.db", actor="ada", create=True) as empty,
        pytest.raises(LedgerError, match="is empty; there is nothing to anchor yet"),
    ):
        checkpoint(empty)
