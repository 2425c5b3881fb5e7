"""Computes the roots of batches and checkpoints again and compares them with what is kept. For whole chains only."""

from collections.abc import Sequence

from sqlalchemy import Connection, select

from ledger.batches import BATCH
from ledger.checks.chain import ChainCheck
from ledger.checks.schema import tables_there
from ledger.findings import Finding, FindingKind
from ledger.projections import table_of
from ledger.review_tables import CheckpointRow
from ledger.tree import BATCH_ENTRIES, Tree, batch_root, leaf_hash

CHECKPOINT = table_of(CheckpointRow)


def check_roots(connection: Connection, chain: ChainCheck) -> list[Finding]:
    """Kept roots that differ. Where entries are moved, removed or edited, the chain says so, and roots say nothing."""
    if len(tables_there(connection, (BATCH, CHECKPOINT))) < 2:
        return []
    if chain.removed or any(one.seq != one.stands_at or not one.proved for one in chain.placed):
        return []
    leaves = [leaf_hash(bytes.fromhex(one.stored.id)) for one in chain.placed]
    roots = [
        batch_root(leaves[low : low + BATCH_ENTRIES])
        for low in range(0, len(leaves) - BATCH_ENTRIES + 1, BATCH_ENTRIES)
    ]
    tree = Tree(leaves.__getitem__, roots.__getitem__)
    return [*_batches(connection, roots), *check_checkpoints(connection, tree, len(leaves))]


def _batches(connection: Connection, roots: Sequence[bytes]) -> list[Finding]:
    kept = {row.seq: row.root for row in connection.execute(select(BATCH.c.seq, BATCH.c.root))}
    wanted = {(number + 1) * BATCH_ENTRIES: root.hex() for number, root in enumerate(roots)}
    return [
        Finding(
            FindingKind.EDITED_BATCH,
            f"batch #{seq}",
            f"the root kept for the batch of entries that ends at #{seq} is not what they give",
        )
        for seq in sorted(kept.keys() | wanted.keys())
        if kept.get(seq) != wanted.get(seq)
    ]


def check_checkpoints(connection: Connection, tree: Tree, entries: int) -> list[Finding]:
    """Checkpoints that state another root than the tree has at their size."""
    findings = []
    for seq, size, root in connection.execute(select(CHECKPOINT.c.seq, CHECKPOINT.c.size, CHECKPOINT.c.root)):
        if type(size) is int and 0 < size < seq <= entries and tree.root(size).hex() == root:
            continue
        said = f"checkpoint #{seq} states a root over {size} entries that they do not give"
        findings.append(Finding(FindingKind.WRONG_CHECKPOINT, f"#{seq}", said))
    return findings
