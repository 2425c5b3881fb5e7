"""Proves at speed that a ledger is whole, in several processes when it is long. What is not, other checks name."""

import os
from collections.abc import Iterable
from itertools import pairwise

from sqlalchemy import Connection, func, select

from ledger.batches import BATCH, stored_tree
from ledger.chain import Head
from ledger.checks.blobs import check_blobs
from ledger.checks.part import beside, result_of
from ledger.checks.projections import TABLES
from ledger.checks.roots import CHECKPOINT, check_checkpoints
from ledger.checks.schema import tables_there
from ledger.checks.stored import ENTRY
from ledger.checks.stretch import PAGE_ENTRIES, Proved, prove_stretch
from ledger.checks.tombstones import withheld
from ledger.database import Database
from ledger.findings import Finding, FindingKind, Verification

ENTRIES_A_PROCESS = 20_000  # below this a further process costs more than it saves
OWN_SHARE = 0.75  # of another process's part: the rest of its time goes into SQLite's own check
MOST_PROCESSES = 3  # each takes about 75 MB: together with what is read, below 300 MB


def prove_whole(database: Database, connection: Connection, heads: Iterable[Head]) -> Verification | None:
    """The verification of a whole ledger, none when that is not shown."""
    last = connection.execute(select(func.max(ENTRY.c.seq))).scalar() or 0
    row = database.head_said(connection)
    if (
        (row and row.seq != last)
        or not _stand(connection, [*heads, *([row] if row else [])], last)
        or _strays(connection, last)
    ):
        return None
    gone = withheld(connection).blobs
    proofs = _proofs(database, connection, last)
    if proofs is None:
        return None
    count, findings = check_blobs(connection, {}, gone)
    findings = [*_notices(proofs), *findings, *_checkpoints(connection, last)]
    newest = Head(last, proofs[-1].last_id) if last else None
    outcome = Verification(last, count, newest, tuple(findings))
    return outcome if outcome.ok else None


def _stand(connection: Connection, heads: Iterable[Head], last: int) -> bool:
    return all(not head.seq or (head.seq <= last and _id_of(connection, head.seq) == head.id) for head in heads)


def _id_of(connection: Connection, seq: int) -> str | None:
    found: str | None = connection.execute(select(ENTRY.c.id).where(ENTRY.c.seq == seq)).scalar()
    return found


def _strays(connection: Connection, last: int) -> bool:
    """Whether any row belongs to an entry outside the chain."""
    tables = tables_there(connection, (ENTRY, BATCH, *TABLES))
    outside = ((table, (table.c.seq < 1) | (table.c.seq > last)) for table in tables)
    return any(connection.execute(select(table.c.seq).where(where).limit(1)).first() for table, where in outside)


def _proofs(database: Database, connection: Connection, last: int) -> list[Proved] | None:
    """One for each stretch, each following the one before; none when one is not whole or the file is damaged inside."""
    own, *others = _stretches(last, _processes(last) if database.file else 1)
    with beside(database.file, others) as running:
        if database.damage(connection):
            return None
        found = [prove_stretch(connection, *own)]
        found += [result_of(process) for process in running] if found[0] else [None]
    proofs = [one for one in found if one is not None]
    return proofs if len(proofs) == len(found) else None


def _processes(last: int) -> int:
    return max(1, min(MOST_PROCESSES, len(os.sched_getaffinity(0)), last // ENTRIES_A_PROCESS))


def _stretches(last: int, count: int) -> list[tuple[int, int]]:
    """Parts that begin with a page; the first is for the process that also has the file's pages checked by SQLite.

    A stretch takes the id before it from the table, and the stretch that ends there has hashed it: links hold.
    """
    pages = -(-last // PAGE_ENTRIES)
    whole = OWN_SHARE + count - 1
    cuts = [0, *(int(pages * (OWN_SHARE + number) / whole) * PAGE_ENTRIES for number in range(count - 1)), last]
    return [(low + 1, high) for low, high in pairwise(cuts)]


def _checkpoints(connection: Connection, last: int) -> list[Finding]:
    """Nothing to check in a file of the first release, which has none."""
    if not tables_there(connection, (CHECKPOINT, BATCH)):
        return []
    return check_checkpoints(connection, stored_tree(connection), last)


def _notices(proofs: Iterable[Proved]) -> list[Finding]:
    findings = []
    for one in proofs:
        for seq in one.withheld:
            said = f"entry #{seq}: its payload is withheld by a tombstone"
            findings.append(Finding(FindingKind.WITHHELD, f"#{seq}", said))
        for seq in one.backwards:
            said = f"entry #{seq} is dated before #{seq - 1}: the clock was set back between them"
            findings.append(Finding(FindingKind.CLOCK_BACKWARDS, f"#{seq}", said))
    return findings
