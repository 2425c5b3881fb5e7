"""Whether a witness of an arm is seen in the engine's own words: pure."""

import re
from collections.abc import Sequence
from typing import Any

from harness.adapters.base import EngineReport
from harness.vocabulary.arm import Witness, text
from harness.vocabulary.pattern import MAX_LINE, slowness


def seen(witness: Witness, report: EngineReport) -> bool:
    """Whether the engine says what the witness claims. A pattern whose search might take too long is never seen."""
    if witness.source == "log":
        if witness.pattern is None or slowness(witness.pattern):
            return False
        pattern = re.compile(witness.pattern)
        return any(pattern.search(line[:MAX_LINE]) for line in report.log.splitlines())
    if witness.path is None or witness.equals is None:
        return False
    if witness.source == "metrics":
        value: Any = report.metrics.get(witness.path)
    else:
        value = _inside(report.props, witness.path)
    return isinstance(value, bool | int | float | str) and text(value) == text(witness.equals)


def unseen(witnesses: Sequence[Witness], report: EngineReport) -> tuple[str, ...]:
    """The witnesses that were not seen, in words."""
    return tuple(spoken(witness) for witness in witnesses if not seen(witness, report))


def spoken(witness: Witness) -> str:
    """A witness in one line."""
    if witness.source == "log":
        slow = slowness(witness.pattern or "")
        return f"log has {witness.pattern!r}" + (f" (not searched for: the pattern {slow})" if slow else "")
    return f"{witness.source} {witness.path} = {text(witness.equals) if witness.equals is not None else '?'}"


def _inside(value: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
