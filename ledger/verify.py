"""Verifying a ledger: offline, read-only, recomputing everything, and naming exactly what is wrong."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from ledger import migrations
from ledger.chain import Head
from ledger.checks.blobs import check_blobs
from ledger.checks.chain import ChainCheck, check_chain
from ledger.checks.head import check_head, check_head_row, check_orphans
from ledger.checks.projections import check_projections, projected_seqs
from ledger.checks.roots import check_roots
from ledger.checks.schema import check_schema
from ledger.checks.stored import ENTRY, raw_rows, stored_header
from ledger.checks.tombstones import withheld
from ledger.checks.whole import prove_whole
from ledger.database import Database
from ledger.errors import DamagedError, LedgerError
from ledger.findings import Finding, FindingKind, Verification
from ledger.head_file import EMPTY, head_path, read_head
from ledger.places import database_at

__all__ = ["Finding", "FindingKind", "Verification", "verify", "verify_database"]


def verify(place: Path | str, *, pinned: Sequence[Head] = (), beside: Path | None = None) -> Verification:
    """Check everything there, its head file, and heads pinned elsewhere (git). Never writes to the database.

    A ledger that is damaged inside gives a finding; what is no ledger at all raises LedgerError.
    """
    return verify_database(database_at(place, beside), pinned)


def verify_database(database: Database, pinned: Sequence[Head] = ()) -> Verification:
    """The same for a database."""
    try:
        return _verified(database, pinned)
    except DamagedError as error:  # already while it was opened
        return Verification(0, 0, None, (_damage(database, str(error.__cause__)),))


def _verified(database: Database, pinned: Sequence[Head]) -> Verification:
    database.refuse_absent(create=False)
    head, findings = _read_head(database)  # before the database, so that a writer meanwhile cannot look like a cut
    with database.said_plainly():
        engine = database.reading_engine()
        _refuse_others(database, engine)
        if whole := _whole(database, head, findings, pinned):
            return whole
        with engine.connect() as connection:
            damaged = [_damage(database, one) for one in database.damage(connection)]
        try:
            with database.said_plainly(), engine.connect() as connection:
                return _verify(database, connection, head, [*findings, *damaged], pinned)
        except LedgerError:
            if damaged:
                return Verification(0, 0, None, tuple(damaged))
            raise


def _whole(
    database: Database, said: Head | None, findings: Sequence[Finding], pinned: Sequence[Head]
) -> Verification | None:
    """The outcome where everything is as it was written; nothing when that is not shown."""
    heads = [*([] if said is None else [said]), *pinned]
    try:
        with database.reading_engine(exact=True).connect() as connection:
            proved = None if check_schema(database, connection) else prove_whole(database, connection, heads)
    except DBAPIError:  # the checks that name what is wrong meet it again
        return None
    if proved is None:
        return None
    missing = _missing_head(database, said) if proved.entries else []
    return replace(proved, findings=(*findings, *missing, *proved.findings))


def _read_head(database: Database) -> tuple[Head | None, list[Finding]]:
    if database.beside is None:
        return None, []
    try:
        return read_head(database.beside), []
    except LedgerError as error:
        return None, [Finding(FindingKind.EDITED_HEAD, head_path(database.beside).name, str(error))]


def _refuse_others(database: Database, engine: Engine) -> None:
    with engine.connect() as connection:
        migrations.refuse_foreign(connection, database.said)
        if not database.schema(connection):
            raise LedgerError(f"{database.said} is empty and not a ledger; name another file")


def _damage(database: Database, said: str) -> Finding:
    name = database.file.name if database.file else database.said
    return Finding(FindingKind.DAMAGED_FILE, name, f"the database says: {said}")


def _verify(
    database: Database,
    connection: Connection,
    said: Head | None,
    findings: list[Finding],
    pinned: Sequence[Head],
) -> Verification:
    findings += check_schema(database, connection)
    rows = [stored_header(row) for row in raw_rows(connection, ENTRY)]
    gone = withheld(connection)
    chain = check_chain(rows, said, gone.entries)
    findings += chain.findings
    findings += _check_heads(connection, database, chain, (said, *pinned))
    projections = check_projections(connection, chain, gone.entries)
    count, blob_findings = check_blobs(connection, projections.refs, gone.blobs)
    findings += projections.findings + blob_findings + check_roots(connection, chain)
    newest = Head(rows[-1].header.seq, rows[-1].id) if rows else None
    return Verification(len(rows), count, newest, tuple(findings))


def _check_heads(
    connection: Connection, database: Database, chain: ChainCheck, heads: Sequence[Head | None]
) -> list[Finding]:
    """The first of the heads is the head file's, the others are pinned elsewhere."""
    said, *pinned = heads
    name = head_path(database.beside).name if database.beside else ""
    findings = check_head(chain, said or EMPTY, name)
    if chain.placed:
        findings += _missing_head(database, said)
    for one in pinned:
        findings += check_head(chain, one or EMPTY, "a pinned head")
    row = database.head_said(connection)
    if row is not None:
        findings += check_head_row(chain, row)
    cut = [one for one in findings if one.what is FindingKind.CUT_TAIL]
    return [one for one in findings if one not in cut[1:]] + (
        [] if cut else check_orphans(chain, projected_seqs(connection))
    )


def _missing_head(database: Database, said: Head | None) -> list[Finding]:
    if said is not None or database.beside is None or head_path(database.beside).exists():
        return []
    name = head_path(database.beside).name
    sentence = f"{name} is not there, so a cut tail cannot be seen; bring it back from git or a copy"
    return [Finding(FindingKind.MISSING_HEAD, name, sentence)]
