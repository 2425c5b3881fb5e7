"""Taking content out of a ledger without breaking its chain: a tombstone entry says what, who and why.

The chain covers payload hashes, so it stays whole. What is taken out is overwritten in the file, not only unlinked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from ledger import reading
from ledger.blobs import BLOB, CHUNK
from ledger.entries import Hypothesis, KeptPrediction, Tombstone
from ledger.errors import LedgerError, NoSuchError, WithheldAlreadyError
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
PROJECTED = tuple(table_of(row_type) for row_type in ROW_TYPES)


@dataclass(frozen=True)
class Wanted:
    """What a person wants withheld."""

    entries: Sequence[str] = ()  # sequence numbers or beginnings of ids
    blobs: Sequence[str] = ()  # beginnings of hashes


def withhold(ledger: Ledger, wanted: Wanted, *, reason: str, person: str) -> Entry:
    """Record a tombstone and take the content out, in one transaction; returns the tombstone.

    Raises LedgerError, with nothing done, for what is not there, is withheld already, or is of a kind in `KEPT_KINDS`;
    of those the blobs that they name can be withheld. Raises it with the tombstone recorded where old bytes are left
    because somebody reads; withholding the same again then takes those out.
    """
    if not reason.strip() or not person.strip():
        raise NoSuchError("withholding needs a reason and a person; say why, without repeating the secret")
    if not wanted.entries and not wanted.blobs:
        raise NoSuchError("nothing to withhold was named; name an entry or a blob")
    try:
        tombstone = _withheld(ledger, wanted, reason, person)
    except WithheldAlreadyError:
        ledger.forget()
        raise
    ledger.forget()
    return tombstone


def _withheld(ledger: Ledger, wanted: Wanted, reason: str, person: str) -> Entry:
    with ledger.rewriting(*PROJECTED, reading.ENTRY, CHUNK) as (connection, append):
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
    return tombstone


def _entry(connection: Connection, wanted: str) -> Entry:
    entry = reading.find(connection, wanted)
    if entry.kind in KEPT_KINDS:
        raise LedgerError(f"entry #{entry.seq} is a {entry.kind} and stays; withhold what it speaks of, or a blob")
    if withheld_by(connection, entry.id):
        raise WithheldAlreadyError(f"entry #{entry.seq} is withheld already, and no old bytes of it are left")
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
    if len(wanted) < reading.SHORTEST_PREFIX or set(wanted) - set("0123456789abcdef"):
        raise NoSuchError(f"no blob {wanted!r}; give at least {reading.SHORTEST_PREFIX} digits of its hash")
    found = connection.execute(select(BLOB.c.sha256).where(BLOB.c.sha256.startswith(wanted)).limit(2)).scalars().all()
    if len(found) != 1:
        raise NoSuchError(
            f"{'several blobs begin' if found else 'no blob begins'} with {wanted!r}; see `committee show`"
        )
    if blob_withheld_by(connection, found[0]):
        raise WithheldAlreadyError(f"blob {found[0][:12]} is withheld already, and no old bytes of it are left")
    return str(found[0])


def _take_out(connection: Connection, seqs: Sequence[int], blobs: Sequence[str]) -> None:
    for seq in seqs:
        for table in PROJECTED:
            connection.execute(table.delete().where(table.c.seq == seq))
        connection.execute(reading.ENTRY.update().where(reading.ENTRY.c.seq == seq).values(payload=None))
    for sha256 in blobs:
        connection.execute(CHUNK.delete().where(CHUNK.c.sha256 == sha256))
