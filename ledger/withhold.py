"""Taking content out of a ledger without breaking its chain: a tombstone entry says what, who and why.

The chain covers payload hashes, so it stays whole. What is taken out is overwritten in the file, not only unlinked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from ledger import reading
from ledger.blobs import BLOB, CHUNK
from ledger.entries import Hypothesis, KeptPrediction, Tombstone
from ledger.errors import LedgerError, NoSuchError
from ledger.projections import ROW_TYPES, table_of
from ledger.store import Entry, Ledger
from ledger.tombstones import blob_withheld_by, withheld_by

# What judges, decides, ends or counts: without it evidence could be made to look better than it was, or money be spent
# twice. Such entries hold our own words or those of a person who decided; prompts and answers lie in blobs.
KEPT_KINDS = frozenset(
    {"tombstone", "checkpoint", "measuring_run", "run_end", "verdict", "acceptance", "not_applied"}
    | {"invalidation", "supersession", "ticket", "deployment", "watch", "rollback", "withdrawal", "kernel_verdict"}
    | {"kernel_run", "kernel_approval"}
    | {"review_run", "attempt", "response", "review", "exclusion", "brief"}  # budgets, and whether a call is sent again
)
OTHERS_ARE_NOT = "and something else that you named is not; name only what is not"
PROJECTED = tuple(table_of(row_type) for row_type in ROW_TYPES)


@dataclass(frozen=True)
class Wanted:
    """What a person wants withheld."""

    entries: Sequence[str] = ()  # sequence numbers or beginnings of ids
    blobs: Sequence[str] = ()  # beginnings of hashes


@dataclass(frozen=True)
class Withholding:
    """What is withheld now."""

    tombstones: tuple[int, ...]  # sequence numbers of the entries that say so
    before: bool  # whether they were there already, so that only old bytes that were left were taken out


def withhold(ledger: Ledger, wanted: Wanted, *, reason: str, person: str) -> Withholding:
    """Record a tombstone and take the content out, in one transaction; where all of it is withheld, only old bytes.

    Raises LedgerError, with nothing done, for what is not there, is withheld already beside something that is not, or
    is of a kind in `KEPT_KINDS`; of those the blobs that they name can be withheld. Raises it with the tombstone
    recorded where old bytes are left because somebody reads; withholding the same again then takes those out.
    """
    if not reason.strip() or not person.strip():
        raise NoSuchError("withholding needs a reason and a person; say why, without repeating the secret")
    if not wanted.entries and not wanted.blobs:
        raise NoSuchError("nothing to withhold was named; name an entry or a blob")
    done = _withheld(ledger, wanted, reason, person)
    ledger.forget()
    return done


def _withheld(ledger: Ledger, wanted: Wanted, reason: str, person: str) -> Withholding:
    with ledger.rewriting(*PROJECTED, reading.ENTRY, CHUNK) as (connection, append):
        before = _tombstones(connection, wanted)  # asked where only the owner comes, as only the owner can forget
        if before:
            return Withholding(before, before=True)
        entries = [_entry(connection, one) for one in wanted.entries]
        blobs = [_blob(connection, one) for one in wanted.blobs]
        ids = tuple(dict.fromkeys(entry.id for entry in entries))
        tombstone = append(
            Tombstone(
                entries=ids,
                blobs=tuple(dict.fromkeys(blobs)),
                reason=reason,
                person=person,
                predictions=tuple(dict.fromkeys(one for one in map(_prediction, entries) if one)),
            )
        )
        _take_out(connection, [entry.seq for entry in entries], blobs)
    return Withholding((tombstone.seq,), before=False)


def _tombstones(connection: Connection, wanted: Wanted) -> tuple[int, ...]:
    """Those that withhold all that is wanted, none where something is not withheld yet."""
    found = [withheld_by(connection, reading.find(connection, one).id) for one in wanted.entries]
    found += [blob_withheld_by(connection, _named_blob(connection, one)) for one in wanted.blobs]
    told = [one.tombstone for one in found if one]
    return tuple(sorted(set(told))) if len(told) == len(found) else ()


def _entry(connection: Connection, wanted: str) -> Entry:
    entry = reading.find(connection, wanted)
    if entry.kind in KEPT_KINDS:
        raise LedgerError(f"entry #{entry.seq} is a {entry.kind} and stays; withhold what it speaks of, or a blob")
    if withheld_by(connection, entry.id):
        raise LedgerError(f"entry #{entry.seq} is withheld already, {OTHERS_ARE_NOT}")
    return entry


def _prediction(entry: Entry) -> KeptPrediction | None:
    """A reviewer who was wrong is not to be made right by withholding what was said, so its numbers stay."""
    told = entry.payload
    if not isinstance(told, Hypothesis):
        return None
    return KeptPrediction(
        entry=entry.id,
        hypothesis=told.hypothesis,
        run=told.run,
        reviewer=told.reviewer,
        prediction=told.prediction,
        prediction_sha256=told.prediction_sha256,
        arm_fingerprint=told.arm_fingerprint,
    )


def _blob(connection: Connection, wanted: str) -> str:
    sha256 = _named_blob(connection, wanted)
    if blob_withheld_by(connection, sha256):
        raise LedgerError(f"blob {sha256[:12]} is withheld already, {OTHERS_ARE_NOT}")
    return sha256


def _named_blob(connection: Connection, wanted: str) -> str:
    if len(wanted) < reading.SHORTEST_PREFIX or set(wanted) - set("0123456789abcdef"):
        raise NoSuchError(f"no blob {wanted!r}; give at least {reading.SHORTEST_PREFIX} digits of its hash")
    found = connection.execute(select(BLOB.c.sha256).where(BLOB.c.sha256.startswith(wanted)).limit(2)).scalars().all()
    if len(found) != 1:
        raise NoSuchError(
            f"{'several blobs begin' if found else 'no blob begins'} with {wanted!r}; see `committee show`"
        )
    return str(found[0])


def _take_out(connection: Connection, seqs: Sequence[int], blobs: Sequence[str]) -> None:
    for seq in seqs:
        for table in PROJECTED:
            connection.execute(table.delete().where(table.c.seq == seq))
        connection.execute(reading.ENTRY.update().where(reading.ENTRY.c.seq == seq).values(payload=None))
    for sha256 in blobs:
        connection.execute(CHUNK.delete().where(CHUNK.c.sha256 == sha256))
