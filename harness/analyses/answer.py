"""What an analysis says: facts with units, cautions in sentences, and a chart; or why its inputs carry no number."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """One figure."""

    name: str
    value: float
    unit: str  # empty for a plain ratio
    digits: int = 4  # significant digits that are shown

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"{self.name!r} is {self.value}: an analysis says NoNumber instead")

    @property
    def shown(self) -> str:
        """The figure with its unit, as a person reads it."""
        plain = f"{self.value:.{self.digits}g}"
        if "e" in plain or (abs(self.value) >= 1000 and float(self.value).is_integer()):
            plain = f"{self.value:,.0f}" if abs(self.value) >= 1 else plain
        return f"{plain} {self.unit}".rstrip()


@dataclass(frozen=True)
class Line:
    """One line or one cloud of points of a chart."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    joined: bool = True  # false: points only


@dataclass(frozen=True)
class Chart:
    """What an analysis draws."""

    title: str
    x_words: str
    y_words: str
    lines: tuple[Line, ...]
    logarithmic: bool = False  # both axes; every value must then be above 0


@dataclass(frozen=True)
class Answer:
    """Figures that the inputs carry."""

    facts: tuple[Fact, ...]
    cautions: tuple[str, ...] = ()
    chart: Chart | None = None

    def value(self, name: str) -> float:
        """The figure of that name. Raises KeyError with the names there are."""
        for fact in self.facts:
            if fact.name == name:
                return fact.value
        raise KeyError(f"{name!r} is not among {[fact.name for fact in self.facts]}")


@dataclass(frozen=True)
class NoNumber:
    """The inputs carry no number; the sentence says why, and what would be needed."""

    sentence: str


Result = Answer | NoNumber
