"""What is asked of a run with looks, and where an arm stopped: the values that the replay of its record is made of."""

from collections.abc import Mapping
from dataclasses import dataclass

from harness.verdicts.cells import Key, Layout
from harness.verdicts.looks import Rule
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.metrics import lower_is_better
from harness.vocabulary.outcome import Speed
from harness.vocabulary.sequential import Because
from ledger.entries import Launch, MeasuringRun


@dataclass(frozen=True)
class Stop:
    """Where an arm stopped, and what its numbers are compared with."""

    look: int | None  # from 1; none for an arm that was not confirmed
    blocks: tuple[int, ...]  # blocks whose launches count for it
    together: tuple[str, ...]  # arms whose launches are in the same fit
    nominal: float  # level of the t quantile of its bounds
    level: float  # level that the bounds are stated at
    speed: Speed
    because: Because | None = None  # none unless AMBIGUOUS

    @property
    def words(self) -> str:
        """The speed, and why it is none."""
        return f"{self.speed} ({self.because})" if self.because else str(self.speed)


@dataclass(frozen=True)
class Asked:
    """What does not change while a run is replayed."""

    run: MeasuringRun
    criteria: Criteria
    arms: Mapping[str, Arm]  # by fingerprint
    cells: Layout
    launches: tuple[Launch, ...]  # broken attempts too

    @property
    def key(self) -> Key:
        """The primary metric and its load."""
        return self.criteria.primary.name, self.criteria.primary.load

    @property
    def rule(self) -> Rule:
        """What decides at every look."""
        primary, looks = self.criteria.primary, self.criteria.looks
        planned_pct = looks.planned_effect_pct if looks else None
        return Rule(primary.smallest_effect_pct, planned_pct, lower_is_better(primary.name))

    @property
    def counted(self) -> tuple[str, ...]:
        """The arms that share the run's level: all that are no planted controls."""
        return tuple(arm for arm in self.run.arms if self.kind(arm) is None)

    def kind(self, arm: str) -> str | None:
        """The kind of planted control that an arm is, or none."""
        return self.criteria.design.kind_of(self.arms[arm].name)

    def claims(self, arm: str) -> bool:
        """Whether the run goes on for this arm alone: a no-op or a cheat has nothing to show without others."""
        return self.kind(arm) in (None, "known-bad")

    def launches_to(self, block: int) -> list[Launch]:
        """Every launch of the blocks up to this one."""
        return [launch for launch in self.launches if launch.block <= block]

    def confirmation(self, done: int) -> Layout:
        """The launches of the first `done` blocks after the screen."""
        first = self.run.screen_blocks
        return self.cells.within(range(first, first + done))

    def not_confirmed(self, because: Because) -> Stop:
        """The stop of an arm that has no launch after the screen: no bound, and nothing decided."""
        blocks = tuple(range(self.run.screen_blocks))
        level = self.criteria.level
        return Stop(None, blocks, (), self.run.looks[-1].levels[-1], level, Speed.AMBIGUOUS, because)
