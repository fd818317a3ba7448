"""The tree of RFC 6962 against the test vectors of its reference implementation and its own definition."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.store.merkle import Frontier, leaf_hash, node_hash

# The eight leaves and the roots of their first n, as published with RFC 6962's reference implementation.
LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def tree_of(leaves: list[bytes]) -> Frontier:
    tree = Frontier()
    for leaf in leaves:
        tree.append(leaf)
    return tree


def root_by_definition(leaves: list[bytes]) -> bytes:
    """RFC 6962 section 2.1, word for word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(root_by_definition(leaves[:split]), root_by_definition(leaves[split:]))


@pytest.mark.parametrize("size", range(9))
def test_roots_are_the_published_ones(size: int) -> None:
    leaves = [leaf_hash(bytes.fromhex(leaf)) for leaf in LEAVES[:size]]
    assert tree_of(leaves).root().hex() == ROOTS[size]


@given(st.integers(0, 200))
def test_root_is_as_defined(size: int) -> None:
    leaves = [leaf_hash(str(number).encode()) for number in range(size)]
    assert tree_of(leaves).root() == root_by_definition(leaves)


@given(st.integers(0, 100), st.integers(0, 100))
def test_a_packed_tree_grows_on_alike(first: int, second: int) -> None:
    leaves = [leaf_hash(str(number).encode()) for number in range(first + second)]
    before = tree_of(leaves[:first])
    after = Frontier.unpack(first, before.pack())
    for leaf in leaves[first:]:
        after.append(leaf)
    assert (after.size, after.pack()) == (first + second, tree_of(leaves).pack())


@pytest.mark.parametrize(("size", "packed"), [(1, b""), (2, bytes(64)), (0, bytes(32)), (3, bytes(32))])
def test_a_frontier_of_another_size_is_refused(size: int, packed: bytes) -> None:
    with pytest.raises(ValueError, match="nodes at its edge"):
        Frontier.unpack(size, packed)
