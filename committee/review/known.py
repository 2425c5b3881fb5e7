"""What a prompt says beside the proposal's own files: knobs of the engine, step-time tables, what a patch may change.

Values only. Names and settings come from the target's file, the engine's report and the ledger, never from a reviewer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from committee.vocabulary.steps import StepTable


@dataclass(frozen=True)
class Knob:
    """One flag of the target's engine. What is not known is empty."""

    name: str
    default: str = ""
    in_force: str = ""  # as the engine's own log or report says
    asked: str = ""  # what production's command line asks for
    earlier: tuple[str, ...] = ()  # one line for each earlier verdict on an arm that turned it


@dataclass(frozen=True)
class Known:
    """All of it for one revision and target."""

    knobs: tuple[Knob, ...] = ()
    steps: tuple[StepTable, ...] = ()
    patchable: tuple[str, ...] = ()  # paths of the revision that an arm's patch may change


@dataclass(frozen=True)
class Shown:
    """One fused hypothesis as a second look shows it: without the name of who said it."""

    label: str  # H1, H2, ...
    hypothesis: str  # id of what is refuted when this label is named
    mechanism: str
    predicted: str
    falsifier: str
    arm: str  # its settings in one line, empty without an arm
    written: Mapping[str, Any] | None = None  # the same as its reviewer wrote it

    @property
    def texts(self) -> tuple[str, ...]:
        """All that a reviewer wrote of it."""
        return (self.mechanism, self.falsifier, self.arm)


NOTHING_KNOWN = Known()
