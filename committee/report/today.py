"""Pure: where one arm stands today and what a person does next. The page and the measured table both ask here."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from committee.report.doubts import Doubtful
from committee.report.history import History, Stamped
from committee.report.next_step import NextStep, accepts, after_baseline_change, after_doubt, after_verdict, by_hand
from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.phrases import Phrase
from committee.report.runs import Runs, RunView, as_runs
from committee.report.standing import standing
from committee.report.words import day
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.workflow.going_on import asks_for_identity
from ledger.entries import Acceptance, NotApplied, Verdict


class State(StrEnum):
    """Where a line stands today, in order of the table."""

    ACCEPTED = "accepted"
    WAITING = "waiting"
    REOPENED = "reopened"
    OVERTURNED = "overturned"
    SUPERSEDED = "superseded"
    MEASURED = "measured"
    INVALID = "invalid"
    VOID = "void"
    UNMEASURED = "unmeasured"
    PARKED = "parked"

    @property
    def words(self) -> Phrase:
        """The state in the report's words."""
        return Phrase(f"state_{self.value}")


@dataclass(frozen=True)
class Today:
    """One arm that has a verdict."""

    state: State
    why: str  # the reason of the state, in recorded words; may be empty
    next: NextStep


def today(
    history: History, views: Sequence[RunView], view: RunView, verdict: Verdict, outlook: Outlook = NOTHING_KNOWN
) -> Today:
    """The arm of `verdict`, which is its newest in `views`, the runs of one question; `view` is the verdict's run."""
    accepted = _newest_acceptance(history, verdict)
    if accepted is not None:
        return _accepted(history, as_runs(views), accepted, verdict)
    note = not_applied(history, verdict)
    if verdict.validity != "VALID":
        state, why = State.INVALID, "; ".join(verdict.reasons) or verdict.validity
    else:
        state, why = State.MEASURED, Phrase("by_person", reason=note.reason, person=note.person) if note else ""
    if note is not None:
        return Today(state, why, NextStep(Phrase("next_not_applied")))
    doubt = doubt_of(history, view, verdict)
    if doubt is not None:
        return Today(State.REOPENED, doubt.words, after_doubt(view.begun.payload, verdict.arm_name))
    older = measured_before(history, verdict, view) is not None or outlook.moved_on(view.begun.payload)
    no_case = verdict.numerics == "CHANGED" and asks_for_identity(view.begun.payload.criteria)
    if older and verdict.speed in ("FASTER", "AMBIGUOUS") and not no_case:
        return Today(state, why, after_baseline_change(view.begun.payload, verdict.arm_name))
    guards = [item.payload for item in view.guards(verdict.arm)]
    step = after_verdict(view.begun.payload, verdict, guards, outlook)
    if accepts(step, view.begun.payload, verdict) and _is_code(history, verdict):
        step = by_hand(view.begun.payload)
    return Today(state, why, step)


def doubt_of(history: History, view: RunView, verdict: Verdict) -> Doubtful | None:
    """Why a verdict of a run does not stand any more, none where it stands."""
    if not history.doubts:
        return None
    wanted = (verdict.arm, verdict.metric, verdict.load)
    own = (item for item in view.verdicts if (item.payload.arm, item.payload.metric, item.payload.load) == wanted)
    found = [doubt for item in own for doubt in history.doubts.get(item.id, ())]
    return found[-1] if found else None


def measured_before(history: History, verdict: Verdict, run: RunView) -> Stamped[Acceptance] | None:
    """The first later acceptance that changed the target's baseline, unless it is this arm's own (lesson R3)."""
    return next(
        (
            item
            for item in history.acceptances_at(verdict.target)
            if item.seq > run.begun.seq and item.payload.arm != verdict.arm
        ),
        None,
    )


def not_applied(history: History, verdict: Verdict) -> NotApplied | None:
    """What a person said when leaving this measured arm out."""
    found = [item.payload for item in history.not_applied_in(verdict.run)]
    return next((item for item in reversed(found) if item.arm == verdict.arm), None)


def _is_code(history: History, verdict: Verdict) -> bool:
    """Whether the arm changes files of the server, by its definition on record; not known where that cannot be read."""
    for item in history.arms:
        if item.payload.fingerprint == verdict.arm:
            try:
                return Arm.from_mapping(item.payload.definition, verdict.arm_name).is_code
            except BadFileError:
                return False
    return False


def _newest_acceptance(history: History, verdict: Verdict) -> Stamped[Acceptance] | None:
    found = [item for item in history.acceptances_at(verdict.target) if item.payload.arm == verdict.arm]
    return found[-1] if found else None


def _accepted(history: History, views: Runs, last: Stamped[Acceptance], newest: Verdict) -> Today:
    """An arm that was accepted: superseded, struck or overturned since, waiting for production's start, or in force."""
    replaced = history.superseded_by(last.id)
    if replaced is not None:
        why = Phrase("superseded_by", arm=replaced.payload.arm_name, day=day(replaced.time))
        return Today(State.SUPERSEDED, why, NextStep(Phrase("next_superseded")))
    back = history.gone_back_from(last.id)
    if back is not None:
        why = Phrase("gone_back_from", day=day(back.time), person=back.payload.person, reason=back.payload.reason)
        return Today(State.SUPERSEDED, why, NextStep(Phrase("next_superseded")))
    doubts = history.doubts.get(last.id, ())
    if doubts:
        return Today(State.REOPENED, doubts[-1].words, NextStep(Phrase("next_decide_again")))
    evidence = views.run(last.payload.run)
    for item in evidence.primary if evidence else ():
        if item.payload.arm == last.payload.arm and views.overturning(item.payload) is not None:
            was, now = item.payload.speed or "", newest.speed or newest.validity
            why = Phrase("accepted_as_measured_since", day=day(last.time), was=was, now=now)
            return Today(State.OVERTURNED, why, NextStep(Phrase("next_decide_again")))
    stands = standing(history, last)
    why = Phrase("accepted_by", day=day(last.time), person=last.payload.person, reason=last.payload.reason)
    if stands.started:
        return Today(State.ACCEPTED, why, NextStep(Phrase("next_in_force", words=stands.words)))
    return Today(State.WAITING, why, NextStep(Phrase("next_waiting", words=stands.words), stands.command))
