"""The prefix cache of the simulated engine: blocks of 16 tokens, each known only together with all before it (M7)."""

import hashlib
from collections.abc import Sequence

BLOCK_TOKENS = 16
MAX_BLOCKS = 200_000  # 3.2 million tokens, more than the simulated cache holds


class PrefixCache:
    """Which beginnings of prompts were seen; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._known: dict[bytes, None] = {}

    def hits(self, ids: Sequence[int]) -> int:
        """Tokens of the prompt that are cached; never its last one, which must be computed."""
        found = 0
        for block in _blocks(ids):
            if block not in self._known:
                break
            found += BLOCK_TOKENS
        return min(found, (len(ids) - 1) // BLOCK_TOKENS * BLOCK_TOKENS) if ids else 0

    def keep(self, ids: Sequence[int]) -> None:
        """Remember the prompt's whole blocks."""
        for block in _blocks(ids):
            self._known.pop(block, None)
            self._known[block] = None
        while len(self._known) > MAX_BLOCKS:
            del self._known[next(iter(self._known))]


def _blocks(ids: Sequence[int]) -> list[bytes]:
    chain, found = b"", []
    for start in range(0, len(ids) - BLOCK_TOKENS + 1, BLOCK_TOKENS):
        words = b"".join(number.to_bytes(4, "big") for number in ids[start : start + BLOCK_TOKENS])
        chain = hashlib.blake2s(chain + words, digest_size=16).digest()
        found.append(chain)
    return found
