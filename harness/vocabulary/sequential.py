"""The optional tables of criteria that make a run sequential: interim looks, a screen, planted controls, a budget."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from harness.vocabulary.base import Value

NAME = r"^[a-z0-9][a-z0-9-]{0,47}$"  # an arm's name


class Because(StrEnum):
    """Why a run with looks ended AMBIGUOUS for an arm. The list is closed."""

    FUTILITY = "futility"  # the planned gain is shown to be out of reach; never the same as SAME
    BUDGET = "budget"  # the server minutes were used up
    SCREEN = "screen"  # others came out of the screen better; it was not confirmed
    BLOCKS = "blocks"  # every planned block was used


class Looks(Value):
    """Interim looks at blocks fixed beforehand. `blocks` of the criteria is then the most that is measured."""

    count: int = Field(default=5, ge=2, le=10, description="number of looks, the last one included")
    planned_effect_pct: float = Field(
        gt=0, le=500, description="gain the plan is made to see; an arm shown to be below it is given up"
    )


class Screen(Value):
    """A cheap pass over all arms before the confirmation. It chooses what is confirmed and decides nothing."""

    passes: int = Field(default=1, ge=1, le=5, description="launches of each arm in the screen")
    keep: int = Field(ge=1, le=64, description="most arms that go on to the confirmation")


class PlantedControl(Value):
    """An arm whose verdict is known beforehand. If it comes out otherwise, the whole run is void."""

    arm: str = Field(pattern=NAME, description="name of the arm in the order")
    kind: Literal["no-op", "known-bad", "cheat"] = Field(
        description="no-op: neither FASTER nor SLOWER; known-bad: SLOWER or refused; cheat: no number may exist"
    )


class Budget(Value):
    """A limit that the plan may not exceed, and that ends the run at the border of a block."""

    server_minutes: float = Field(gt=0, description="minutes without production, every launch included")


class Design(Value):
    """All of these tables together. Nothing set is the fixed number of blocks."""

    looks: Looks | None = Field(default=None, description="interim looks")
    screen: Screen | None = Field(default=None, description="a screen before the confirmation")
    controls: tuple[PlantedControl, ...] = Field(default=(), max_length=8, description="planted controls")
    budget: Budget | None = Field(default=None, description="limit of server minutes")

    def unfit_for(self, blocks: int, smallest_effect_pct: float, capability: bool) -> str | None:
        """Why these criteria cannot have this design, as a sentence, or none."""
        names = [control.arm for control in self.controls]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            return f"control {twice[0]!r} is planted twice; keep one"
        if capability and (self.looks or self.screen):
            return "looks and a screen decide by speed, which a capability does not ask for; take the tables out"
        if self.looks is not None and self.looks.count > blocks - 1:
            return f"{self.looks.count} looks need at least {self.looks.count + 1} blocks, not {blocks}"
        if self.looks is not None and self.looks.planned_effect_pct < smallest_effect_pct:
            return (
                f"the planned effect of {self.looks.planned_effect_pct:g} % lies below the smallest that matters "
                f"({smallest_effect_pct:g} %); raise it"
            )
        return None

    @property
    def is_fixed(self) -> bool:
        """Whether nothing but the number of blocks ends the run."""
        return self == Design()

    def kind_of(self, name: str) -> str | None:
        """The kind of planted control that an arm of this name is, or none."""
        return next((control.kind for control in self.controls if control.arm == name), None)
