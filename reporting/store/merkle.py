"""The Merkle tree of RFC 6962 section 2.1, grown at its right edge: hashes only, no database.

A tree of n leaves is kept as its frontier: the roots of the perfect subtrees that the bits of n name, widest first.
Appending a leaf and asking for the root each take O(log n) hashes.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = sha256(b"").digest()


def leaf_hash(entry: bytes) -> bytes:
    """The hash of one entry: `SHA-256(0x00 || entry)`."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees: `SHA-256(0x01 || left || right)`."""
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """The right edge of a tree that grows: `size` leaves so far."""

    def __init__(self, size: int = 0, nodes: Iterable[bytes] = ()) -> None:
        self.size = size
        self._nodes = list(nodes)
        if len(self._nodes) != size.bit_count():
            raise ValueError(
                f"a tree of {size} leaves has {size.bit_count()} nodes at its edge, not {len(self._nodes)}"
            )

    @classmethod
    def unpack(cls, size: int, packed: bytes) -> Frontier:
        """The frontier as `pack` wrote it; raises `ValueError` when it does not belong to a tree of `size` leaves."""
        return cls(size, (packed[start : start + HASH_BYTES] for start in range(0, len(packed), HASH_BYTES)))

    def pack(self) -> bytes:
        """The nodes, widest first, 32 bytes each."""
        return b"".join(self._nodes)

    def append(self, leaf: bytes) -> None:
        """Add one leaf's hash at the right."""
        node, size, nodes = leaf, self.size, self._nodes
        while size & 1:
            node = sha256(b"\x01" + nodes.pop() + node).digest()
            size >>= 1
        nodes.append(node)
        self.size += 1

    def root(self) -> bytes:
        """The Merkle tree hash of all leaves."""
        if not self._nodes:
            return EMPTY_ROOT
        root = self._nodes[-1]
        for node in reversed(self._nodes[:-1]):
            root = node_hash(node, root)
        return root
