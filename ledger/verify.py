"""Verifying a ledger: offline, read-only, recomputing everything, and naming exactly what is wrong."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from ledger import migrations, sqlite
from ledger.chain import Head
from ledger.checks.blobs import check_blobs
from ledger.checks.chain import ChainCheck, check_chain
from ledger.checks.head import check_head, check_orphans
from ledger.checks.projections import check_projections, projected_seqs
from ledger.checks.roots import check_roots
from ledger.checks.schema import check_schema
from ledger.checks.stored import ENTRY, raw_rows, stored_header
from ledger.checks.tombstones import withheld
from ledger.checks.whole import prove_whole
from ledger.errors import LedgerError
from ledger.findings import Finding, FindingKind, Verification
from ledger.head_file import EMPTY, head_path, read_head

__all__ = ["Finding", "FindingKind", "Verification", "verify"]


def verify(path: Path, *, pinned: Sequence[Head] = ()) -> Verification:
    """Check the whole file, its head file, and heads pinned elsewhere (git). Never writes to the database.

    A file that is damaged inside gives a finding; one that is no ledger at all raises LedgerError.
    """
    if not path.is_file():
        raise LedgerError(f"there is no ledger at {path}; name the ledger's file")
    head, findings = _read_head(path)  # before the database, so that a writer meanwhile cannot look like a cut
    with sqlite.said_plainly(path):
        engine = sqlite.open_read_only(path)
        _refuse_other_files(engine, path)
        if whole := _whole(path, head, findings, pinned):
            return whole
        damaged = _damage(engine, path)
        try:
            with sqlite.said_plainly(path), engine.connect() as connection:
                return _verify(connection, path, head, [*findings, *damaged], pinned)
        except LedgerError:
            if damaged:
                return Verification(0, 0, None, tuple(damaged))
            raise


def _whole(path: Path, said: Head | None, findings: Sequence[Finding], pinned: Sequence[Head]) -> Verification | None:
    """The outcome where everything is as it was written; nothing when that is not shown."""
    heads = [*([] if said is None else [said]), *pinned]
    try:
        with sqlite.open_read_only(path, exact=True).connect() as connection:
            proved = None if check_schema(connection) else prove_whole(connection, heads, path)
    except DBAPIError:  # the checks that name what is wrong meet it again
        return None
    if proved is None:
        return None
    missing = _missing_head(path, said) if proved.entries else []
    return replace(proved, findings=(*findings, *missing, *proved.findings))


def _read_head(path: Path) -> tuple[Head | None, list[Finding]]:
    try:
        return read_head(path), []
    except LedgerError as error:
        return None, [Finding(FindingKind.EDITED_HEAD, head_path(path).name, str(error))]


def _refuse_other_files(engine: Engine, path: Path) -> None:
    with engine.connect() as connection:
        migrations.refuse_foreign(connection, str(path))
        if not sqlite.schema_of(connection):
            raise LedgerError(f"{path} is empty and not a ledger; name another file")


def _damage(engine: Engine, path: Path) -> list[Finding]:
    with engine.connect() as connection:
        return [
            Finding(FindingKind.DAMAGED_FILE, path.name, f"SQLite says: {one}") for one in sqlite.damage(connection)
        ]


def _verify(
    connection: Connection, path: Path, said: Head | None, findings: list[Finding], pinned: Sequence[Head]
) -> Verification:
    findings += check_schema(connection)
    rows = [stored_header(row) for row in raw_rows(connection, ENTRY)]
    gone = withheld(connection)
    chain = check_chain(rows, said, gone.entries)
    findings += chain.findings
    findings += _check_heads(connection, path, chain, said, pinned)
    projections = check_projections(connection, chain, gone.entries)
    count, blob_findings = check_blobs(connection, projections.refs, gone.blobs)
    findings += projections.findings + blob_findings + check_roots(connection, chain)
    newest = Head(rows[-1].header.seq, rows[-1].id) if rows else None
    return Verification(len(rows), count, newest, tuple(findings))


def _check_heads(
    connection: Connection, path: Path, chain: ChainCheck, said: Head | None, pinned: Sequence[Head]
) -> list[Finding]:
    name = head_path(path).name
    findings = check_head(chain, said or EMPTY, name)
    if chain.placed:
        findings += _missing_head(path, said)
    for one in pinned:
        findings += check_head(chain, one, "a pinned head")
    cut = [one for one in findings if one.what is FindingKind.CUT_TAIL]
    return [one for one in findings if one not in cut[1:]] + (
        [] if cut else check_orphans(chain, projected_seqs(connection))
    )


def _missing_head(path: Path, said: Head | None) -> list[Finding]:
    name = head_path(path).name
    if said is not None or head_path(path).exists():
        return []
    sentence = f"{name} is not there, so a cut tail cannot be seen; bring it back from git or a copy"
    return [Finding(FindingKind.MISSING_HEAD, name, sentence)]
