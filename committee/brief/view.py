"""Pure: from fused hypotheses to the plain lines that both templates show, so that they cannot say different things."""

from collections import defaultdict
from dataclasses import dataclass

from committee.brief.ceiling import Ceiling, ceiling
from committee.brief.content import BriefInput, LeftOut
from committee.brief.words import Words
from committee.fuse.fused import AUTHOR, Contradiction, Group, by_source
from harness.vocabulary.arm import Arm, Witness, text
from ledger.entries import Citation, Hypothesis, Prediction


@dataclass(frozen=True)
class HypothesisView:
    """One hypothesis in words; what there is nothing to say about is empty."""

    source: str  # reviewer and number
    label: str
    mechanism: str
    predicted: str
    falsifier: str
    citations: tuple[tuple[str, str, str], ...]  # place, quote, and what is wrong with them
    unsupported: bool
    echo: bool  # whether it repeats the prompt's example
    written_arm: str  # the arm's own words where it cannot be run
    not_runnable: str
    ceiling: str  # the most it could win beside what it claims
    above_ceiling: bool
    refutes: str  # source of the hypothesis that it says is wrong
    refuted_by: tuple[str, ...]
    comments: str  # `only_with_comments`, `perhaps_only_with_comments` or `not_compared`
    patch: str  # which files a patch changes, and what the compiler said


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
    needs_yes: bool  # whether it is code that only reviewers named
    hypotheses: tuple[HypothesisView, ...]


@dataclass(frozen=True)
class ContradictionView:
    """Opposed predictions and the arm that separates them."""

    about: str  # metric and load
    arm: str  # empty where none is known
    predictions: tuple[tuple[str, str], ...]  # source and prediction


@dataclass(frozen=True)
class AlikeView:
    """Hypotheses proposed as one."""

    about: str
    sources: tuple[str, ...]


@dataclass(frozen=True)
class LeftOutView:
    """A reviewer left out whole, with the reason's own sentence where the recorded one is in another language."""

    reviewer: str
    reason: str
    detail: str
    comments: bool  # whether its review is complete when the comments are taken out


class View:
    """Everything that a template shows, by name."""

    def __init__(self, given: BriefInput, say: Words) -> None:
        self.say, self.given = say, given
        second = given.second_look
        self.labels = {one.reviewer: one.label for one in given.took_part}
        self.sources = _sources(given.fused.hypotheses)
        compared = given.without_comments
        silenced = compared.silenced if compared else ()
        self.sources |= {
            one: f"{source}{say.comma}{say.without_comments_source}" for one, source in _sources(silenced).items()
        }
        self.refuted = _refuted(given.fused.hypotheses)
        self.silenced = tuple(self._hypothesis(told) for told in sorted(silenced, key=by_source))
        self.groups = tuple(self._group(group) for group in given.fused.groups)
        self.contradictions = tuple(self._contradiction(found) for found in given.fused.contradictions)
        self.alike = tuple(
            AlikeView(
                self._about(one.metric, one.load), tuple(self.sources[told.hypothesis] for told in one.hypotheses)
            )
            for one in given.fused.alike
        )
        self.not_runnable = tuple(self._hypothesis(told) for told in given.fused.not_runnable)
        self.without_arm = tuple(self._hypothesis(told) for told in given.fused.without_arm)
        self.echoes = tuple(self._hypothesis(told) for told in given.fused.echoes)
        self.left_out = self._left(given.left_out)
        self.second_left_out = self._left(second.left_out) if second else ()

    def _left(self, left: tuple[LeftOut, ...]) -> tuple[LeftOutView, ...]:
        compared = self.given.without_comments
        blamed = compared.failed_by_comments if compared else frozenset()
        return tuple(
            LeftOutView(one.reviewer, one.reason, self.say.reasons.get(one.reason, one.detail), one.reviewer in blamed)
            for one in sorted(left, key=lambda one: one.reviewer)
        )

    def _group(self, group: Group) -> GroupView:
        named = (AUTHOR if origin == AUTHOR else self.sources.get(origin, origin) for origin in group.origins)
        return GroupView(
            name=group.arm.name,
            title=group.arm.title,
            fingerprint=group.fingerprint,
            settings=_settings(group.arm),
            witness=tuple(self._witness(witness) for witness in group.arm.witness),
            named_by=tuple(self.say.author if name == AUTHOR else name for name in sorted(named)),
            other_names=tuple(name for name in group.names if name != group.arm.name),
            needs_yes=group.arm.is_code and AUTHOR not in group.origins,
            hypotheses=tuple(self._hypothesis(told) for told in group.hypotheses),
        )

    def _hypothesis(self, told: Hypothesis) -> HypothesisView:
        unread = self.say.arm_unreadable if told.arm and not told.arm_fingerprint else ""
        reason, bound = told.not_runnable or unread, ceiling(told, self.given.steps)
        return HypothesisView(
            source=self.sources[told.hypothesis],
            label=self._label(told),
            mechanism=told.mechanism,
            predicted=self._predicted(told.prediction),
            falsifier=told.falsifier,
            citations=tuple(self._cited(cited, told) for cited in told.citations),
            unsupported=told.unsupported and told not in self.given.fused.echoes,
            echo=told in self.given.fused.echoes,
            written_arm=self._written(told.arm) if reason and told.arm else "",
            not_runnable=reason,
            ceiling=self._ceiling(bound) if bound else "",
            above_ceiling=bound is not None and bound.above,
            refutes=self.sources.get(told.refutes, told.refutes) if told.refutes else "",
            refuted_by=tuple(sorted(self.sources[one] for one in self.refuted[told.hypothesis])),
            comments=self._comments(told),
            patch=self._patch(told),
        )

    def _label(self, told: Hypothesis) -> str:
        label, second = self.labels.get(told.reviewer, ""), self.given.second_look
        label = self.say.labels.get(label, label)
        late = second is not None and told.run == second.run
        return f"{label}{self.say.comma}{self.say.second_look_source}" if late else label

    def _comments(self, told: Hypothesis) -> str:
        compared, second = self.given.without_comments, self.given.second_look
        if compared is None or told in compared.silenced or (second is not None and told.run == second.run):
            return ""
        if told.reviewer in compared.not_compared:
            return "not_compared"
        if told.hypothesis in compared.perhaps_reworded:
            return "perhaps_only_with_comments"
        return "only_with_comments" if told.hypothesis in compared.only_with_comments else ""

    def _patch(self, told: Hypothesis) -> str:
        if told.patch is None:
            return ""
        files = ", ".join(file.path for file in told.patch.files) or "-"
        return self.say.patched_files.format(files=files, compiled=told.patch.compiled or "-")

    def _ceiling(self, bound: Ceiling) -> str:
        most = self.say.no_bound if bound.most_pct is None else f"{bound.most_pct:.3g} %"
        return self.say.ceiling_words.format(
            most=most,
            part=bound.part,
            share=bound.share_pct,
            step=bound.step_ms,
            load=bound.load,
            claimed=bound.claimed_pct,
        )

    def _contradiction(self, found: Contradiction) -> ContradictionView:
        told = tuple((self.sources[one.hypothesis], self._predicted(one.prediction)) for one in found.hypotheses)
        return ContradictionView(self._about(found.metric, found.load), found.arm_name, told)

    def _about(self, metric: str, load: int) -> str:
        return self.say.at_load.format(metric=metric, load=load)

    def _cited(self, cited: Citation, told: Hypothesis) -> tuple[str, str, str]:
        """Where the quote really stands; it is said where the reviewer put it elsewhere or invented it."""
        if cited.found_line is None:  # of a record made before quotes were checked, nothing is said
            wrong = self.say.not_in_file if told.unsupported else ""
            return f"{cited.file}:{cited.line}", cited.quote, wrong
        moved = "" if cited.found_line == cited.line else self.say.other_line.format(line=cited.line)
        return f"{cited.file}:{cited.found_line}", cited.quote, moved

    def _predicted(self, said: Prediction) -> str:
        way = self.say.phrases[said.direction]
        return self.say.predicted_words.format(
            metric=said.metric, load=said.load, way=way, low=said.low_pct, high=said.high_pct
        )

    def _witness(self, witness: Witness) -> str:
        if witness.source == "log":
            return self.say.log_matches.format(pattern=witness.pattern)
        return f"{witness.source} {witness.path} = {text(witness.equals if witness.equals is not None else '')}"

    def _written(self, arm: dict[str, object]) -> str:
        shown = [f"{key}: {arm[key]}" for key in ("name", "flags", "env", "patch") if arm.get(key)]
        return "; ".join(shown) or self.say.empty_arm


def _sources(hypotheses: tuple[Hypothesis, ...]) -> dict[str, str]:
    """Reviewer and number instead of the id: a run's id in the brief would change its bytes from run to run."""
    counts: dict[str, int] = defaultdict(int)
    named: dict[str, str] = {}
    for told in sorted(hypotheses, key=by_source):
        counts[told.reviewer] += 1
        named[told.hypothesis] = f"{told.reviewer} #{counts[told.reviewer]}"
    return named


def _refuted(hypotheses: tuple[Hypothesis, ...]) -> dict[str, list[str]]:
    """Ids of those who say that a hypothesis is wrong."""
    found: dict[str, list[str]] = defaultdict(list)
    for told in hypotheses:
        if told.refutes:
            found[told.refutes].append(told.hypothesis)
    return found


def _settings(arm: Arm) -> tuple[str, ...]:
    flags = [f"{key} = {text(value)}" for key, value in sorted(arm.flags.items())]
    return (*flags, *(f"env {key} = {value}" for key, value in sorted(arm.env.items())), *arm.file_words)
