"""Where each array of a call lies in the memory that runner and worker share. Pure, standard library only."""

from dataclasses import dataclass
from math import prod

from harness.kernels.bench.plan import Own, Parameter, PlannedArm, Sizes

GUARD_BYTES = 4096  # a page on either side: a write past the end lands here before it reaches another buffer
ALIGNED = 4096
WHOLE, OUTPUTS = "whole", "outputs"  # what of a place is copied between the shared memory and the device
ITEM_BYTES = {
    **{"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2},
    **{"int32": 4, "uint32": 4, "float32": 4, "int64": 8, "uint64": 8, "float64": 8},
}


@dataclass(frozen=True)
class Field:
    """One array of a place."""

    name: str
    role: str  # input, output, scratch
    dtype: str
    extent: tuple[int, ...]
    offset: int  # from the place's beginning

    @property
    def size(self) -> int:
        """Bytes."""
        return prod(self.extent) * ITEM_BYTES[self.dtype]


@dataclass(frozen=True)
class Layout:
    """Where everything lies for one arm at one shape: several places, each with every array, then the snapshots."""

    fields: tuple[Field, ...]
    place_bytes: int
    places: int

    @property
    def outputs(self) -> tuple[Field, ...]:
        """In the order of the signature."""
        return tuple(one for one in self.fields if one.role == "output")

    @property
    def total(self) -> int:
        """Bytes in all."""
        return self.place_bytes * self.places + sum(_rounded(one.size) for one in self.outputs)

    def snapshots(self) -> dict[str, int]:
        """Offset of each output's snapshot in the arena."""
        offsets, at = {}, self.place_bytes * self.places
        for one in self.outputs:
            offsets[one.name] = at
            at += _rounded(one.size)
        return offsets

    def place(self, index: int) -> dict[str, int]:
        """Offset of each array of a place in the arena."""
        return {one.name: index * self.place_bytes + one.offset for one in self.fields}


def lay_out(parameters: list[Parameter], shape: Sizes, arm: PlannedArm, places: int) -> Layout:
    """Every array of the task and of the arm, each between two guard bands."""
    fields: list[Field] = []
    at = 0
    arrays = [Own(p.name, p.dtype, shape.extents[p.name]) for p in parameters if p.role != "scalar"]
    roles = {p.name: p.role for p in parameters}
    for one in (*arrays, *arm.scratch.get(shape.name, [])):
        at += GUARD_BYTES
        made = Field(one.name, roles.get(one.name, "scratch"), one.dtype, tuple(one.extent), at)
        fields.append(made)
        at += _rounded(made.size)
    return Layout(tuple(fields), at + GUARD_BYTES, places)


def _rounded(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED
