"""The order of launches: every block holds baseline, placebo and each arm once, shuffled from a recorded seed."""

from collections.abc import Sequence

import numpy as np

from harness.vocabulary.outcome import Role
from ledger.entries import Slot


def slots(arms: Sequence[str], blocks: int, seed: int) -> tuple[Slot, ...]:
    """Every launch of the plan in order.

    One NumPy `Generator(PCG64(seed))` permutes baseline, placebo and the arms (sorted by fingerprint, so the order in
    which they were named does not matter) once for each block, block 0 first. The slots themselves are recorded, so
    the plan stays known even if a later NumPy permutes differently.

    Raises ValueError without arms, with an arm named twice, with fewer than two blocks or with a negative seed.
    """
    if not arms:
        raise ValueError("a plan needs at least one arm; name one")
    if len(set(arms)) != len(arms):
        raise ValueError("an arm is named twice in the plan; name each arm once")
    if blocks < 2:
        raise ValueError(f"a plan needs at least 2 blocks, not {blocks}: one block shows no spread between launches")
    if seed < 0:
        raise ValueError(f"the seed must be 0 or more, not {seed}")
    generator = np.random.Generator(np.random.PCG64(seed))
    once: list[tuple[Role, str | None]] = [(Role.BASELINE, None), (Role.PLACEBO, None)]
    once += [(Role.ARM, arm) for arm in sorted(arms)]
    return tuple(
        Slot(block=block, position=position, role=once[index][0], arm=once[index][1])
        for block in range(blocks)
        for position, index in enumerate(generator.permutation(len(once)))
    )
