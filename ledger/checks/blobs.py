"""Reads every blob again and compares it with its name, and with what entries say about it."""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection, func, select

from ledger.blobs import BLOB, CHUNK, DamagedBlobError, MissingBlobError, pieces, size_of
from ledger.entries import BlobRef
from ledger.findings import Finding, FindingKind


def check_blobs(
    connection: Connection, refs: Mapping[str, tuple[int, BlobRef]], withheld: Collection[str] = frozenset()
) -> tuple[int, list[Finding]]:
    """How many blobs there are, and what is wrong with them; those `withheld` have a row and no content."""
    stored = [str(one) for one in connection.execute(select(BLOB.c.sha256).order_by(BLOB.c.sha256)).scalars()]
    counted = select(CHUNK.c.sha256, func.count()).group_by(CHUNK.c.sha256)
    chunks = {str(sha256): int(count) for sha256, count in connection.execute(counted)}
    findings = [_check_withheld(sha256, chunks.get(sha256, 0)) for sha256 in stored if sha256 in withheld]
    for sha256 in stored:
        if sha256 not in withheld:
            findings += _check_one(connection, sha256, chunks.get(sha256, 0))
    for sha256, (seq, ref) in refs.items():
        size = size_of(connection, sha256)
        if size is None:
            said = f"entry #{seq} refers to blob {sha256[:12]}, which is gone"
            findings.append(_finding(FindingKind.MISSING_BLOB, sha256, said))
        elif size != ref.size and not any(sha256[:12] in one.where for one in findings):
            said = f"entry #{seq} says blob {sha256[:12]} has {ref.size} bytes; it has {size}"
            findings.append(_finding(FindingKind.EDITED_BLOB, sha256, said))
    for left in sorted(chunks.keys() - set(stored) - refs.keys()):
        findings.append(
            _finding(FindingKind.MISSING_BLOB, left, f"blob {left[:12]} has chunks, but its own row is gone")
        )
    return len(stored), findings


def _check_withheld(sha256: str, there: int) -> Finding:
    short = sha256[:12]
    if not there:
        return _finding(FindingKind.WITHHELD, sha256, f"blob {short}: its content is withheld by a tombstone")
    said = f"blob {short}: a tombstone says its content is withheld, but it is still there; withhold it again"
    return _finding(FindingKind.NOT_WITHHELD, sha256, said)


def _check_one(connection: Connection, sha256: str, there: int) -> list[Finding]:
    """Every chunk that the blob's row counts is read, so more of them than that belong to no content."""
    try:
        read = sum(1 for _piece in pieces(connection, sha256))
    except MissingBlobError as error:
        return [_finding(FindingKind.MISSING_BLOB, sha256, str(error))]
    except DamagedBlobError as error:
        return [_finding(FindingKind.EDITED_BLOB, sha256, str(error))]
    if there > read:
        said = f"blob {sha256[:12]} has {read} chunks, and {there - read} more were put beside them"
        return [_finding(FindingKind.EDITED_BLOB, sha256, said)]
    return []


def _finding(what: FindingKind, sha256: str, said: str) -> Finding:
    return Finding(what, f"blob {sha256[:12]}", said)
