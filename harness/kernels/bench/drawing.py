"""Inputs and references of a task, drawn by its own two Python files and checked before anything is judged by them."""

import importlib.util
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from harness.kernels.bench.plan import FILES, Plan, Sizes

Arrays = dict[str, NDArray[np.generic]]
FIRST, SECOND, ALTERED = 0, 1, -1


class TaskWrong(Exception):
    """The task cannot judge anything: INPUT_WRONG, with the sentence why."""


@dataclass(frozen=True)
class Drawn:
    """One set of inputs and what must come out of them."""

    inputs: Arrays
    expected: Arrays  # float64


class Source:
    """Draws sets for one run. The seed is new for every run and recorded, so no arm can know what will come."""

    def __init__(self, pack: Path, plan: Plan, seed: int) -> None:
        """Load the task's two files. Raises TaskWrong."""
        self._plan, self._seed = plan, seed
        folder = pack / FILES
        sys.path.insert(0, str(folder))  # both may share a file that lies beside them
        self._make = _function(folder / "inputs.py", "make")
        self._reference = _function(folder / "reference.py", "reference")

    def inputs(self, shape: Sizes, index: int) -> Arrays:
        """Set number `index` of a shape. Raises TaskWrong."""
        rng = np.random.default_rng([self._seed, self._plan.shapes.index(shape), index])
        made = _called("inputs.py", self._make, dict(shape.sizes), rng)
        return self._checked("inputs.py", shape, made, "input")

    def expected(self, shape: Sizes, inputs: Arrays) -> Arrays:
        """The reference of inputs. Raises TaskWrong."""
        made = _called("reference.py", self._reference, dict(shape.sizes), {k: v.copy() for k, v in inputs.items()})
        found = self._checked("reference.py", shape, made, "output")
        return {name: array.astype(np.float64) for name, array in found.items()}

    def draw(self, shape: Sizes, index: int) -> Drawn:
        """Inputs with their reference. Raises TaskWrong."""
        inputs = self.inputs(shape, index)
        return Drawn(inputs, self.expected(shape, inputs))

    def altered(self, shape: Sizes, inputs: Arrays) -> Drawn:
        """The same inputs with one element in the middle of each changed, out of sight of a look at the ends."""
        changed = {name: array.copy() for name, array in inputs.items()}
        for array in changed.values():
            alter(array, array.size // 2)
        return Drawn(changed, self.expected(shape, changed))

    def _checked(self, file: str, shape: Sizes, made: object, role: str) -> Arrays:
        wanted = {one.name: one.dtype for one in self._plan.parameters if one.role == role}
        if not isinstance(made, dict) or set(made) != set(wanted):
            raise TaskWrong(f"{file} must return a dictionary with exactly: {', '.join(sorted(wanted))}")
        for name, array in made.items():
            if not isinstance(array, np.ndarray) or list(array.shape) != shape.extents[name]:
                seen = list(getattr(array, "shape", [])) or type(array).__name__
                raise TaskWrong(f"{file}: {name!r} is {seen} at shape {shape.name!r}, not {shape.extents[name]}")
            if role == "input" and array.dtype != np.dtype(wanted[name]):
                raise TaskWrong(f"{file}: {name!r} is {array.dtype}, but task.toml says {wanted[name]}")
        return dict(made)


def alter(array: NDArray[np.generic], flat: int) -> None:
    """Change one element by at least the root mean square, in place, to a value of about the others' size."""
    view = array.reshape(-1)
    if np.issubdtype(array.dtype, np.floating):
        scale = float(np.sqrt(np.mean(np.square(view.astype(np.float64))))) or 1.0
        value = float(view[flat])
        view[flat] = array.dtype.type(-value if abs(value) >= scale / 2 else value + math.copysign(scale, value))
    else:
        view[flat] = np.bitwise_xor(view[flat], array.dtype.type(0x55))


def _function(path: Path, name: str) -> Callable[..., object]:
    spec = importlib.util.spec_from_file_location(f"task_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise TaskWrong(f"{path.name} is missing")
    module: ModuleType = importlib.util.module_from_spec(spec)
    _called(path.name, lambda: spec.loader.exec_module(module) if spec.loader else None)
    function = getattr(module, name, None)
    if not callable(function):
        raise TaskWrong(f"{path.name} has no function {name!r}")
    return function  # type: ignore[no-any-return]


def _called(file: str, function: Callable[..., object], *values: object) -> object:
    """Somebody's own code: whatever it raises is the task's fault and becomes one sentence."""
    try:
        return function(*values)
    except Exception as error:
        raise TaskWrong(f"{file} failed: {type(error).__name__}: {error}") from error
