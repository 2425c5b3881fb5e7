"""Orders of launches that keep position apart from treatment: a screen that goes up and down, and Latin squares."""

from collections.abc import Sequence

import numpy as np

from harness.vocabulary.outcome import Role
from ledger.entries import Slot

Treatment = tuple[Role, str | None]
CONTROLS: tuple[Treatment, ...] = ((Role.BASELINE, None), (Role.PLACEBO, None))


def screen_slots(arms: Sequence[str], passes: int) -> tuple[Slot, ...]:
    """Blocks 0 to passes - 1: baseline, the arms as given, placebo; every second pass backwards.

    With controls at both ends a drift along the pass can be told from the arms (harness/verdicts/screen.py).
    """
    forth: list[Treatment] = [CONTROLS[0], *((Role.ARM, arm) for arm in arms), CONTROLS[1]]
    return tuple(
        Slot(block=block, position=position, role=role, arm=arm)
        for block in range(passes)
        for position, (role, arm) in enumerate(forth[::-1] if block % 2 else forth)
    )


def balanced_slots(arms: Sequence[str], blocks: int, seed: int, first_block: int = 0) -> tuple[Slot, ...]:
    """Blocks `first_block` and on: in each run of T blocks every one of the T treatments has every position once.

    Cyclic Latin squares with rows, columns and treatments permuted by `Generator(PCG64(seed))`. Arms are sorted by
    fingerprint first, so the order in which they were named does not matter.
    """
    treatments: list[Treatment] = [*CONTROLS, *((Role.ARM, arm) for arm in sorted(arms))]
    size = len(treatments)
    generator = np.random.Generator(np.random.PCG64(seed))
    found: list[Slot] = []
    for start in range(0, blocks, size):
        rows, columns, names = (generator.permutation(size) for _ in range(3))
        for row in range(min(size, blocks - start)):
            for position in range(size):
                role, arm = treatments[names[(rows[row] + columns[position]) % size]]
                found.append(Slot(block=first_block + start + row, position=position, role=role, arm=arm))
    return tuple(found)
