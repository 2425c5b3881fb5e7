"""Pure: what a person can do next about one arm. It suggests; `committee accept` checks the criteria itself."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from committee.report.outlook import NOTHING_KNOWN, Outlook, blocks_behind
from committee.report.phrases import Phrase, counted
from committee.report.words import exact, metric_words
from harness.verdicts.guards import guard_blocks, guard_holds
from harness.vocabulary.criteria import MOST_RUN_BLOCKS, Guard
from harness.workflow.going_on import asks_for_identity, blocks_in_all, new_run_launches, no_use_in_more, planted
from ledger.entries import MeasuringRun, Verdict

REMEDIES = frozenset({"NOT_ARMED", "NOT_SHOWN_ENGAGED", "INPUT_WRONG", "CONTAMINATED", "INVALID"})


@dataclass(frozen=True)
class NextStep:
    """One suggestion: words, and a command where there is one to copy."""

    words: str
    command: str | None = None


def after_verdict(
    run: MeasuringRun, verdict: Verdict, guards: Sequence[Verdict], outlook: Outlook = NOTHING_KNOWN
) -> NextStep:
    """What the newest verdict on an arm asks for."""
    if verdict.validity != "VALID" or verdict.speed is None:
        return NextStep(Phrase(f"remedy_{verdict.validity if verdict.validity in REMEDIES else 'INVALID'}"))
    if run.criteria.get("capability") and verdict.speed != "SLOWER":
        return NextStep(Phrase("next_capability"), _accept(run, verdict))
    if verdict.speed == "FASTER":
        return _after_faster(run, verdict, guards, outlook)
    if verdict.speed == "AMBIGUOUS":
        return _after_ambiguous(run, verdict, outlook)
    if verdict.speed == "SLOWER":
        return NextStep(Phrase("next_leave_off"))
    return NextStep(Phrase("next_nothing_to_gain", effect=exact(verdict.smallest_effect_pct)))


def accepts(step: NextStep, run: MeasuringRun, verdict: Verdict) -> bool:
    """Whether this step is to accept the arm."""
    return step.command is not None and step.command == _accept(run, verdict)


def by_hand(run: MeasuringRun) -> NextStep:
    """In the place of accepting an arm that is code, which `committee accept` always refuses."""
    return NextStep(Phrase("next_by_hand", target=run.target))


def not_measured(proposal: str | None, arm: str) -> NextStep:
    """For an arm that was admitted and has no verdict."""
    return NextStep(Phrase("next_measure"), measure_command(proposal, arm))


def after_void(proposal: str | None, arm: str) -> NextStep:
    """For an arm whose only runs are void or were stopped."""
    return NextStep(Phrase("next_after_void"), measure_command(proposal, arm))


def after_baseline_change(run: MeasuringRun, arm: str) -> NextStep:
    """For a number that was taken against a baseline which is no longer the target's."""
    return NextStep(Phrase("next_after_baseline_change"), _measure(run, arm))


def after_doubt(run: MeasuringRun, arm: str) -> NextStep:
    """For a number that is open again because something it rests on was struck."""
    return NextStep(Phrase("next_after_doubt"), _measure(run, arm))


def measure_command(proposal: str | None, *arms: str) -> str | None:
    """The command that measures these arms; none for arms that belong to no proposal."""
    return f"committee measure {proposal} {' '.join(f'--arm {arm}' for arm in arms)}" if proposal else None


def _measure(run: MeasuringRun, arm: str) -> str | None:
    """The same for one arm of a run; planted controls go along, because the criteria ask for them."""
    return measure_command(run.proposal, *dict.fromkeys((arm, *planted(run.criteria))))


def _after_faster(run: MeasuringRun, verdict: Verdict, guards: Sequence[Verdict], outlook: Outlook) -> NextStep:
    if asks_for_identity(run.criteria) and verdict.numerics != "IDENTICAL":
        return NextStep(Phrase("next_no_case", numerics=verdict.numerics))
    worse = [guard for guard in guards if guard.speed == "SLOWER"]
    if worse:
        return NextStep(Phrase("next_worse_guard", guard=metric_words(worse[0].metric, worse[0].load)))
    if run.proposal is None:
        return NextStep(Phrase("next_into_proposal"))
    asked = outlook.too_few(run, verdict)
    if asked is not None:
        few = Phrase("next_too_few_blocks", blocks=blocks_behind(run, verdict), asked=asked)
        return NextStep(few, _measure(run, verdict.arm_name))
    return _open_guard(run, verdict, guards, outlook) or NextStep(Phrase("next_accept"), _accept(run, verdict))


def _open_guard(run: MeasuringRun, verdict: Verdict, guards: Sequence[Verdict], outlook: Outlook) -> NextStep | None:
    """For a guard of which it is not shown that it is no worse than its margin; none where all hold.

    Of several the one that needs most: one that no number of blocks shows, else the one of the most blocks.
    """
    level = float(run.criteria["level"])
    found: list[tuple[float, NextStep]] = []
    for guard in (Guard.model_validate(one) for one in run.criteria.get("guard") or ()):
        seen = next((one for one in guards if (one.metric, one.load) == (guard.name, guard.load)), None)
        if seen is None or not guard_holds(seen, guard, level):
            total = guard_blocks(seen, guard, level) if seen else None
            found.append((total or math.inf, _show_guard(run, verdict.arm_name, guard, total, outlook)))
    return max(found, key=lambda one: one[0])[1] if found else None


def _show_guard(run: MeasuringRun, arm: str, guard: Guard, total: int | None, outlook: Outlook) -> NextStep:
    """The new run of `total` blocks that would show that the guard holds, and its price as its dry run says it."""
    named, margin = metric_words(guard.name, guard.load), exact(guard.margin_pct)
    launches = new_run_launches(run.criteria, total) if total else None
    if total is None or launches is None:
        return NextStep(Phrase("next_guard_not_shown", guard=named, margin=margin))
    minutes = outlook.run_min(run, total)
    cost = "" if minutes is None else Phrase("cost_minutes", minutes=f"{minutes:.1f}")
    said = Phrase("next_open_guard", guard=named, margin=margin, total=total, launches=launches, cost=cost)
    return _within_budget(run, arm, said, total, outlook)


def _accept(run: MeasuringRun, verdict: Verdict) -> str | None:
    return f'committee accept {run.proposal} {verdict.arm_name} --reason "..."' if run.proposal else None


def no_use(run: MeasuringRun, verdict: Verdict) -> Phrase | None:
    """Why more blocks would not help an AMBIGUOUS arm, none where they might."""
    return Phrase("next_no_use") if no_use_in_more(run.criteria, verdict) else None


def _after_ambiguous(run: MeasuringRun, verdict: Verdict, outlook: Outlook) -> NextStep:
    if useless := no_use(run, verdict):
        return NextStep(useless)
    total = blocks_in_all(verdict)
    if total is None:
        return NextStep(Phrase("next_no_number_settles", most=MOST_RUN_BLOCKS))
    minutes = outlook.run_min(run, total)
    said = Phrase(
        "next_more_blocks",
        why=Phrase(f"because_{verdict.because}") if verdict.because else "",
        more=counted("more_blocks", verdict.more_blocks or 0),
        total=total,
        cost="" if minutes is None else Phrase("cost_minutes", minutes=f"{minutes:.1f}"),
    )
    return _within_budget(run, verdict.arm_name, said, total, outlook)


def _within_budget(run: MeasuringRun, arm: str, said: Phrase, blocks: int, outlook: Outlook) -> NextStep:
    """What was said of a new run, with its command; without one where the proposal's budget does not hold it."""
    left = outlook.short_of(run, outlook.run_min(run, blocks))
    if left is not None:
        return NextStep(Phrase("next_over_budget", said=said, left=f"{left:.1f}"))
    command = _measure(run, arm)
    return NextStep(said, f"{command} --blocks {blocks}" if command else None)
