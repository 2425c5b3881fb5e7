"""The decode kernel must have been built for the partition size that follows from the context (lesson S7)."""

from harness.rules.rule import VLLM, Finding, Rule, Setup, caution, fault

SPLITS = "tq-max-kv-splits-for-cuda-graph"
DEFAULT_SPLITS = 96  # of the V100 fork
SMALLEST_TILE = 256
PINNED = "VLLM_FLASH_V100_DECODE_PARTITION_SIZE"


def partition(context: int, splits: int) -> int:
    """ceil(context / splits), rounded up to the next tile: 256, 512, 1024, ..."""
    share = -(-context // splits)
    tile = SMALLEST_TILE
    while tile < share:
        tile *= 2
    return tile


def fewest_splits(context: int, largest: int) -> int:
    """The fewest splits at which the partition is no larger than `largest`."""
    return -(-context // largest)


def _look(setup: Setup) -> tuple[Finding, ...]:
    context, built = setup.number("max-model-len"), setup.known.decode_partitions
    pinned = _pinned(setup)
    if context is None or not built:
        return pinned
    splits = setup.number(SPLITS) or DEFAULT_SPLITS
    needed = partition(context, splits)
    if needed in built:
        return pinned
    fitting = max((size for size in built if size < needed), default=None)
    way = f"build the kernel for {needed}"
    if fitting is not None:
        way += f", or set {SPLITS} to at least {fewest_splits(context, fitting)}"
    names = ", ".join(str(size) for size in built)
    said = (
        f"context {context} over {splits} splits is {-(-context // splits)} tokens a split, so the partition is "
        f"{needed}, and the attention binary was built for {names}: it fails at its first call; {way}"
    )
    return (*fault(said), *pinned)


def _pinned(setup: Setup) -> tuple[Finding, ...]:
    if PINNED not in setup.env:
        return ()
    return caution(f"{PINNED} is set, but the engine derives the size from the context; the variable changes nothing")


RULE = Rule(
    "the partition that the context asks for is one the attention binary was built with", frozenset({VLLM}), _look
)
