"""Pure: what a person can do next about one arm. It suggests; `committee accept` checks the criteria itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from committee.report.words import exact, metric_words, plural
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


def after_verdict(run: MeasuringRun, verdict: Verdict, guards: Sequence[Verdict]) -> NextStep:
    """What the newest verdict on an arm asks for."""
    if verdict.validity != "VALID" or verdict.speed is None:
        return NextStep(REMEDIES.get(verdict.validity, REMEDIES["INVALID"]))
    if run.criteria.get("capability") and verdict.speed != "SLOWER":
        return NextStep("the criteria ask for a capability: accept it if it was gained", _accept(run, verdict))
    if verdict.speed == "FASTER":
        return _after_faster(run, verdict, guards)
    if verdict.speed == "AMBIGUOUS":
        return _after_ambiguous(run, verdict)
    if verdict.speed == "SLOWER":
        return NextStep("leave it off at this load")
    return NextStep(f"nothing to gain above {exact(verdict.smallest_effect_pct)} % at this load: leave it off")


def not_measured(proposal: str | None, arm: str) -> NextStep:
    """For an arm that was admitted and has no verdict."""
    return NextStep("measure it", measure_command(proposal, arm))


def after_void(proposal: str | None, arm: str) -> NextStep:
    """For an arm whose only runs are void or were stopped."""
    return NextStep("the run supports no verdict: find out why, then measure again", measure_command(proposal, arm))


def after_baseline_change(proposal: str | None, arm: str) -> NextStep:
    """For a number that was taken against a baseline which is no longer production."""
    return NextStep("measured against an older baseline: measure again to decide", measure_command(proposal, arm))


def measure_command(proposal: str | None, arm: str) -> str | None:
    """The command that measures one arm; none for arms that belong to no proposal."""
    return f"committee measure {proposal} --arm {arm}" if proposal else None


def _after_faster(run: MeasuringRun, verdict: Verdict, guards: Sequence[Verdict]) -> NextStep:
    if _asks_for_identity(run) and verdict.numerics != "IDENTICAL":
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


def _after_ambiguous(run: MeasuringRun, verdict: Verdict) -> NextStep:
    if _asks_for_identity(run) and verdict.numerics == "CHANGED":
        return NextStep("its text CHANGED and the criteria ask for identical text: more blocks would not help")
    if verdict.more_blocks is None:
        return NextStep("undecided, and no number of blocks is known to settle it: look at the spread of launches")
    minutes = verdict.more_server_minutes
    cost = "" if minutes is None else f", about {plural(round(minutes), 'server minute')}"
    why = f" ({verdict.because})" if verdict.because else ""
    total = verdict.blocks + verdict.more_blocks
    command = measure_command(run.proposal, verdict.arm_name)
    more = plural(verdict.more_blocks, "more block")
    return NextStep(
        f"undecided{why}: {more}{cost}; blocks are fixed beforehand, so in a new run",
        f"{command} --blocks {total}" if command else None,
    )


def _asks_for_identity(run: MeasuringRun) -> bool:
    numerics = run.criteria.get("numerics")
    return not isinstance(numerics, dict) or numerics.get("policy", "identical") == "identical"
