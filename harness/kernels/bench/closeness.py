"""Pure: how near an output is to its reference, as a norm ratio and as the worst element with its place.

NaN and Inf are compared as masks, and every bound is asked as `error <= bound`, never as `error > bound`: no NaN
passes (lesson M4).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Closeness:
    """One output against its reference."""

    finite_alike: bool  # NaN, +Inf and -Inf stand at the same places
    norm: float  # ||output - reference|| / ||reference|| over finite elements
    worst: float  # largest |output - reference| in units of the reference's root mean square
    place: tuple[int, ...]  # where the worst element, or the first that differs in being finite, is
    got: float
    expected: float

    def within(self, norm: float, worst: float) -> bool:
        """Whether it is near enough."""
        return self.finite_alike and self.norm <= norm and self.worst <= worst  # false where either is NaN

    def sentence(self, name: str) -> str:
        """One clause for a table."""
        index = ", ".join(str(part) for part in self.place)
        seen = f"{name}[{index}] is {self.got:.6g}, the reference says {self.expected:.6g}"
        if not self.finite_alike:
            return seen
        return f"{seen}; norm ratio {self.norm:.3g}, worst element {self.worst:.3g}"


def compare(output: NDArray[np.generic], reference: NDArray[np.generic]) -> Closeness:
    """Compare an output with its reference of the same shape. Raises ValueError for another shape."""
    if output.shape != reference.shape:
        raise ValueError(f"an output of shape {output.shape} cannot be compared with a reference of {reference.shape}")
    got, expected = output.astype(np.float64), np.asarray(reference, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        error = np.subtract(got, expected)
    squares = (_squares(error), _squares(expected))
    if np.isfinite(squares).all():  # nearly always: then every element is finite, and no mask is needed
        np.abs(error, out=error)
        return _near(error, (*squares, expected.size), got, expected)
    finite = np.isfinite(expected)
    if (unlike := _kinds(got) != _kinds(expected)).any():
        place = _place(int(np.argmax(unlike)), got.shape)
        return Closeness(False, np.inf, np.inf, place, float(got[place]), float(expected[place]))
    error = np.where(finite, np.abs(np.where(finite, got, 0.0) - np.where(finite, expected, 0.0)), 0.0)
    sums = (_squares(error), _squares(expected[finite]), int(np.count_nonzero(finite)))
    return _near(error, sums, got, expected)


def _squares(values: Float) -> float:
    """Their sum: not finite where an element is not, or where it is too large for a float."""
    flat = values.reshape(-1)
    return float(np.dot(flat, flat))


def _near(error: Float, sums: tuple[float, float, int], got: Float, expected: Float) -> Closeness:
    """From errors, and the sums of squares of errors and of the finite reference and its count, to the two measures."""
    size, length = float(np.sqrt(sums[0])), float(np.sqrt(sums[1]))
    place = _place(int(np.argmax(error)), got.shape)
    scale = length / float(np.sqrt(max(1, sums[2])))
    norm = size / length if length > 0 else (0.0 if size == 0 else np.inf)
    worst = float(error[place]) / scale if scale > 0 else (0.0 if size == 0 else np.inf)
    return Closeness(True, float(norm), float(worst), place, float(got[place]), float(expected[place]))


def _kinds(values: Float) -> NDArray[np.int8]:
    """0 finite, 1 NaN, 2 +Inf, 3 -Inf."""
    kinds = np.zeros(values.shape, dtype=np.int8)
    kinds[np.isnan(values)] = 1
    kinds[np.isposinf(values)] = 2
    kinds[np.isneginf(values)] = 3
    return kinds


def _place(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(part) for part in np.unravel_index(flat, shape))
