"""Computes every projection row again from its entry and compares it with what stands in the tables."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from sqlalchemy import Connection, Table, select

from ledger.checks.chain import ChainCheck
from ledger.checks.form import is_canonical
from ledger.checks.schema import tables_there
from ledger.checks.stored import BATCH_ROWS, ENTRY, Row, raw_rows, stored_entry
from ledger.entries import BlobRef
from ledger.findings import Finding, FindingKind
from ledger.plans import as_stored
from ledger.projections import ROW_TYPES, blob_refs, project, table_of

TABLES = tuple(table_of(row_type) for row_type in ROW_TYPES)
Key = tuple[str, tuple[object, ...]]


@dataclass
class ProjectionCheck:
    """Findings, and what the entries refer to."""

    findings: list[Finding] = field(default_factory=list)
    refs: dict[str, tuple[int, BlobRef]] = field(default_factory=dict)  # blob -> first entry that uses it


def projected_seqs(connection: Connection) -> set[int]:
    """Every sequence that any projection row belongs to."""
    return {seq for seq in _projected(connection) if isinstance(seq, int)}


def _projected(connection: Connection) -> set[object]:
    """The same with what is no sequence: a row put in by hand can hold text or a fraction in its place."""
    tables = tables_there(connection, TABLES)
    return {seq for table in tables for seq in connection.execute(select(table.c.seq).distinct()).scalars()}


def check_projections(
    connection: Connection, chain: ChainCheck, withheld: Collection[str] = frozenset()
) -> ProjectionCheck:
    """Compare batch by batch, for entries that are whole. Rows of removed entries are told of by the chain.

    Entries with an id in `withheld` have no projections.
    """
    check = ProjectionCheck()
    place = {one.stored.header.seq: one.seq for one in chain.placed}
    whole = {one.seq for one in chain.placed if one.proved and one.stored.payload_is_whole}
    known = {one.seq for one in chain.placed} | chain.inserted
    for batch in _batches(connection):
        expected: dict[Key, Row] = {}
        seqs = set()
        for row in batch:
            seq = place.get(int(str(row["seq"])))
            if seq is not None and row["payload"] is None and row["id"] in withheld:
                seqs.add(seq)
            elif seq in whole and seq is not None:
                seqs.add(seq)
                expected.update(_expected(row, seq, check))
        check.findings += _compare(connection, expected, seqs)
    check.findings += _strays(chain, _projected(connection) - known)
    return check


def _strays(chain: ChainCheck, seqs: Collection[object]) -> list[Finding]:
    numbers = sorted(seq for seq in seqs if isinstance(seq, int) and seq <= chain.last and not chain.lacks(seq))
    others = sorted(ascii(seq) for seq in seqs if not isinstance(seq, int))
    return [
        Finding(FindingKind.EXTRA_PROJECTION, f"#{seq}", f"projections of an entry #{seq} that never was")
        for seq in (*numbers, *others)
    ]


def _batches(connection: Connection) -> Iterator[list[Row]]:
    after = 0
    while batch := list(raw_rows(connection, ENTRY, ENTRY.c.seq > after, ENTRY.c.seq <= after + BATCH_ROWS)):
        yield batch
        after += BATCH_ROWS


def _expected(row: Row, seq: int, check: ProjectionCheck) -> dict[Key, Row]:
    try:
        entry = stored_entry(row, seq)
        projected = project(entry)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        said = f"entry #{seq} cannot be read by this version: {' '.join(str(error).split())[:200]}"
        check.findings.append(Finding(FindingKind.UNREADABLE_PAYLOAD, f"#{seq}", said))
        return {}
    if not is_canonical(bytes(row["payload"])):  # type: ignore[call-overload]
        said = f"entry #{seq}: its payload is not in canonical form, so that other programs may read another value"
        check.findings.append(Finding(FindingKind.NOT_CANONICAL, f"#{seq}", said))
    for ref in blob_refs(entry.payload):
        check.refs.setdefault(ref.sha256, (seq, ref))
    return {_key(one.plan.table, one.as_dict()): one.as_dict() for one in projected}


def _key(table: Table, row: Row) -> Key:
    return table.name, tuple(row[column.name] for column in table.primary_key.columns)


def _compare(connection: Connection, expected: dict[Key, Row], seqs: set[int]) -> list[Finding]:
    if not seqs:
        return []
    findings = []
    there = tables_there(connection, TABLES)
    for table in there:
        for row in raw_rows(connection, table, table.c.seq >= min(seqs), table.c.seq <= max(seqs)):
            if row["seq"] not in seqs:
                continue
            key = _key(table, row)
            wanted = expected.pop(key, None)
            if wanted is None:
                findings.append(_finding(FindingKind.EXTRA_PROJECTION, key, "is not in its entry"))
            elif row != wanted and tuple(row.values()) != as_stored(connection, tuple(wanted[name] for name in row)):
                columns = ", ".join(sorted(name for name in wanted if row[name] != wanted[name]))
                findings.append(_finding(FindingKind.EDITED_PROJECTION, key, f"differs from its entry in {columns}"))
    names = {table.name for table in there}  # a file of an earlier release lacks tables that a later one will fill
    findings += [_finding(FindingKind.MISSING_PROJECTION, key, "is gone") for key in expected if key[0] in names]
    return findings


def _finding(what: FindingKind, key: Key, said: str) -> Finding:
    table, (seq, *item) = key
    where = f"{table} #{seq}" + (f" item {item[0]}" if item else "")
    return Finding(what, where, f"projection {where} {said}")
