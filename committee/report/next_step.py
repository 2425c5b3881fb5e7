"""Pure: what a person can do next about one arm. It suggests; `committee accept` checks the criteria itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.words import exact, metric_words, plural
from harness.workflow.going_on import asks_for_identity, blocks_in_all, no_use_in_more, planted
from ledger.entries import MeasuringRun, Verdict

REMEDIES = {
    "NOT_ARMED": "what runs is not what was asked: correct the arm's flags, then measure again",
    "NOT_SHOWN_ENGAGED": "give the arm a witness of its effect, then measure again",
    "INPUT_WRONG": "the control failed too: correct the input, then measure again",
    "CONTAMINATED": "somebody else used the server: measure again when it is quiet",
    "INVALID": "read the engine's words, correct or drop the arm",
}


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
        return NextStep(REMEDIES.get(verdict.validity, REMEDIES["INVALID"]))
    if run.criteria.get("capability") and verdict.speed != "SLOWER":
        return NextStep("the criteria ask for a capability: accept it if it was gained", _accept(run, verdict))
    if verdict.speed == "FASTER":
        return _after_faster(run, verdict, guards)
    if verdict.speed == "AMBIGUOUS":
        return _after_ambiguous(run, verdict, outlook)
    if verdict.speed == "SLOWER":
        return NextStep("leave it off at this load")
    return NextStep(f"nothing to gain above {exact(verdict.smallest_effect_pct)} % at this load: leave it off")


def not_measured(proposal: str | None, arm: str) -> NextStep:
    """For an arm that was admitted and has no verdict."""
    return NextStep("measure it", measure_command(proposal, arm))


def after_void(proposal: str | None, arm: str) -> NextStep:
    """For an arm whose only runs are void or were stopped."""
    return NextStep("the run supports no verdict: find out why, then measure again", measure_command(proposal, arm))


def after_baseline_change(run: MeasuringRun, arm: str) -> NextStep:
    """For a number that was taken against a baseline which is no longer the target's."""
    return NextStep("measured against an older baseline: measure again to decide", _measure(run, arm))


def measure_command(proposal: str | None, *arms: str) -> str | None:
    """The command that measures these arms; none for arms that belong to no proposal."""
    return f"committee measure {proposal} {' '.join(f'--arm {arm}' for arm in arms)}" if proposal else None


def _measure(run: MeasuringRun, arm: str) -> str | None:
    """The same for one arm of a run; planted controls go along, because the criteria ask for them."""
    return measure_command(run.proposal, *dict.fromkeys((arm, *planted(run.criteria))))


def _after_faster(run: MeasuringRun, verdict: Verdict, guards: Sequence[Verdict]) -> NextStep:
    if asks_for_identity(run.criteria) and verdict.numerics != "IDENTICAL":
        return NextStep(f"faster, but its text is {verdict.numerics} and the criteria ask for identical text: no case")
    worse = [guard for guard in guards if guard.speed == "SLOWER"]
    if worse:
        where = metric_words(worse[0].metric, worse[0].load)
        return NextStep(f"faster, but worse on a guard ({where}): look at it first")
    if run.proposal is None:
        return NextStep("put it into a proposal to accept it")
    return NextStep("accept it", _accept(run, verdict))


def _accept(run: MeasuringRun, verdict: Verdict) -> str | None:
    return f'committee accept {run.proposal} {verdict.arm_name} --reason "..."' if run.proposal else None


def _after_ambiguous(run: MeasuringRun, verdict: Verdict, outlook: Outlook) -> NextStep:
    if useless := no_use_in_more(run.criteria, verdict):
        return NextStep(useless)
    total = blocks_in_all(verdict)
    if total is None:
        return NextStep("undecided, and no number of blocks is known to settle it: look at the spread of launches")
    minutes = outlook.run_min(run, total)
    cost = "" if minutes is None else f", about {minutes:.1f} server minutes"
    why = f" ({verdict.because})" if verdict.because else ""
    more = plural(verdict.more_blocks or 0, "more block")
    said = f"undecided{why}: {more} would settle it; blocks are fixed beforehand, so in a new run of {total}{cost}"
    left = outlook.short_of(run, minutes)
    if left is not None:
        return NextStep(f"{said}, but {left:.1f} are left of the proposal's budget: raise it, or leave it undecided")
    command = _measure(run, verdict.arm_name)
    return NextStep(said, f"{command} --blocks {total}" if command else None)
