"""The published vectors of RFC 6962's trees, and proofs that hold for what they prove and for nothing else."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.bundle.check import root_of
from ledger.tree import BATCH_ENTRIES, EMPTY_ROOT, Tree, batch_root, leaf_hash

# Vectors of the Certificate Transparency reference implementation (transparency-dev/merkle, testonly).
LEAVES = [bytes.fromhex(one) for one in ("", "00", "10", "2021", "3031", "40414243")] + [
    bytes(range(0x50, 0x58)),
    bytes(range(0x60, 0x70)),
]
ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
A = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
B = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
C = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
D = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
E = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
F = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"


def tree_over(leaves: list[bytes]) -> Tree:
    """A tree that computes its full batches from its leaves."""
    hashes = [leaf_hash(one) for one in leaves]
    return Tree(
        hashes.__getitem__, lambda number: batch_root(hashes[number * BATCH_ENTRIES : (number + 1) * BATCH_ENTRIES])
    )


def plain_root(hashes: list[bytes]) -> bytes:
    """The definition in section 2.1, word for word."""
    if not hashes:
        return EMPTY_ROOT
    if len(hashes) == 1:
        return hashes[0]
    middle = 1
    while middle * 2 < len(hashes):
        middle *= 2
    return hashlib.sha256(b"\x01" + plain_root(hashes[:middle]) + plain_root(hashes[middle:])).digest()


def test_the_published_roots() -> None:
    tree = tree_over(LEAVES)
    assert tuple(tree.root(size).hex() for size in range(9)) == ROOTS


@pytest.mark.parametrize(
    ("index", "size", "path"),
    [
        (0, 1, ()),
        (0, 2, (A,)),
        (1, 2, (ROOTS[1],)),
        (2, 3, (ROOTS[2],)),
        (1, 5, (ROOTS[1], B, D)),
        (0, 8, (A, B, C)),
        (5, 8, (D, E, ROOTS[4])),
    ],
)
def test_the_published_inclusion_proofs(index: int, size: int, path: tuple[str, ...]) -> None:
    found = tree_over(LEAVES).inclusion(index, size)
    assert tuple(one.hex() for one in found) == path
    assert root_of(LEAVES[index].hex(), index, size, list(path)) == ROOTS[size]


BIG = [number.to_bytes(32, "big") for number in range(BATCH_ENTRIES * 3 + 7)]


@given(st.integers(1, len(BIG)).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1))))
@settings(max_examples=30, deadline=None)
def test_trees_over_batches_are_trees_over_leaves(case: tuple[int, int]) -> None:
    size, index = case
    tree = tree_over(BIG)
    root = tree.root(size)
    assert root == plain_root([leaf_hash(one) for one in BIG[:size]])
    path = [one.hex() for one in tree.inclusion(index, size)]
    assert root_of(BIG[index].hex(), index, size, path) == root.hex()
    assert root_of(b"other".hex(), index, size, path) != root.hex()
    assert root_of(BIG[index].hex(), index, size, [*path, root.hex()]) is None
    if path:
        assert root_of(BIG[index].hex(), index, size, path[:-1]) != root.hex()


def test_outside_the_tree() -> None:
    tree = tree_over(LEAVES)
    with pytest.raises(ValueError, match="leaf 8 is not in a tree of 8"):
        tree.inclusion(8, 8)
    with pytest.raises(ValueError, match="a power of two of leaves, not 3"):
        batch_root([b"", b"", b""])
    assert root_of("", 3, 3, []) is None
