"""Pure: the Merkle tree of RFC 6962 (section 2.1) over the ids of entries, and the proofs that an outsider checks.

A leaf is the 32 bytes of an entry's id. 256 entries make a batch; its root is a node of the same tree, so the tree
over batch roots *is* the tree over entries, and a root over a million entries is made of some four thousand kept ones.
`bundle/check.py`, which goes out with a proof, follows it.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

BATCH_ENTRIES = 256  # a power of two, so that a batch is one node: proofs of 20 hashes, 4,096 kept roots a million
EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(leaf: bytes) -> bytes:
    """Hash of a leaf; the first byte keeps a leaf from passing for a node."""
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def batch_root(leaves: Sequence[bytes]) -> bytes:
    """Root over the hashes of a full batch's leaves. Raises ValueError for a number that is no power of two."""
    count = len(leaves)
    if not count or count & (count - 1):
        raise ValueError(f"a batch has a power of two of leaves, not {count}")
    level = list(leaves)
    while len(level) > 1:
        level = [
            hashlib.sha256(b"\x01" + left + right).digest() for left, right in zip(level[::2], level[1::2], strict=True)
        ]
    return level[0]


@dataclass(frozen=True)
class Tree:
    """A tree that asks for what it needs: the hash of a leaf, and the root of a full batch, both counted from 0."""

    leaf: Callable[[int], bytes]
    batch: Callable[[int], bytes]

    def root(self, size: int) -> bytes:
        """Root over the first `size` leaves."""
        return self._node(0, size) if size else EMPTY_ROOT

    def inclusion(self, index: int, size: int) -> tuple[bytes, ...]:
        """Hashes from leaf `index` up to the root over `size` leaves (2.1.1). Raises ValueError outside the tree."""
        if not 0 <= index < size:
            raise ValueError(f"leaf {index} is not in a tree of {size}")
        path, low, high = [], 0, size
        while high - low > 1:
            middle = low + _split(high - low)
            if index < middle:
                path.append(self._node(middle, high))
                high = middle
            else:
                path.append(self._node(low, middle))
                low = middle
        return tuple(reversed(path))

    def _node(self, low: int, high: int) -> bytes:
        count = high - low
        if count == 1:
            return self.leaf(low)
        if count == BATCH_ENTRIES and low % BATCH_ENTRIES == 0:
            return self.batch(low // BATCH_ENTRIES)
        middle = low + _split(count)
        return node_hash(self._node(low, middle), self._node(middle, high))


def _split(count: int) -> int:
    """The largest power of two below `count`."""
    return 1 << ((count - 1).bit_length() - 1)
