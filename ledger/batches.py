"""The tree over a stored ledger: keeps the root of every full batch, and answers roots and proofs from them."""

from collections.abc import Iterator

from sqlalchemy import Connection, select

from ledger.plans import Plan, Row, table_of
from ledger.tables import BatchRow, EntryRow
from ledger.tree import BATCH_ENTRIES, Tree, batch_root, leaf_hash

ENTRY, BATCH = table_of(EntryRow), table_of(BatchRow)
BATCH_PLAN = Plan(BATCH, ("root",), lambda value: (value,))


def full_batches(connection: Connection, before: int, last: int) -> Iterator[Row]:
    """Rows for the batches that became full by entries `before` + 1 to `last`."""
    for number in range(before // BATCH_ENTRIES, last // BATCH_ENTRIES):
        yield Row(BATCH_PLAN, ((number + 1) * BATCH_ENTRIES, computed_root(connection, number).hex()))


def computed_root(connection: Connection, number: int) -> bytes:
    """Root over batch `number`, counted from 0, from the ids of its entries."""
    low = number * BATCH_ENTRIES
    wanted = select(ENTRY.c.id).where(ENTRY.c.seq > low, ENTRY.c.seq <= low + BATCH_ENTRIES).order_by(ENTRY.c.seq)
    return batch_root([leaf_hash(bytes.fromhex(one)) for one in connection.execute(wanted).scalars()])


def stored_tree(connection: Connection) -> Tree:
    """The tree over the ledger's entries; its index 0 is entry #1."""

    def leaf(index: int) -> bytes:
        found = connection.execute(select(ENTRY.c.id).where(ENTRY.c.seq == index + 1)).scalar_one()
        return leaf_hash(bytes.fromhex(found))

    def batch(number: int) -> bytes:
        seq = (number + 1) * BATCH_ENTRIES
        return bytes.fromhex(connection.execute(select(BATCH.c.root).where(BATCH.c.seq == seq)).scalar_one())

    return Tree(leaf, batch)
