"""What a reviewer can be asked to look at first, so that reviewers do not all say the same."""

from collections.abc import Sequence
from enum import StrEnum


class Lens(StrEnum):
    """One way of looking. It directs a reviewer and forbids nothing."""

    MEMORY_TRAFFIC = "memory-traffic"
    OCCUPANCY = "occupancy"
    SCHEDULING = "scheduling"
    NUMERICS = "numerics"
    CONFIGURATION = "configuration"


def assigned(own: Sequence[Lens | None], lenses: Sequence[Lens]) -> tuple[Lens | None, ...]:
    """The lens of each reviewer in the order of the file: its own, else the next of the list, round and round.

    The same file gives the same lenses on every run; a reviewer with a lens of its own takes no turn.
    """
    turn, found = 0, []
    for mine in own:
        if mine is None and lenses:
            mine, turn = lenses[turn % len(lenses)], turn + 1  # noqa: PLW2901 - the reviewer's turn
        found.append(mine)
    return tuple(found)
