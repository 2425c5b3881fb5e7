"""From everything recorded of one run to its verdicts: the only place where the three axes meet. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from harness.verdicts.asked import Stop
from harness.verdicts.cells import Evidence, Key, Layout, counted_from_one, layout
from harness.verdicts.course import Course, course
from harness.verdicts.departures import departures
from harness.verdicts.drift import drift
from harness.verdicts.measured import Answer, Measured, Question, measure
from harness.verdicts.numerics import numerics
from harness.verdicts.planted import wrong_control
from harness.verdicts.speed import PLACEBO_INTERVAL
from harness.verdicts.validity import (
    Soundness,
    capability_gained,
    sentences,
    shared_failure,
    soundness,
    witness_lacks,
)
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.metrics import compared
from harness.vocabulary.outcome import Numerics, Reason, Role, Speed, Validity
from harness.vocabulary.sequential import Because
from ledger.entries import MeasuringRun, Verdict


@dataclass(frozen=True)
class RunVerdict:
    """What a run says. A void run has a reason, and none of its verdicts carries a number."""

    void: Reason | None
    sentence: str
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()  # screen, looks, order and drift, one sentence each


@dataclass(frozen=True)
class _Judged:
    """One arm on the axes that do not depend on a metric."""

    arm: Arm
    soundness: Soundness
    numerics: Numerics


@dataclass(frozen=True)
class _Whole:
    """What every verdict of the run shares."""

    layout: Layout
    numbers: Layout  # without the screen, whose numbers decide nothing
    void: Reason | None
    sentence: str
    minutes_per_block: float
    most_blocks: int
    stops: Mapping[str, Stop]  # empty for a fixed number of blocks


def assemble(
    run: MeasuringRun,
    criteria: Criteria,
    arms: Mapping[str, Arm],
    evidence: Evidence,
    minutes_per_block: float,
) -> RunVerdict:
    """One verdict for each arm and metric: the primary first, then guards, then every other metric and load measured.

    Raises ValueError if the evidence is not of this run, an arm of the plan is missing from `arms`, or a number that
    would be compared is not finite and above 0.
    """
    missing = [arm for arm in run.arms if arm not in arms]
    if missing:
        raise ValueError(f"run {run.run!r} plans arm {missing[0]}, which was not passed; pass every arm of the plan")
    cells = layout(run, criteria, evidence)
    played = course(run, criteria, arms, evidence) if run.looks else None
    stops = played.stops if played else {}
    numbers = cells.within(range(run.screen_blocks, run.blocks))
    sound = {arm: soundness(cells, arm) for arm in run.arms}
    usable = [arm for arm in run.arms if sound[arm].validity is Validity.VALID]
    questions = _questions(run, criteria, cells)
    measured = {(arm, q.key): _at_stop(numbers, q, usable, arm, stops) for arm in run.arms for q in questions}
    of_primary = {arm: measured[arm, questions[0].key] for arm in run.arms}
    overall = measure(numbers, questions[0], usable)
    void, sentence = _void(cells, overall, questions[0], played)
    if void is None and (wrong := wrong_control(criteria, arms, sound, of_primary)):
        void, sentence = Reason.CONTROL_WRONG, f"{wrong}, so no verdict of this run is believed"
    whole = _Whole(cells, numbers, void, sentence, minutes_per_block, criteria.blocks, stops)
    judged = [_judge(cells, arms[arm], sound[arm], evidence, of_primary[arm]) for arm in run.arms]
    verdicts = tuple(_verdict(whole, q, measured[one.arm.fingerprint, q.key], one) for one in judged for q in questions)
    notes = (*(played.notes if played else ()), *drift(numbers, questions[0].key).sentences(questions[0].key))
    return RunVerdict(void, sentence, verdicts, notes)


def _at_stop(
    numbers: Layout, question: Question, usable: Sequence[str], arm: str, stops: Mapping[str, Stop]
) -> Measured:
    """What is measured where an arm stopped: in the blocks and beside the arms of that look, at its level."""
    stop = stops.get(arm)
    if stop is None:
        return measure(numbers, question, usable)
    asked = replace(question, nominal=stop.nominal, stated=stop.level)
    found = measure(numbers.within(stop.blocks), asked, stop.together, departures(stops, stop.look or 1))
    if not question.primary:
        return found
    answers = {arm: replace(answer, speed=stop.speed) for arm, answer in found.answers.items()}
    return replace(found, answers=answers)


def _questions(run: MeasuringRun, criteria: Criteria, whole: Layout) -> tuple[Question, ...]:
    primary = criteria.primary
    effects: dict[Key, float] = {(primary.name, primary.load): primary.smallest_effect_pct}
    for guard in criteria.guard:
        effects.setdefault((guard.name, guard.load), guard.margin_pct)
    for key in sorted({key for cell in whole.of(Role.BASELINE) for key in cell.numbers if compared(key[0])}):
        effects.setdefault(key, primary.smallest_effect_pct)
    first = next(iter(effects))
    arms = len(run.arms) - len(criteria.design.controls)  # nothing is claimed of a planted control
    return tuple(
        Question(key, effect, criteria.level, max(1, arms), primary=key == first) for key, effect in effects.items()
    )


def _void(whole: Layout, primary: Measured, question: Question, played: Course | None) -> tuple[Reason | None, str]:
    metric, load = question.key
    shared, cut = shared_failure(whole), whole.cut_short() if played is None else played.unfinished
    if shared is not None:
        return (
            Reason.BASELINE_INVALID,
            f"every launch, the controls included, failed with {shared}: the input is wrong",
        )
    if cut:
        listed = counted_from_one(cut)
        return (
            Reason.INTERRUPTED,
            f"block {listed} was not measured whole; the number of blocks is fixed beforehand, so resume the run",
        )
    if primary.placebo_pct is None and played is not None and _ended_early(played.stops):
        return None, played.notes[-1]
    if primary.placebo_pct is None:
        said = sentences((*whole.of(Role.BASELINE), *whole.of(Role.PLACEBO)))
        why = "; ".join(said) or f"they have no {metric} at load {load}"
        return Reason.BASELINE_INVALID, f"fewer than 2 blocks have a number on both controls: {why}"
    low, high = primary.placebo_pct
    span = f"placebo against baseline {low:+.1f} to {high:+.1f} %, {PLACEBO_INTERVAL} of {metric} at load {load}"
    if primary.placebo_differs:
        return (
            Reason.PLACEBO_DIFFERS,
            f"{span}, although both are the same configuration: the machine drifted, measure again",
        )
    return None, f"{primary.blocks} complete blocks; {span}"


def _judge(whole: Layout, arm: Arm, sound: Soundness, evidence: Evidence, primary: Measured) -> _Judged:
    if sound.validity is not Validity.VALID:
        return _Judged(arm, sound, Numerics.UNKNOWN)
    cells = whole.of(Role.ARM, arm.fingerprint)
    controls = (*whole.of(Role.BASELINE), *whole.of(Role.PLACEBO))
    texts = numerics([cell.texts for cell in controls], [cell.texts for cell in cells])
    answer = primary.answers.get(arm.fingerprint)
    lack = witness_lacks(whole, arm, evidence.gates)
    decided = answer is not None and answer.speed in (Speed.FASTER, Speed.SLOWER)
    if lack is not None and not decided and not capability_gained(whole, arm.fingerprint, evidence.gates):
        sound = Soundness(Validity.NOT_SHOWN_ENGAGED, (lack,))
    return _Judged(arm, sound, texts)


def _verdict(whole: _Whole, question: Question, measured: Measured, judged: _Judged) -> Verdict:
    arm = judged.arm.fingerprint
    sound, stop = _for_metric(whole, question, measured, judged), whole.stops.get(arm)
    valid = sound.validity is Validity.VALID
    answer = measured.answers.get(arm) if valid else None
    speed = answer.speed if answer else Speed.AMBIGUOUS if valid else None
    placebo = measured.placebo_pct or (None, None)
    more = _more_blocks(whole, answer) if speed is Speed.AMBIGUOUS else None
    return Verdict(
        run=whole.layout.run.run,
        target=whole.layout.run.target,
        arm=arm,
        arm_name=judged.arm.name,
        metric=question.key[0],
        load=question.key[1],
        primary=question.primary,
        validity=sound.validity.value,
        reasons=sound.reasons,
        speed=speed.value if speed else None,
        numerics=judged.numerics.value,
        interval=answer.interval if answer else None,
        smallest_effect_pct=question.smallest_effect_pct,
        blocks=measured.blocks,
        placebo_low_pct=placebo[0],
        placebo_high_pct=placebo[1],
        visible_effect_pct=answer.visible_effect_pct if answer else None,
        more_blocks=more,
        more_server_minutes=None if more is None else more * whole.minutes_per_block,
        trials=_trials(whole.numbers.within(stop.blocks) if stop else whole.numbers, question, arm) if answer else (),
        because=_because(question, stop) if speed is Speed.AMBIGUOUS else None,
        look=stop.look if stop and valid else None,
    )


def _more_blocks(whole: _Whole, answer: Answer | None) -> int | None:
    """Blocks that would settle it; for an arm that never reached the confirmation, a whole plan of them."""
    return whole.most_blocks if answer is None else answer.more_blocks


def _for_metric(whole: _Whole, question: Question, measured: Measured, judged: _Judged) -> Soundness:
    """The arm's soundness, narrowed by what the run or this metric lacks."""
    metric, load = question.key
    if judged.soundness.validity is not Validity.VALID:
        return judged.soundness
    if whole.void is not None:
        return Soundness(Validity.INVALID, (f"{whole.void}: {whole.sentence}",))
    stop = whole.stops.get(judged.arm.fingerprint)
    if stop is not None and (not stop.together or (stop.because is Because.BUDGET and measured.placebo_pct is None)):
        return judged.soundness  # not confirmed: no number, and nothing wrong with the arm
    if measured.placebo_pct is None:
        said = f"{Reason.BASELINE_INVALID}: fewer than 2 blocks have {metric} at load {load} on both controls"
        return Soundness(Validity.INVALID, (said,))
    if question.primary and not whole.layout.run.looks and measured.blocks < whole.layout.run.blocks:
        few = f"{metric} at load {load} has a number on both controls in {measured.blocks} of {whole.layout.run.blocks}"
        said = f"{Reason.MISSING_BLOCKS}: {few} blocks; launches do not fail at random, so measure again"
        return Soundness(Validity.INVALID, (said,))
    if measured.placebo_differs and not (stop and question.primary):  # the primary's is judged once, for the run
        said = f"{Reason.PLACEBO_DIFFERS}: {metric} at load {load} of baseline and placebo differ in this run"
        return Soundness(Validity.INVALID, (said,))
    if judged.arm.fingerprint not in measured.answers:
        said = f"{Reason.MISSING_BLOCKS}: the arm has no {metric} at load {load} in some complete block"
        return Soundness(Validity.INVALID, (said,))
    return judged.soundness


def _trials(whole: Layout, question: Question, arm: str) -> tuple[str, ...]:
    """Entry hashes behind one comparison, in order of blocks and positions."""
    blocks = whole.complete(question.key)
    return tuple(
        entry
        for cell in whole.cells
        if cell.launch.block in blocks and cell.launch.arm in (None, arm)
        for entry in cell.trials
    )


def _ended_early(stops: Mapping[str, Stop]) -> bool:
    return any(stop.because is Because.BUDGET for stop in stops.values())


def _because(question: Question, stop: Stop | None) -> Because | None:
    """The looks ask the primary metric; on another one an arm has no word of theirs, unless it has no number at all."""
    return stop.because if stop is not None and (question.primary or not stop.together) else None
