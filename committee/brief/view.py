"""Pure: from fused hypotheses to the plain lines that both templates show, so that they cannot say different things."""

from collections import defaultdict
from dataclasses import dataclass

from committee.brief.content import BriefInput
from committee.fuse.fused import AUTHOR, Contradiction, Group, by_source
from harness.vocabulary.arm import Arm, Witness, text
from ledger.entries import Citation, Hypothesis, Prediction

WAYS = {"up": "rises", "down": "falls", "same": "stays"}


@dataclass(frozen=True)
class HypothesisView:
    """One hypothesis in words."""

    source: str  # reviewer and number
    label: str
    mechanism: str
    predicted: str
    falsifier: str
    citations: tuple[tuple[str, str, str], ...]  # place, quote, and what is wrong with them
    unsupported: bool
    written_arm: str  # the arm's own words where it cannot be run, else empty
    not_runnable: str


@dataclass(frozen=True)
class GroupView:
    """One arm to measure and everything said about it."""

    name: str
    title: str
    fingerprint: str
    settings: tuple[str, ...]
    witness: tuple[str, ...]
    named_by: tuple[str, ...]
    other_names: tuple[str, ...]
    hypotheses: tuple[HypothesisView, ...]


@dataclass(frozen=True)
class ContradictionView:
    """Opposed predictions and the arm that separates them."""

    metric: str
    load: int
    arm: str
    predictions: tuple[tuple[str, str], ...]  # source and prediction


class View:
    """Everything that a template shows, by name."""

    def __init__(self, given: BriefInput) -> None:
        self.labels = {one.reviewer: one.label for one in given.took_part}
        self.sources = _sources(given.fused.hypotheses)
        self.groups = tuple(self._group(group) for group in given.fused.groups)
        self.contradictions = tuple(self._contradiction(found) for found in given.fused.contradictions)
        self.not_runnable = tuple(self._hypothesis(told) for told in given.fused.not_runnable)
        self.without_arm = tuple(self._hypothesis(told) for told in given.fused.without_arm)

    def _group(self, group: Group) -> GroupView:
        return GroupView(
            name=group.arm.name,
            title=group.arm.title,
            fingerprint=group.fingerprint,
            settings=_settings(group.arm),
            witness=tuple(_witness(witness) for witness in group.arm.witness),
            named_by=tuple(
                sorted(AUTHOR if origin == AUTHOR else self.sources.get(origin, origin) for origin in group.origins)
            ),
            other_names=tuple(name for name in group.names if name != group.arm.name),
            hypotheses=tuple(self._hypothesis(told) for told in group.hypotheses),
        )

    def _hypothesis(self, told: Hypothesis) -> HypothesisView:
        reason = told.not_runnable or ("its arm cannot be read" if told.arm and not told.arm_fingerprint else "")
        return HypothesisView(
            source=self.sources[told.hypothesis],
            label=self.labels.get(told.reviewer, ""),
            mechanism=told.mechanism,
            predicted=_predicted(told.prediction),
            falsifier=told.falsifier,
            citations=tuple(_cited(cited, told) for cited in told.citations),
            unsupported=told.unsupported,
            written_arm=_written(told.arm) if reason and told.arm else "",
            not_runnable=reason,
        )

    def _contradiction(self, found: Contradiction) -> ContradictionView:
        told = tuple((self.sources[one.hypothesis], _predicted(one.prediction)) for one in found.hypotheses)
        return ContradictionView(found.metric, found.load, found.arm_name, told)


def _sources(hypotheses: tuple[Hypothesis, ...]) -> dict[str, str]:
    """Reviewer and number instead of the id: a run's id in the brief would change its bytes from run to run."""
    counts: dict[str, int] = defaultdict(int)
    named: dict[str, str] = {}
    for told in sorted(hypotheses, key=by_source):
        counts[told.reviewer] += 1
        named[told.hypothesis] = f"{told.reviewer} #{counts[told.reviewer]}"
    return named


def _cited(cited: Citation, told: Hypothesis) -> tuple[str, str, str]:
    """Where the quote really stands; it is said where the reviewer put it elsewhere or invented it."""
    if cited.found_line is None:  # of a record made before quotes were checked, nothing is said
        wrong = "this quote stands nowhere in the file" if told.unsupported else ""
        return f"{cited.file}:{cited.line}", cited.quote, wrong
    moved = "" if cited.found_line == cited.line else f"the reviewer said line {cited.line}"
    return f"{cited.file}:{cited.found_line}", cited.quote, moved


def _predicted(said: Prediction) -> str:
    interval = f"{said.low_pct:+g} % to {said.high_pct:+g} %"
    return f"{said.metric} at load {said.load} {WAYS[said.direction]}, {interval}"


def _settings(arm: Arm) -> tuple[str, ...]:
    flags = [f"{key} = {text(value)}" for key, value in sorted(arm.flags.items())]
    return (*flags, *(f"env {key} = {value}" for key, value in sorted(arm.env.items())), *arm.file_words)


def _witness(witness: Witness) -> str:
    if witness.source == "log":
        return f"log matches {witness.pattern}"
    return f"{witness.source} {witness.path} = {text(witness.equals if witness.equals is not None else '')}"


def _written(arm: dict[str, object]) -> str:
    shown = [f"{key}: {arm[key]}" for key in ("name", "flags", "env") if arm.get(key)]
    return "; ".join(shown) or "an empty arm"
