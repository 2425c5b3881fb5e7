"""A leaked secret goes from the file, byte for byte; the chain stays whole and says who took it out and why."""

# ruff: noqa: S608 - statements are made of names that stand in this file

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger import entries as e
from ledger.blobs import WithheldBlobError
from ledger.errors import LedgerError
from ledger.findings import FindingKind as Kind
from ledger.rebuild import rebuild
from ledger.store import Ledger
from ledger.verify import verify
from ledger.withhold import KEPT_KINDS, Wanted, Withholding, withhold
from tests.ledger.examples import launch
from tests.ledger.tampering import found, tamper, unguarded
from tests.mutations.refusals import read_refusals

SECRET = "sk-live-9c1f0f5e7d"
WHY = "a key of the live service was printed"


def leak(path: Path) -> tuple[e.BlobRef, tuple[int, ...]]:
    """The secret in a payload, in its projection and in a blob, each among others."""
    with Ledger.open(path, actor="test") as ledger:
        ref = ledger.put_blob(f"export KEY={SECRET}\n".encode(), "text/plain")
        subjects = ("before", f"the log says {SECRET}", "after")
        parked = [e.Parked(subject=one, proposal=None, reason="leaked", person="Ada") for one in subjects]
        return ref, tuple(entry.seq for entry in ledger.append_all((*parked, launch(log=ref))))


def bytes_beside(path: Path) -> bytes:
    """Everything that lies in the ledger's folder."""
    return b"".join(one.read_bytes() for one in path.parent.iterdir())


def test_a_secret_goes_and_the_chain_stays(full: Path) -> None:
    ref, (_before, leaked, _after, launched) = leak(full)
    assert SECRET.encode() in bytes_beside(full)
    with Ledger.open(full, actor="ada@desk") as ledger:
        head = ledger.head()
        (seq,) = withhold(ledger, Wanted((f"#{leaked}",), (ref.sha256[:12],)), reason=WHY, person="Ada").tombstones
        tombstone = ledger.find(str(seq))
        assert head is not None
        assert (tombstone.seq, tombstone.previous) == (head.seq + 1, head.id)
        assert SECRET.encode() not in bytes_beside(full)
    assert SECRET.encode() not in bytes_beside(full)
    outcome = verify(full)
    assert outcome.ok
    assert [(one.what, one.where) for one in outcome.findings] == [
        (Kind.WITHHELD, f"#{leaked}"),
        (Kind.WITHHELD, f"blob {ref.sha256[:12]}"),
    ]
    with Ledger.open(full, actor="bob") as ledger:
        assert ledger.find(str(leaked)).payload == e.Withheld(tombstone=tombstone.seq, reason=WHY, person="Ada")
        assert [payload.subject for _entry, payload in ledger.of(e.Parked)][-2:] == ["before", "after"]
        assert ledger.find(str(launched)).kind == "launch"
        with pytest.raises(WithheldBlobError, match=f"withheld by tombstone #{tombstone.seq} of Ada: {WHY}"):
            ledger.read_blob(ref.sha256)
        with pytest.raises(WithheldBlobError):
            ledger.put_blob(f"export KEY={SECRET}\n".encode(), "text/plain")
        assert len(list(ledger.entries())) == tombstone.seq


def test_a_ledger_with_something_withheld_is_rebuilt(full: Path) -> None:
    _ref, (_before, leaked, *_others) = leak(full)
    with Ledger.open(full, actor="ada") as ledger:
        withhold(ledger, Wanted((str(leaked),)), reason=WHY, person="Ada")
    tamper(full, "DELETE FROM launch", "DELETE FROM tombstone_entry")
    assert not verify(full).ok
    with pytest.raises(LedgerError, match="entries are not whole"):
        rebuild(full, actor="ada")
    with unguarded(full) as plain:
        plain.execute("INSERT INTO tombstone_entry SELECT 25, 0, id FROM entry WHERE seq = ?", (leaked,))
    assert rebuild(full, actor="ada") == 24
    assert [(one.what, one.where) for one in verify(full).findings] == [(Kind.WITHHELD, f"#{leaked}")]


def test_content_that_came_back_is_named(full: Path) -> None:
    ref, (_before, leaked, *_others) = leak(full)
    with unguarded(full) as plain:
        (payload,) = plain.execute("SELECT payload FROM entry WHERE seq = ?", (leaked,)).fetchone()
        chunks = plain.execute("SELECT * FROM blob_chunk WHERE sha256 = ?", (ref.sha256,)).fetchall()
    with Ledger.open(full, actor="ada") as ledger:
        withhold(ledger, Wanted((str(leaked),), (ref.sha256,)), reason=WHY, person="Ada")
    with unguarded(full) as plain:
        plain.execute("UPDATE entry SET payload = ? WHERE seq = ?", (payload, leaked))
        plain.executemany("INSERT INTO blob_chunk VALUES (?, ?, ?)", chunks)
    assert {what for what, _where in found(full)} == {Kind.NOT_WITHHELD, Kind.MISSING_PROJECTION}


def test_a_payload_removed_without_a_tombstone_is_edited(full: Path) -> None:
    _ref, (_before, leaked, *_others) = leak(full)
    tamper(full, f"UPDATE entry SET payload = NULL WHERE seq = {leaked}", f"DELETE FROM parked WHERE seq = {leaked}")
    assert (Kind.EDITED_PAYLOAD, f"#{leaked}") in found(full)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Wanted(("999",)), "no entry '999'"),
        (Wanted((), ("zzzzzz",)), "no blob 'zzzzzz'; give at least 6 digits"),
        (Wanted((), ("abc",)), "no blob 'abc'"),
        (Wanted((), ("0" * 64,)), "no blob begins with"),
        (Wanted(("25",)), "entry #25 is a tombstone and stays"),
        (Wanted(("21", "22")), "entry #22 is withheld already, and something else that you named is not; name only"),
        (Wanted(), "nothing to withhold was named"),
    ],
)
def test_what_cannot_be_withheld_leaves_everything_as_it_is(full: Path, wanted: Wanted, words: str) -> None:
    leak(full)
    with Ledger.open(full, actor="ada") as ledger:
        withhold(ledger, Wanted(("22",)), reason=WHY, person="Ada")
        head = ledger.head()
        with pytest.raises(LedgerError, match=words):
            withhold(ledger, wanted, reason=WHY, person="Ada")
        assert ledger.head() == head
    assert verify(full).ok


def test_withholding_needs_words(full: Path) -> None:
    with Ledger.open(full, actor="ada") as ledger:
        for reason, person in ((" ", "Ada"), ("why", "")):
            with pytest.raises(LedgerError, match="needs a reason and a person"):
                withhold(ledger, Wanted(("3",)), reason=reason, person=person)


def test_a_blob_is_withheld_once(full: Path) -> None:
    ref, _seqs = leak(full)
    with Ledger.open(full, actor="ada") as ledger:
        withhold(ledger, Wanted(blobs=(ref.sha256,)), reason=WHY, person="Ada")
        head = ledger.head()
        with pytest.raises(LedgerError, match=f"blob {ref.sha256[:12]} is withheld already, and something else"):
            withhold(ledger, Wanted(("21",), (ref.sha256,)), reason=WHY, person="Ada")
        assert ledger.head() == head


def test_what_is_withheld_already_stays_so_and_names_its_tombstones(full: Path) -> None:
    ref, (_before, leaked, *_others) = leak(full)
    with Ledger.open(full, actor="ada") as ledger:
        entry, blob = Wanted((str(leaked),)), Wanted(blobs=(ref.sha256,))
        done = [withhold(ledger, one, reason=WHY, person="Ada") for one in (entry, blob)]
        assert done == [Withholding((25,), before=False), Withholding((26,), before=False)]
        head = ledger.head()
        both = Wanted((str(leaked),), (ref.sha256[:8],))
        assert withhold(ledger, both, reason=WHY, person="Bob") == Withholding((25, 26), before=True)
        assert ledger.head() == head
    assert verify(full).ok


def test_old_bytes_that_a_reader_holds_are_said_and_go_when_it_is_gone(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.sqlite.BUSY_TIMEOUT_S", 0.05)
    _ref, (_before, leaked, *_others) = leak(full)
    wanted, old_bytes = Wanted((str(leaked),)), f"says {SECRET}".encode()  # the blob holds the secret too, and stays
    with Ledger.open(full, actor="ada") as ledger:
        with closing(sqlite3.connect(full, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT seq FROM entry").fetchall()
            for _time in range(2):
                with pytest.raises(LedgerError, match=r"old bytes still lie there, .* withhold the same again"):
                    withhold(ledger, wanted, reason=WHY, person="Ada")
            assert old_bytes in bytes_beside(full)
        assert withhold(ledger, wanted, reason=WHY, person="Ada").before
        assert old_bytes not in bytes_beside(full)
    assert [one.what for one in verify(full).findings] == [Kind.WITHHELD]


def test_what_judges_decides_or_counts_stays_and_the_blobs_that_it_names_go(full: Path) -> None:
    """A call whose attempt or answer were gone would be booked again, and sent and paid for again."""
    with Ledger.open(full, actor="ada") as ledger:
        stays: set[str] = set()
        for entry in list(ledger.entries()):
            if entry.kind in ("proposal", "revision", "hypothesis", "launch", "gate", "trial", "target_state"):
                continue
            try:
                withhold(ledger, Wanted((entry.id,)), reason=WHY, person="Ada")
            except LedgerError as refused:
                assert f"is a {entry.kind} and stays" in str(refused)
                stays.add(entry.kind)
        assert {"review_run", "attempt", "response", "review", "exclusion", "brief"} < stays
        assert {"measuring_run", "run_end", "verdict", "acceptance", "not_applied"} < stays
        ((_, asked),) = ledger.of(e.Attempt)
        withhold(ledger, Wanted(blobs=(asked.prompt.sha256,)), reason=WHY, person="Ada")
        with pytest.raises(WithheldBlobError):
            ledger.read_blob(asked.prompt.sha256)
        assert len(ledger.of(e.Attempt)) == len(ledger.of(e.Response)) == 1
    assert verify(full).ok


def test_the_pages_say_which_kinds_stay() -> None:
    root = Path(__file__).parents[2]
    page = " ".join((root / "docs" / "ledger.md").read_text(encoding="utf-8").split())
    kinds = sorted(KEPT_KINDS)
    assert f"Entries of these kinds cannot be withheld: {', '.join(f'`{kind}`' for kind in kinds)}." in page
    (said,) = [one.refused for one in read_refusals() if one.id == "withhold.kept"]
    assert said == f"withholding an entry of a kind that stays: {', '.join(kinds)}"
