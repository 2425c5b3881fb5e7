"""Pure: what a run shows of its guards, in words: held, open or broken, with its bound and the margin."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from committee.report.phrases import Phrase
from committee.report.runs import RunView
from committee.report.words import exact, metric_words, number, percent
from harness.verdicts.guards import Guarded, guarded, worst_pct
from harness.vocabulary.criteria import Guard
from ledger.entries import Verdict

WORDS = MappingProxyType({Guarded.HELD: "guard_held", Guarded.OPEN: "guard_open", Guarded.BROKEN: "guard_broken"})


def guard_words(view: RunView, arm: str) -> tuple[Phrase, ...]:
    """One sentence for each guard about one arm of a run."""
    return said_of_guards(view.begun.payload.criteria, [item.payload for item in view.guards(arm)])


def said_of_guards(criteria: Mapping[str, Any], verdicts: Sequence[Verdict]) -> tuple[Phrase, ...]:
    """One sentence for each guard of the criteria, in their order; the bound is the one that acceptance asks for."""
    seen = {(one.metric, one.load): one for one in verdicts}
    guards = [Guard.model_validate(one) for one in criteria.get("guard") or ()]
    return tuple(_said(guard, seen.get((guard.name, guard.load)), criteria) for guard in guards)


def _said(guard: Guard, verdict: Verdict | None, criteria: Mapping[str, Any]) -> Phrase:
    level = float(criteria["level"])
    worst = worst_pct(verdict, guard, level) if verdict else None
    named, margin = metric_words(guard.name, guard.load), exact(guard.margin_pct)
    if verdict is None or verdict.interval is None or worst is None:
        return Phrase("guard_without_number", guard=named, margin=margin)
    word, change = Phrase(WORDS[guarded(verdict, guard, level)]), percent(verdict.interval.estimate_pct)
    bound = Phrase("worse_by" if worst >= 0 else "better_by", change=number(abs(worst)))
    return Phrase("guard_seen", guard=named, change=change, word=word, bound=bound, margin=margin)
