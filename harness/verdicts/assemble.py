"""From everything recorded of one run to its verdicts: the only place where the three axes meet. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from harness.verdicts.cells import Evidence, Key, Layout, layout
from harness.verdicts.measured import Measured, Question, measure
from harness.verdicts.numerics import numerics
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
from ledger.entries import MeasuringRun, Verdict


@dataclass(frozen=True)
class RunVerdict:
    """What a run says. A void run has a reason, and none of its verdicts carries a number."""

    void: Reason | None
    sentence: str
    verdicts: tuple[Verdict, ...]


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
    void: Reason | None
    sentence: str
    minutes_per_block: float


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
    sound = {arm: soundness(cells, arm) for arm in run.arms}
    usable = [arm for arm in run.arms if sound[arm].validity is Validity.VALID]
    questions = _questions(run, criteria, cells)
    measured = {question.key: measure(cells, question, usable) for question in questions}
    primary = measured[questions[0].key]
    void, sentence = _void(cells, primary, questions[0])
    whole = _Whole(cells, void, sentence, minutes_per_block)
    judged = [_judge(cells, arms[arm], sound[arm], evidence, primary) for arm in run.arms]
    verdicts = tuple(_verdict(whole, question, measured[question.key], one) for one in judged for question in questions)
    return RunVerdict(void, sentence, verdicts)


def _questions(run: MeasuringRun, criteria: Criteria, whole: Layout) -> tuple[Question, ...]:
    primary = criteria.primary
    effects: dict[Key, float] = {(primary.name, primary.load): primary.smallest_effect_pct}
    for guard in criteria.guard:
        effects.setdefault((guard.name, guard.load), guard.margin_pct)
    for key in sorted({key for cell in whole.of(Role.BASELINE) for key in cell.numbers if compared(key[0])}):
        effects.setdefault(key, primary.smallest_effect_pct)
    first = next(iter(effects))
    return tuple(
        Question(key, effect, criteria.level, len(run.arms), primary=key == first) for key, effect in effects.items()
    )


def _void(whole: Layout, primary: Measured, question: Question) -> tuple[Reason | None, str]:
    metric, load = question.key
    shared, cut = shared_failure(whole), whole.cut_short()
    if shared is not None:
        return (
            Reason.BASELINE_INVALID,
            f"every launch, the controls included, failed with {shared}: the input is wrong",
        )
    if cut:
        listed = ", ".join(str(block) for block in cut)
        return (
            Reason.INTERRUPTED,
            f"block {listed} was not measured whole; the number of blocks is fixed beforehand, so resume the run",
        )
    if primary.placebo_pct is None:
        said = sentences((*whole.of(Role.BASELINE), *whole.of(Role.PLACEBO)))
        why = "; ".join(said) or f"they have no {metric} at load {load}"
        return Reason.BASELINE_INVALID, f"fewer than 2 blocks have a number on both controls: {why}"
    low, high = primary.placebo_pct
    span = f"the placebo's {metric} at load {load} lies between {low:+.1f} % and {high:+.1f} % of the baseline's"
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
    sound = _for_metric(whole, question, measured, judged)
    answer = measured.answers[arm] if sound.validity is Validity.VALID else None
    placebo = measured.placebo_pct or (None, None)
    more = answer.more_blocks if answer else None
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
        speed=answer.speed.value if answer else None,
        numerics=judged.numerics.value,
        interval=answer.interval if answer else None,
        smallest_effect_pct=question.smallest_effect_pct,
        blocks=measured.blocks,
        placebo_low_pct=placebo[0],
        placebo_high_pct=placebo[1],
        visible_effect_pct=answer.visible_effect_pct if answer else None,
        more_blocks=more,
        more_server_minutes=None if more is None else more * whole.minutes_per_block,
        trials=_trials(whole.layout, question, arm) if answer else (),
    )


def _for_metric(whole: _Whole, question: Question, measured: Measured, judged: _Judged) -> Soundness:
    """The arm's soundness, narrowed by what the run or this metric lacks."""
    metric, load = question.key
    if judged.soundness.validity is not Validity.VALID:
        return judged.soundness
    if whole.void is not None:
        return Soundness(Validity.INVALID, (f"{whole.void}: {whole.sentence}",))
    if measured.placebo_pct is None:
        said = f"{Reason.BASELINE_INVALID}: fewer than 2 blocks have {metric} at load {load} on both controls"
        return Soundness(Validity.INVALID, (said,))
    if measured.placebo_differs:
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
