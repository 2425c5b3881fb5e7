"""What is pinned outside the ledger: its head, and the root of the tree over everything up to it.

A pin is a text of two lines that a person, git or a newspaper can keep: `Ledger-Head` and `Ledger-Root`.
"""

import re
from dataclasses import dataclass

from ledger.batches import stored_tree
from ledger.chain import Head
from ledger.entries import Checkpoint
from ledger.errors import LedgerError
from ledger.store import Ledger, newest

HEAD_LINE, ROOT_LINE = "Ledger-Head", "Ledger-Root"
_HEAD = re.compile(rf"^{HEAD_LINE}: (\d{{1,15}}) ([0-9a-f]{{64}})$", re.MULTILINE)
_ROOT = re.compile(rf"^{ROOT_LINE}: (\d{{1,15}}) ([0-9a-f]{{64}})$", re.MULTILINE)


@dataclass(frozen=True)
class Root:
    """The tree over the first `size` entries."""

    size: int
    root: str


@dataclass(frozen=True)
class Pin:
    """What one pin says."""

    head: Head
    root: Root | None  # pins of the first release name the head alone

    def text(self) -> str:
        """The lines to keep."""
        lines = [f"{HEAD_LINE}: {self.head.seq} {self.head.id}"]
        if self.root:
            lines.append(f"{ROOT_LINE}: {self.root.size} {self.root.root}")
        return "\n".join(lines) + "\n"


def pins_in(text: str) -> tuple[Pin, ...]:
    """Every pin in a text, such as a commit message or a note; a root belongs to the head above it."""
    heads = [(found.start(), Head(int(found[1]), found[2])) for found in _HEAD.finditer(text)]
    roots = [(found.start(), Root(int(found[1]), found[2])) for found in _ROOT.finditer(text)]
    pins = []
    for number, (at, head) in enumerate(heads):
        until = heads[number + 1][0] if number + 1 < len(heads) else len(text)
        pins.append(Pin(head, next((root for place, root in roots if at < place < until), None)))
    return tuple(pins)


def root_over(ledger: Ledger, size: int) -> str:
    """Root over the first `size` entries. Raises LedgerError beyond the ledger."""
    with ledger.looking() as connection:
        head = newest(connection)
        if head is None or not 0 < size <= head.seq:
            raise LedgerError(f"{ledger.path} has {head.seq if head else 0} entries; a root over {size} cannot be had")
        return stored_tree(connection).root(size).hex()


def checkpoint(ledger: Ledger) -> Checkpoint:
    """The payload that states the root over all entries so far. Raises LedgerError for an empty ledger."""
    head = ledger.head()
    if head is None:
        raise LedgerError(f"{ledger.path} is empty; there is nothing to anchor yet")
    return Checkpoint(size=head.seq, root=root_over(ledger, head.seq), head=head.id)


def anchor(ledger: Ledger) -> Pin:
    """Record a checkpoint, and give what is to be pinned: the checkpoint's entry as head, and a root that covers it."""
    entry = ledger.append(checkpoint(ledger))
    return Pin(Head(entry.seq, entry.id), Root(entry.seq, root_over(ledger, entry.seq)))
