"""Verifying a ledger: offline, read-only, recomputing everything, and naming exactly what is wrong."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, Engine

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
        damaged = _damage(engine, path)
        try:
            with sqlite.said_plainly(path), engine.connect() as connection:
                return _verify(connection, path, head, [*findings, *damaged], pinned)
        except LedgerError:
            if damaged:
                return Verification(0, 0, None, tuple(damaged))
            raise


def _read_head(path: Path) -> tuple[Head | None, list[Finding]]:
    try:
        return read_head(path), []
    except LedgerError as error:
        return None, [Finding(FindingKind.EDITED_HEAD, head_path(path).name, str(error))]


def _damage(engine: Engine, path: Path) -> list[Finding]:
    with engine.connect() as connection:
        migrations.refuse_foreign(connection, str(path))
        if not sqlite.schema_of(connection):
            raise LedgerError(f"{path} is empty and not a ledger; name another file")
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
    if said is None and chain.placed and not head_path(path).exists():
        sentence = f"{name} is not there, so a cut tail cannot be seen; bring it back from git or a copy"
        findings.append(Finding(FindingKind.MISSING_HEAD, name, sentence))
    for one in pinned:
        findings += check_head(chain, one, "a pinned head")
    cut = [one for one in findings if one.what is FindingKind.CUT_TAIL]
    return [one for one in findings if one not in cut[1:]] + (
        [] if cut else check_orphans(chain, projected_seqs(connection))
    )
