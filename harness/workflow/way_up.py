"""How production comes up, by its states on record: one answer for both programs. Pure.

Restoring starts once more what was recorded, which helps a production that has been up; one that never was is started.
"""

from collections.abc import Sequence
from typing import Literal

State = Literal["up", "down", "taken_down", "restored", "restore_failed"]
BEEN_UP: frozenset[State] = frozenset({"up", "restored", "taken_down"})  # states before which production had answered


def been_up(states: Sequence[State]) -> bool:
    """Whether production of a target has ever been up here, by its states on record."""
    return not BEEN_UP.isdisjoint(states)


def way_up(name: str, states: Sequence[State], *, wanted: bool) -> str:
    """The command that brings it up. `wanted`: it should be up, and nobody stopped it."""
    return f"harness {'restore' if wanted and been_up(states) else 'start'} {name}"


def why_not_measured(name: str, states: Sequence[State]) -> str | None:
    """Why a production that does not run now may not be measured, in one sentence.

    None where a person stopped it, or nobody has ever asked for it here: then nothing is taken away.
    """
    failed = bool(states) and states[-1] == "restore_failed"
    if not states or (been_up(states) and not failed):
        return None
    why = "its last start failed" if failed else "it has never been up here"
    return f"{name!r} is not up ({why}); `{way_up(name, states, wanted=True)}` first"
