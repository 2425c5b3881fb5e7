"""What the runner hands back, as plain values and as JSON. Frozen."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = 1
TRYING = "trying arm "  # what the runner says before each arm, on standard error


@dataclass(frozen=True)
class Near:
    """One output against its reference."""

    output: str
    norm: float
    worst: float
    place: list[int]


@dataclass(frozen=True)
class ArmResult:
    """What is known of one arm."""

    arm: str
    family: str
    expected: str  # known-wrong arms: the reason they must be caught with
    reason: str  # "" when it is right everywhere it was tried
    detail: str
    shape: str  # where the reason was found
    deterministic: bool | None
    near: dict[str, list[Near]] = field(default_factory=dict)  # by shape


@dataclass(frozen=True)
class Number:
    """One timed number of one process."""

    shape: str
    mode: str
    median_ns: float
    low_ns: float
    high_ns: float
    calls: int


@dataclass(frozen=True)
class SlotResult:
    """One timed process in its block."""

    block: int
    position: int
    role: str  # baseline, placebo, arm
    arm: str
    numbers: list[Number]
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Report:
    """A whole run."""

    schema: int
    task: str
    sha256: str
    language: str
    seed: int
    fault: str  # INPUT_WRONG: why nothing can be judged, else ""
    facts_before: dict[str, str]
    facts_after: dict[str, str]
    device: dict[str, str]
    ceilings: dict[str, float]
    arms: list[ArmResult]
    slots: list[SlotResult]
    seconds: float
    phases: dict[str, float] = field(default_factory=dict)  # seconds of wall time by what was done

    def to_json(self) -> str:
        """One document; no NaN in it."""
        return json.dumps(asdict(self), indent=1, allow_nan=False)


def report_from(text: str) -> Report:
    """What `to_json` wrote. Raises ValueError for anything else."""
    value: dict[str, Any] = json.loads(text)
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise ValueError("this is no result of a kernel run of this version; run it again")
    try:
        value["arms"] = [
            ArmResult(**{**one, "near": {k: [Near(**n) for n in v] for k, v in one["near"].items()}})
            for one in value["arms"]
        ]
        value["slots"] = [
            SlotResult(**{**one, "numbers": [Number(**n) for n in one["numbers"]]}) for one in value["slots"]
        ]
        return Report(**value)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"a kernel result cannot be read: {error}") from error
