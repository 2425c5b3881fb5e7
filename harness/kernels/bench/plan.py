"""What the runner is told: everything worked out beforehand, so that it reads numbers and no formulas. Frozen."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PLAN = "plan.json"
FILES = "task"  # folder of the pack that holds inputs.py and reference.py
SCHEMA = 1


@dataclass(frozen=True)
class Parameter:
    """One argument of the entry, in order."""

    name: str
    role: str  # input, output, scratch, scalar
    dtype: str


@dataclass(frozen=True)
class Sizes:
    """One shape of the task."""

    name: str
    sizes: dict[str, int]
    test: bool
    time: bool
    extents: dict[str, list[int]]  # of each array argument
    scalars: dict[str, int]  # of each scalar argument
    bytes: int  # least traffic of a call
    operations: int  # least arithmetic of a call


@dataclass(frozen=True)
class Call:
    """One launch of an arm at one shape."""

    entry: str  # "" for a library call
    library: str  # "" for a function of the arm
    arguments: list[str]
    grid: list[int] = field(default_factory=lambda: [1, 1, 1])
    block: list[int] = field(default_factory=lambda: [1, 1, 1])
    shared: int = 0
    side_stream: bool = False
    overlaps: bool = False  # may begin while the launch before it runs


@dataclass(frozen=True)
class Own:
    """A scratch array of an arm at one shape."""

    name: str
    dtype: str
    extent: list[int]


@dataclass(frozen=True)
class PlannedArm:
    """One arm, built or refused."""

    name: str
    family: str
    summary: str
    expected: str  # for known-wrong arms the reason they must be caught with, else ""
    objects: dict[str, str]  # architecture ("c" for the processor) to a file of the pack
    calls: dict[str, list[Call]]  # by shape; shapes it does not apply to are missing
    scratch: dict[str, list[Own]]
    refused: str = ""  # a Reason, when it could not be built
    detail: str = ""


@dataclass(frozen=True)
class Plan:
    """A whole pack."""

    schema: int
    task: str  # name of the folder
    title: str
    sha256: str  # of the task folder
    language: str
    baseline: str
    parameters: list[Parameter]
    shapes: list[Sizes]
    norm: float
    worst: float
    unit: str
    smallest_effect_pct: float
    blocks: int
    input_sets: int
    seconds: float
    wall_s: float
    memory_mib: int
    threads: int  # of the processor, that an arm may use
    arms: list[PlannedArm]
    ceilings: dict[str, str] = field(default_factory=dict)  # architecture to the object that measures ceilings

    def arm(self, name: str) -> PlannedArm:
        """The arm of this name. Raises KeyError."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        raise KeyError(name)

    def shape(self, name: str) -> Sizes:
        """The shape of this name. Raises KeyError."""
        for shape in self.shapes:
            if shape.name == name:
                return shape
        raise KeyError(name)

    def to_json(self) -> str:
        """As it lies in the pack."""
        return json.dumps(asdict(self), indent=1)


def read_plan(pack: Path) -> Plan:
    """The plan of a pack. Raises ValueError when it is not one of this schema."""
    value: dict[str, Any] = json.loads((pack / PLAN).read_text(encoding="utf-8"))
    if value.get("schema") != SCHEMA:
        raise ValueError(f"{str(pack / PLAN)!r} has schema {value.get('schema')!r}, not {SCHEMA}; pack the task again")
    value["parameters"] = [Parameter(**one) for one in value["parameters"]]
    value["shapes"] = [Sizes(**one) for one in value["shapes"]]
    value["arms"] = [_arm(one) for one in value["arms"]]
    return Plan(**value)


def _arm(value: dict[str, Any]) -> PlannedArm:
    calls = {shape: [Call(**call) for call in listed] for shape, listed in value["calls"].items()}
    scratch = {shape: [Own(**own) for own in listed] for shape, listed in value["scratch"].items()}
    return PlannedArm(**{**value, "calls": calls, "scratch": scratch})
