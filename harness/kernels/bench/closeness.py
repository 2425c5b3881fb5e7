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
    got, expected = output.astype(np.float64), reference.astype(np.float64)
    finite = np.isfinite(expected)
    whole = bool(finite.all()) and bool(np.isfinite(got).all())  # nearly always, and then masks need no array
    if not whole and (unlike := _kinds(got) != _kinds(expected)).any():
        place = _place(int(np.argmax(unlike)), got.shape)
        return Closeness(False, np.inf, np.inf, place, float(got[place]), float(expected[place]))
    if whole:
        error = np.abs(got - expected)
    else:
        error = np.where(finite, np.abs(np.where(finite, got, 0.0) - np.where(finite, expected, 0.0)), 0.0)
    scale = float(np.sqrt(np.mean(np.square(expected if whole else expected[finite])))) if finite.any() else 0.0
    place = _place(int(np.argmax(error)), got.shape)
    largest, size = float(error[place]), float(np.sqrt(np.square(error).sum()))
    norm = size / (scale * np.sqrt(finite.sum())) if scale > 0 else (0.0 if size == 0 else np.inf)
    worst = largest / scale if scale > 0 else (0.0 if largest == 0 else np.inf)
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
