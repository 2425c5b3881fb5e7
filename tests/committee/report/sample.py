"""A realistic history for looking at the report and testing it: one arm superseded, one overturned, one void run."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from scipy import stats

from committee.importing.page import pieces
from ledger.canonical import digest
from ledger.entries import (
    Acceptance,
    Arm,
    Brief,
    Exclusion,
    Hypothesis,
    ImportedPage,
    Interval,
    Launch,
    MeasuringRun,
    Metric,
    NotApplied,
    Parked,
    Payload,
    Prediction,
    Proposal,
    Reference,
    Review,
    ReviewerSeat,
    ReviewRun,
    RunEnd,
    Slot,
    TargetState,
    Trial,
    Verdict,
)
from ledger.entries.imported import ReferenceResult
from ledger.store import Ledger

TARGET = "local-llamacpp"
KNOBS, BATCH = "0001-llamacpp-cpu-knobs", "0002-batch-sizes"
TREE = "a" * 40
EFFECT_PCT = 10.0
LEVEL = 0.05
VOID_WORDS = "the placebo's interval, -12.1 to -5.9 %, excludes 0: something else ran on this machine"
REFUSED = "llama_init_from_model: V cache quantization requires flash_attn"
Numerics = Literal["IDENTICAL", "CHANGED", "UNKNOWN"]


@dataclass(frozen=True)
class Effect:
    """What an arm truly does, or in whose words the engine refuses it."""

    pct: float = 0.0
    numerics: Numerics = "IDENTICAL"
    refused: str = ""


@dataclass(frozen=True)
class Plan:
    """One measuring run to be made up."""

    run: str
    proposal: str | None
    effects: Mapping[str, Effect]
    baseline_tok_s: float = 56.0
    placebo_pct: float = 0.0
    sd_pct: float = 2.5
    blocks: int = 4
    seed: int = 7
    target_sha256: str = "1" * 64
    end: Literal["completed", "void", "stopped"] = "completed"
    broken_block: int | None = None
    argv: tuple[str, ...] = ("python", "-m", "harness.engines.llamacpp", "--port", "0")


@dataclass
class Measured:
    """Ids of what was appended for one run."""

    verdicts: dict[str, str] = field(default_factory=dict)  # arm name to entry id of its primary verdict
    logs: dict[str, list[float]] = field(default_factory=dict)  # arm name to log-ratios against the control
    trials: dict[str, list[str]] = field(default_factory=dict)  # arm name to entry ids of its trials


def fingerprint(name: str) -> str:
    """A stable fingerprint for a made-up arm."""
    return digest({"flags": {name: "1"}, "env": {}})


def append_sample(ledger: Ledger) -> None:
    """The whole history."""
    append_review(ledger)
    first = append_run(ledger, KNOBS_RUN)
    accepted = append_acceptance(ledger, "parallel-4", KNOBS_RUN, first, None)
    ledger.append(
        NotApplied(
            arm=fingerprint("kv-q8"), arm_name="kv-q8", target=TARGET, run=KNOBS_RUN.run, person="Ada",
            reason="the text changes and nothing is gained for it",
        )
    )  # fmt: skip
    append_proposal(
        ledger, BATCH, "Batch sizes on the new baseline", "Do larger batches help once four users share a slot?"
    )
    append_arms(ledger, BATCH, ["ubatch-1024", "parallel-8", "batch-256", "mlock"])
    append_run(ledger, VOID_RUN)
    append_run(ledger, EARLY_RUN)
    second = append_run(ledger, LATER_RUN)
    append_acceptance(ledger, "parallel-8", LATER_RUN, second, accepted)
    ledger.append(
        Parked(
            subject="time to first token doubles at four users now and then", proposal=BATCH, person="Ada",
            reason="seen in 2 of 40 launches, cause not located; not sent out as long as we cannot explain it",
        )
    )  # fmt: skip


def append_past(ledger: Ledger) -> None:
    """What was brought in: a page of notes in Chinese and another engine's benchmark."""
    source = ledger.put_blob(NOTES.encode(), "text/markdown")
    ledger.append(
        ImportedPage(title="筆記", language="zh-TW", source=source, pieces=pieces(NOTES), person="Ada"),
    )
    results = (
        ReferenceResult(test="pp512", settings=(), tok_s=812.5, sd_tok_s=10.0, samples=3),
        ReferenceResult(test="tg128", settings=(("n_threads", "2"),), tok_s=61.25, sd_tok_s=None, samples=1),
    )
    ledger.append(
        Reference(
            target=TARGET, engine="llama-bench", build="a1b2c3d", model="gemma.gguf", source=source, results=results,
            cautions=("one repetition a row: nothing says how far a repeat would differ",), person="Ada",
        )
    )  # fmt: skip


NOTES = """# 調校紀錄

| 項目 | 數字 |
|---|---|
| 單人 | 68.1 |

約 2026-08-06 量到 260 <script>alert(1)</script>
第二行
"""
KNOBS_RUN = Plan(
    run="measure-20260804-knobs",
    proposal=KNOBS,
    effects={
        "parallel-4": Effect(44.0), "one-thread": Effect(-24.0), "kv-q8": Effect(3.0, "CHANGED"),
        "no-op": Effect(0.0), "v-cache-q8": Effect(refused=REFUSED),
    },
    broken_block=2,
)  # fmt: skip
VOID_RUN = Plan(
    run="measure-20260805-busy", proposal=BATCH, effects={"ubatch-1024": Effect(6.0)}, baseline_tok_s=81.0,
    placebo_pct=-9.0, seed=3, target_sha256="2" * 64, end="void",
)  # fmt: skip
EARLY_RUN = Plan(
    run="measure-20260806-early", proposal=BATCH, effects={"ubatch-1024": Effect(17.0)}, baseline_tok_s=81.0,
    sd_pct=1.0, seed=11, target_sha256="2" * 64,
)  # fmt: skip
LATER_RUN = Plan(
    run="measure-20260807-later", proposal=BATCH, baseline_tok_s=81.0, sd_pct=2.0, blocks=6, seed=5,
    target_sha256="2" * 64,
    effects={"ubatch-1024": Effect(0.4), "parallel-8": Effect(21.0), "batch-256": Effect(9.0)},
)  # fmt: skip


def append_proposal(ledger: Ledger, proposal: str, title: str, question: str) -> None:
    """A submitted proposal."""
    ledger.append(
        Proposal(
            proposal=proposal, title=title, proposal_kind="config", target=TARGET, question=question, budget_money=1,
            budget_server_minutes=30,
        )
    )  # fmt: skip


def append_arms(ledger: Ledger, proposal: str | None, names: Sequence[str]) -> None:
    """Admitted arms."""
    ledger.append_all(
        [
            Arm(
                fingerprint=fingerprint(name), name=name, target=TARGET, proposal=proposal,
                definition={"schema": 1, "name": name, "flags": {name: "1"}}, origins=("author",),
            )
            for name in names
        ]
    )  # fmt: skip


SEATS = (
    ReviewerSeat(name="glm", reviewer_kind="recorded", model="glm-5.2", label="recorded", timeout_s=60),
    ReviewerSeat(name="minimax", reviewer_kind="recorded", model="minimax-m3", label="recorded", timeout_s=60),
    ReviewerSeat(name="gemma", reviewer_kind="embedded", model="gemma-3-270m", label="small CPU model", timeout_s=90),
    ReviewerSeat(name="agent", reviewer_kind="command", model="agent", label="live", timeout_s=60),
)
CLAIMS = (
    ("glm", "parallel-4", "one slot serialises the users; four slots share each pass over the weights", "up", 25, 60),
    ("glm", "one-thread", "memory bandwidth is exhausted by one core, so threads do not matter", "same", -5, 5),
    ("minimax", "kv-q8", "half the cache traffic", "up", 10, 20),
    ("minimax", "v-cache-q8", "half the traffic of the value cache", "up", 5, 15),
    ("gemma", None, "the model is small and the cache is large", "up", 0, 100),
)


def append_review(ledger: Ledger) -> None:
    """A review run with three reviews and one exclusion, its hypotheses and its brief."""
    run = "review-20260804-knobs"
    append_proposal(
        ledger,
        KNOBS,
        "Which knob of llama.cpp is real on a small CPU?",
        "Which settings raise the total rate of four users by 10 % or more?",
    )
    ledger.append(ReviewRun(run=run, proposal=KNOBS, tree=TREE, reviewers=SEATS, quorum=2, template_sha256="b" * 64))
    ledger.append(
        Exclusion(run=run, attempt=None, reviewer="agent", reason="did_not_start",
            detail="the command ended with 127 before it wrote anything")
    )  # fmt: skip
    for seat in SEATS[:3]:
        count = sum(1 for claim in CLAIMS if claim[0] == seat.name)
        ledger.append(
            Review(run=run, attempt=f"{run}-{seat.name}-1", reviewer=seat.name, label=seat.label, hypotheses=count)
        )
    append_claims(ledger, run)
    names = ["parallel-4", "one-thread", "kv-q8", "no-op", "v-cache-q8"]
    append_arms(ledger, KNOBS, names)
    page = ledger.put_blob(b"# brief", "text/markdown")
    ledger.append(
        Brief(
            run=run, proposal=KNOBS, tree=TREE, took_part=("glm", "minimax", "gemma"), excluded=("agent",),
            hypotheses=tuple(f"{run}-{claim[0]}-{number}" for number, claim in enumerate(CLAIMS)),
            arms=tuple(sorted(fingerprint(name) for name in names)), markdown=page, html=page,
        )
    )  # fmt: skip


def append_claims(ledger: Ledger, run: str) -> None:
    """The hypotheses of the review run."""
    for number, (reviewer, arm, mechanism, direction, low, high) in enumerate(CLAIMS):
        said = Prediction.model_validate(
            {"metric": "total_tok_s", "load": 4, "direction": direction, "low_pct": low, "high_pct": high}
        )
        ledger.append(
            Hypothesis(
                hypothesis=f"{run}-{reviewer}-{number}", run=run, reviewer=reviewer, mechanism=mechanism,
                prediction=said,
                prediction_sha256=digest(said.model_dump(mode="json")),
                falsifier="the total of four users does not move",
                citations=(), arm={"name": arm} if arm else None, arm_fingerprint=fingerprint(arm) if arm else None,
                not_runnable=None,
            )
        )  # fmt: skip


def state(run: str, seen: Literal["taken_down", "restored"], evidence: str) -> TargetState:
    """Production seen or moved."""
    up = seen == "restored"
    return TargetState(
        target=TARGET, state=seen, by="harness", run=run, pid=4711 if up else None, start_time=99 if up else None,
        url="http://127.0.0.1:8601" if up else None, evidence=evidence,
    )  # fmt: skip


def append_run(ledger: Ledger, plan: Plan) -> Measured:
    """A whole measuring run: plan, launches, trials, verdicts, end, with production down in between."""
    made, dice = Measured(), random.Random(plan.seed)  # noqa: S311 - made-up numbers
    order = {
        block: dice.sample(["baseline", "placebo", *plan.effects], len(plan.effects) + 2)
        for block in range(plan.blocks)
    }
    ledger.append_all((measuring_run(plan, order), state(plan.run, "taken_down", "SIGTERM, tree gone after 0.4 s")))
    for block, names in order.items():
        if block == plan.broken_block:
            died = "server ended with -9 while it was being used"
            ledger.append_all(
                (launched(plan, (block, 1, 0), names[0], None), launched(plan, (block, 1, 1), names[1], died))
            )
        append_block(ledger, plan, (block, 2 if block == plan.broken_block else 1), names, dice, made)
    conclude(ledger, plan, made)
    return made


def conclude(ledger: Ledger, plan: Plan, made: Measured) -> None:
    """Production back, verdicts, end."""
    payloads: list[Payload] = [state(plan.run, "restored", "main: server is listening on http://127.0.0.1:8601")]
    for name, effect in plan.effects.items():
        if plan.end == "completed":
            payloads.append(verdict(plan, made, name, effect))
            payloads += [] if effect.refused else [guard_verdict(verdict(plan, made, name, effect))]
        elif plan.end == "void":
            payloads.append(void_verdict(plan, made, name, effect))
    reason, detail = (None, "") if plan.end == "completed" else ("placebo_differs", VOID_WORDS)
    payloads.append(RunEnd(run=plan.run, outcome=plan.end, reason=reason, detail=detail, downtime_s=372.0))
    for entry in ledger.append_all(payloads):
        if isinstance(entry.payload, Verdict) and entry.payload.primary:
            made.verdicts[entry.payload.arm_name] = entry.id


def measuring_run(plan: Plan, order: Mapping[int, Sequence[str]]) -> MeasuringRun:
    """The plan as it is committed."""
    slots = tuple(
        Slot(block=block, position=position, role=role(name), arm=fingerprint(name) if role(name) == "arm" else None)
        for block, names in order.items()
        for position, name in enumerate(names)
    )
    criteria = {
        "blocks": plan.blocks, "level": LEVEL, "numerics": {"policy": "identical"},
        "primary": {"metric": "total_tok_s", "load": 4, "smallest_effect_pct": EFFECT_PCT},
        "guard": [{"metric": "user_tok_s", "load": 1, "margin_pct": 10}],
    }  # fmt: skip
    return MeasuringRun(
        run=plan.run, target=TARGET, target_sha256=plan.target_sha256, proposal=plan.proposal,
        tree=TREE if plan.proposal else None, criteria=criteria, arms=tuple(fingerprint(name) for name in plan.effects),
        seed=plan.seed, blocks=plan.blocks, slots=slots, downtime_s=400, harness_version="0.1.0",
    )  # fmt: skip


def role(name: str) -> Literal["baseline", "placebo", "arm"]:
    """What a launch of that name stands for."""
    if name == "baseline":
        return "baseline"
    return "placebo" if name == "placebo" else "arm"


def launched(plan: Plan, place: tuple[int, int, int], name: str, failure: str | None) -> Launch:
    """One launch at (block, attempt, position)."""
    block, attempt, position = place
    return Launch(
        launch=f"{plan.run}-b{block}t{attempt}p{position}", run=plan.run, target=TARGET, block=block, attempt=attempt,
        position=position, role=role(name), arm=fingerprint(name) if role(name) == "arm" else None, argv=plan.argv,
        env=(), pid=5000 + position, start_time=77, ready_s=None if failure else 2.1, log=None,
        outcome="invalid" if failure else "ran", reason="start_refused" if failure else None, detail=failure or "",
    )  # fmt: skip


def append_block(
    ledger: Ledger, plan: Plan, place: tuple[int, int], names: Sequence[str], dice: random.Random, made: Measured
) -> None:
    """Launches and trials of one complete block."""
    values: dict[str, float] = {}
    payloads: list[Payload] = []
    for position, name in enumerate(names):
        effect = plan.effects.get(name, Effect(plan.placebo_pct if name == "placebo" else 0.0))
        launch = launched(plan, (*place, position), name, effect.refused or None)
        payloads.append(launch)
        if effect.refused:
            continue
        values[name] = plan.baseline_tok_s * (1 + effect.pct / 100) * math.exp(dice.gauss(0, plan.sd_pct / 100))
        metrics = (
            Metric(metric="total_tok_s", load=4, value=values[name], samples=1),
            Metric(metric="user_tok_s", load=1, value=58.0 * math.exp(dice.gauss(0, 0.02)), samples=2),
        )
        payloads.append(
            Trial(launch=launch.launch, run=plan.run, protocol="ladder", metrics=metrics, reason=None, detail="")
        )
    trials = [entry for entry in ledger.append_all(payloads) if isinstance(entry.payload, Trial)]
    for name, trial in zip(values, trials, strict=True):
        made.trials.setdefault(name, []).append(trial.id)
    control = (math.log(values["baseline"]) + math.log(values["placebo"])) / 2
    for name, value in values.items():
        made.logs.setdefault(name, []).append(math.log(value) - control)


def void_verdict(plan: Plan, made: Measured, name: str, effect: Effect) -> Verdict:
    """What a void run records of an arm: no number, and why."""
    nothing: dict[str, object] = {
        "speed": None,
        "interval": None,
        "numerics": "UNKNOWN",
        "trials": [],
        "visible_effect_pct": None,
    }
    change = {"validity": "INVALID", "reasons": [f"placebo_differs: {VOID_WORDS}"], "more_blocks": None}
    return Verdict.model_validate(
        {**verdict(plan, made, name, effect).as_json(), **nothing, **change, "more_server_minutes": None}
    )


def guard_verdict(primary: Verdict) -> Verdict:
    """The guard's verdict beside a primary one: nothing changed for a single user."""
    bounds = {"estimate_pct": -0.6, "low_pct": -2.9, "high_pct": 1.8, "level": LEVEL, "launch_sd_pct": 2.0}
    change = {
        "metric": "user_tok_s", "load": 1, "primary": False, "speed": "SAME", "more_blocks": None,
        "more_server_minutes": None, "interval": {**bounds, "degrees_of_freedom": 9, "pooled": True},
    }  # fmt: skip
    return Verdict.model_validate({**primary.as_json(), **change})


def verdict(plan: Plan, made: Measured, name: str, effect: Effect) -> Verdict:
    """What the made-up numbers say about one arm."""
    bounds = None if effect.refused else interval(made.logs[name], LEVEL / len(plan.effects))
    speed = None if bounds is None else speed_of(bounds)
    placebo = interval([2 * value for value in made.logs["placebo"]], LEVEL)
    unsettled = speed == "AMBIGUOUS"
    return Verdict(
        run=plan.run, target=TARGET, arm=fingerprint(name), arm_name=name, metric="total_tok_s", load=4, primary=True,
        validity="INVALID" if effect.refused else "VALID",
        reasons=(f"start_refused: {effect.refused}",) if effect.refused else (),
        speed=speed, numerics=effect.numerics if bounds else "UNKNOWN", interval=bounds, smallest_effect_pct=EFFECT_PCT,
        blocks=0 if effect.refused else plan.blocks, placebo_low_pct=placebo.low_pct, placebo_high_pct=placebo.high_pct,
        visible_effect_pct=6.2, more_blocks=6 if unsettled else None, more_server_minutes=9.0 if unsettled else None,
        trials=tuple(made.trials.get(name, ())),
    )  # fmt: skip


def interval(logs: Sequence[float], level: float) -> Interval:
    """Estimate and one-sided t bounds."""
    mean = sum(logs) / len(logs)
    sd = math.sqrt(sum((value - mean) ** 2 for value in logs) / (len(logs) - 1))
    reach = float(stats.t.ppf(1 - level, len(logs) - 1)) * sd / math.sqrt(len(logs))
    low, high = 100 * math.expm1(mean - reach), 100 * math.expm1(mean + reach)
    return Interval(
        estimate_pct=100 * math.expm1(mean), low_pct=low, high_pct=high, level=level, launch_sd_pct=100 * sd,
        degrees_of_freedom=len(logs) - 1, pooled=False,
    )  # fmt: skip


def speed_of(bounds: Interval) -> Literal["FASTER", "SLOWER", "SAME", "AMBIGUOUS"]:
    """The rule of design.md."""
    if bounds.low_pct > 0 and bounds.estimate_pct >= EFFECT_PCT:
        return "FASTER"
    if bounds.high_pct < 0 and bounds.estimate_pct <= -EFFECT_PCT:
        return "SLOWER"
    return "SAME" if bounds.low_pct >= -EFFECT_PCT and bounds.high_pct <= EFFECT_PCT else "AMBIGUOUS"


def append_acceptance(ledger: Ledger, name: str, plan: Plan, made: Measured, supersedes: str | None) -> str:
    """A person's decision; returns its entry id."""
    entry = ledger.append(
        Acceptance(
            proposal=plan.proposal or "", tree=TREE, target=TARGET, arm=fingerprint(name), arm_name=name, run=plan.run,
            verdicts=(made.verdicts[name],), criteria_sha256="c" * 64, person="Ada",
            reason="clears the 10 % written beforehand, text identical", supersedes=supersedes,
        )
    )  # fmt: skip
    return entry.id
