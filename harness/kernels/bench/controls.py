"""Whether a task can tell right from wrong: negative controls must fail and every input must matter (INPUT_WRONG)."""

import numpy as np
from numpy.typing import NDArray

from harness.kernels.bench.arena import POISONS
from harness.kernels.bench.closeness import compare
from harness.kernels.bench.drawing import SECOND, Arrays, Drawn, Source, alter
from harness.kernels.bench.plan import Plan, Sizes

Array = NDArray[np.generic]


def right(plan: Plan, outputs: Arrays, expected: Arrays) -> bool:
    """Whether every output is within the tolerance."""
    return all(compare(outputs[name], expected[name]).within(plan.norm, plan.worst) for name in expected)


def task_fault(plan: Plan, shape: Sizes, source: Source, first: Drawn, second: Drawn) -> str | None:
    """One sentence why nothing can be judged at this shape, or none. Raises TaskWrong from the task's own files."""
    types = {one.name: np.dtype(one.dtype) for one in plan.parameters}
    with np.errstate(over="ignore", invalid="ignore"):
        perfect = {name: array.astype(types[name]) for name, array in first.expected.items()}
    for name, array in first.expected.items():
        if not np.isfinite(array).any():
            return f"the reference of {name!r} at shape {shape.name!r} has no finite element"
        if not np.any(array):
            return f"the reference of {name!r} at shape {shape.name!r} is all zeros, so doing nothing would be right"
    if not right(plan, perfect, first.expected):
        return f"at shape {shape.name!r} even the reference, rounded to the output's type, is outside the tolerance"
    for control, outputs in negative_controls(perfect, first, second, types).items():
        if right(plan, outputs, first.expected):
            return f"at shape {shape.name!r} {control} would pass as right, so the tolerance tells nothing apart"
    return _insensitive(plan, shape, source, first)


def negative_controls(
    perfect: Arrays, first: Drawn, second: Drawn, types: dict[str, np.dtype[np.generic]]
) -> dict[str, Arrays]:
    """Outputs that must fail, by what they are; the other outputs of a control that is about one are perfect."""
    controls: dict[str, Arrays] = {}
    for name, array in perfect.items():
        other = {key: value for key, value in perfect.items() if key != name}
        controls[f"{name!r} as zeros"] = {**other, name: np.zeros_like(array)}
        for poison in POISONS:
            blank = np.full(array.nbytes, poison, dtype=np.uint8).view(types[name]).reshape(array.shape)
            controls[f"{name!r} as it was before"] = {**other, name: blank}
        controls[f"the output of other inputs in {name!r}"] = {**other, name: second.expected[name].astype(types[name])}
        for given, copied in first.inputs.items():
            controls[f"a copy of input {given!r} in {name!r}"] = {**other, name: _poured(copied, array)}
        flipped = array.copy()
        alter(flipped, _typical(first.expected[name].astype(np.float64)))
        controls[f"{name!r} with one wrong element"] = {**other, name: flipped}
    return controls


def _insensitive(plan: Plan, shape: Sizes, source: Source, first: Drawn) -> str | None:
    strange = source.inputs(shape, SECOND)
    for name in first.inputs:
        mixed = source.expected(shape, {**first.inputs, name: strange[name]})
        if right(plan, mixed, first.expected):
            return f"the reference at shape {shape.name!r} does not react to input {name!r}; an arm could ignore it"
    return None


def _poured(copied: Array, like: Array) -> Array:
    """An input's bytes, repeated or cut to an output's size."""
    flat = copied.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.resize(flat, like.shape).astype(like.dtype)


def _typical(expected: NDArray[np.float64]) -> int:
    """An element that is at least as large as the root mean square."""
    flat = np.where(np.isfinite(expected), np.abs(expected), 0.0).reshape(-1)
    return int(np.argmax(flat >= np.sqrt(np.mean(np.square(flat)))))
