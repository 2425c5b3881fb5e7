"""What fusing gives: values that keep every statement and its source. Nothing here ranks."""

from dataclasses import dataclass

from harness.vocabulary.arm import Arm
from ledger.entries import Hypothesis

AUTHOR = "author"  # the origin of an arm that came with the proposal


@dataclass(frozen=True)
class Group:
    """Every hypothesis, and the author's own arm, that asks for one and the same change."""

    fingerprint: str
    arm: Arm  # the definition that is measured: the author's, else the first by witness, name and text
    names: tuple[str, ...]  # every name it was given, sorted
    origins: tuple[str, ...]  # `author` and ids of hypotheses, sorted
    hypotheses: tuple[Hypothesis, ...]


@dataclass(frozen=True)
class Contradiction:
    """Opposed predictions about one change, one metric and one load; measuring the arm separates them."""

    fingerprint: str  # empty where no arm is known that separates them
    arm_name: str
    metric: str
    load: int
    hypotheses: tuple[Hypothesis, ...]  # everyone who predicts this metric at this load for this arm


@dataclass(frozen=True)
class Alike:
    """Hypotheses of different arms, or of none, whose words are nearly the same: proposed as one, each text kept."""

    metric: str
    load: int
    hypotheses: tuple[Hypothesis, ...]  # at least two, sorted by source


@dataclass(frozen=True)
class Fused:
    """The fused whole. Groups are sorted by the arm's name and fingerprint: the order says nothing about merit."""

    groups: tuple[Group, ...]
    not_runnable: tuple[Hypothesis, ...]
    without_arm: tuple[Hypothesis, ...]
    contradictions: tuple[Contradiction, ...]
    alike: tuple[Alike, ...] = ()
    echoes: tuple[Hypothesis, ...] = ()  # repeat the prompt's example: shown, neither compared nor measured

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """Every hypothesis that was fused, each once: fusing loses nothing and can be undone."""
        grouped = [hypothesis for group in self.groups for hypothesis in group.hypotheses]
        return tuple(sorted((*grouped, *self.not_runnable, *self.without_arm, *self.echoes), key=by_source))

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms to measure, each change once."""
        return tuple(group.arm for group in self.groups)

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Fingerprints of the arms to measure, sorted."""
        return tuple(sorted(group.fingerprint for group in self.groups))


def by_source(hypothesis: Hypothesis) -> tuple[str, int, str]:
    """Sorting by reviewer and number: ids of one reviewer differ in their number only, so the shorter comes first."""
    return hypothesis.reviewer, len(hypothesis.hypothesis), hypothesis.hypothesis
