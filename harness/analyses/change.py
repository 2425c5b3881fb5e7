"""What changed, by how much, and whether identical arms differ by as much; and sums held against their parts.

A change is 100 (after / before - 1) percent. The range of identical arms is (largest - smallest) / mean: what nobody
changed and what came out differently all the same (lessons A2, M12, M15). Nothing here is a verdict.
"""

from typing import Self

from pydantic import Field, model_validator

from harness.analyses.answer import Answer, Chart, Fact, Line, NoNumber, Result
from harness.analyses.limits import adds_up
from harness.vocabulary.base import Value

LEAST, MOST = 1e-12, 1e15


class Change(Value):
    """One figure before and after."""

    name: str = Field(min_length=1, description="what was measured")
    before: float = Field(ge=LEAST, le=MOST, description="the figure before, in any unit")
    after: float = Field(ge=LEAST, le=MOST, description="the figure after, in the same unit")


class Identical(Value):
    """The same thing measured several times."""

    name: str = Field(min_length=1, description="what was measured")
    figures: tuple[float, ...] = Field(min_length=2, max_length=1000, description="one a launch, in one unit")
    for_changes: tuple[str, ...] = Field(default=(), description="names of the changes it is held against; none: all")

    @model_validator(mode="after")
    def _positive(self) -> Self:
        if not all(LEAST <= figure <= MOST for figure in self.figures):
            raise ValueError(f"figures must lie between {LEAST:g} and {MOST:g}")
        return self

    @property
    def range_pct(self) -> float:
        """Largest less smallest over the mean, percent."""
        return 100 * (max(self.figures) - min(self.figures)) / (sum(self.figures) / len(self.figures))


class Sum(Value):
    """A figure that is said to be made of parts."""

    name: str = Field(min_length=1, description="the whole")
    parts: tuple[float, ...] = Field(min_length=2, max_length=1000, description="its parts, in one unit")
    stated: float = Field(ge=LEAST, le=MOST, description="the whole as it is stated, in the same unit")
    rounding: float = Field(
        default=0.0,
        ge=0,
        le=MOST,
        description="unit of the last digit of parts and whole, where zeros at their ends do not show it",
    )

    @model_validator(mode="after")
    def _finite(self) -> Self:
        if not all(-MOST <= part <= MOST for part in self.parts):
            raise ValueError(f"parts must lie between {-MOST:g} and {MOST:g}")
        return self


class Changes(Value):
    """Changes, repeats of one thing, and sums."""

    changes: tuple[Change, ...] = Field(default=(), description="figures before and after")
    identical: tuple[Identical, ...] = Field(default=(), description="identical arms")
    sums: tuple[Sum, ...] = Field(default=(), description="wholes and their parts")

    @model_validator(mode="after")
    def _known(self) -> Self:
        names = [one.name for one in self.changes]
        if len(set(names)) < len(names):
            raise ValueError("two changes have one name")
        unknown = {name for one in self.identical for name in one.for_changes} - set(names)
        if unknown:
            raise ValueError(f"for_changes names {', '.join(sorted(unknown))}, which is no change here")
        return self


def analyse(asked: Changes) -> Result:
    """Percent and ratio of each change, ranges of identical arms, sums of parts; and what lies inside a range."""
    facts: list[Fact] = []
    for one in asked.changes:
        ratio = one.after / one.before
        facts += [Fact(f"change, {one.name}", 100 * (ratio - 1), "%", 3), Fact(f"ratio, {one.name}", ratio, "times", 3)]
    facts += [Fact(f"range of identical arms, {one.name}", one.range_pct, "%", 2) for one in asked.identical]
    facts += [Fact(f"sum of parts, {one.name}", sum(one.parts), "") for one in asked.sums]
    if not facts:
        return NoNumber("neither a change, identical arms nor a sum is given; `--example` shows all three")
    return Answer(tuple(facts), (*_said(asked), *_sums(asked.sums)), _chart(asked))


def _said(asked: Changes) -> list[str]:
    """Each change beside the range of identical arms that it is held against."""
    said = []
    for one in asked.changes:
        moved = abs(100 * (one.after / one.before - 1))
        ranges = [same.range_pct for same in asked.identical if not same.for_changes or one.name in same.for_changes]
        if not ranges:
            said.append(f"{one.name}: without identical arms nothing says how much of this nobody changed")
        elif moved <= max(ranges):
            said.append(f"{one.name}: inside the range of identical arms ({max(ranges):.2g} %), so it shows nothing")
    return said


def _sums(sums: tuple[Sum, ...]) -> list[str]:
    """Wholes that their parts do not add up to, beyond the rounding of all of them."""
    return [
        f"{one.name}: the parts add up to {sum(one.parts):.4g} and the whole is stated as {one.stated:.4g}"
        for one in sums
        if not adds_up(one.parts, one.stated, one.rounding)
    ]


def _chart(asked: Changes) -> Chart | None:
    if not asked.changes:
        return None
    places = tuple(float(place) for place in range(1, len(asked.changes) + 1))
    moved = tuple(100 * (one.after / one.before - 1) for one in asked.changes)
    ends = (places[0], max(places[-1], 2.0))
    lines = [Line("changes, in their order", places, moved, joined=False)]
    if asked.identical:
        largest = max(one.range_pct for one in asked.identical)
        lines.append(Line("range of identical arms", ends, (largest, largest)))
    return Chart("Changes beside what nobody changed", "change", "percent", tuple(lines))
