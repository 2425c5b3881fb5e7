"""The decode kernel's shared arrays must fit what a block may have without asking for more (lesson S7)."""

from harness.rules.decode_partition import DEFAULT_SPLITS, SPLITS, partition
from harness.rules.rule import VLLM, Finding, Rule, Setup, fault

LIMIT_BYTES = 48 * 1024  # static shared memory of a block, on every CUDA card
BYTES_A_TOKEN, BYTES_A_NUMBER = (
    12,
    4,
)  # what the fork's kernel keeps for a token of the partition and a number of the head


def shared_bytes(head_dim: int, tokens: int) -> int:
    """head_dim x 4 + partition x 12."""
    return head_dim * BYTES_A_NUMBER + tokens * BYTES_A_TOKEN


def _look(setup: Setup) -> tuple[Finding, ...]:
    context, head_dim = setup.number("max-model-len"), setup.known.head_dim
    if context is None or head_dim is None:
        return ()
    size = partition(context, setup.number(SPLITS) or DEFAULT_SPLITS)
    needed = shared_bytes(head_dim, size)
    if needed <= LIMIT_BYTES:
        return ()
    return fault(
        f"a partition of {size} with heads of {head_dim} takes {needed:,} bytes of shared memory, over the "
        f"{LIMIT_BYTES:,} of a block; raise {SPLITS}"
    )


RULE = Rule("the decode kernel's shared arrays fit into 48 KiB", frozenset({VLLM}), _look)
