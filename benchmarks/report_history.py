"""A made-up ledger for timing the report: proposals, reviews, runs with their launches, decisions and marks."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ledger import entries as e
from ledger.canonical import digest
from ledger.store import Ledger

TARGETS = ("bench-a", "bench-b")
REVIEWERS = ("north", "south", "agent")
FLAGS = tuple(f"knob-{number:02d}" for number in range(24))
METRICS = (("total_tok_s", 4), ("user_tok_s", 1), ("ttft_ms", 1), ("ttft_ms", 4), ("streaming_tok_s", 4))
GATES = ("ready", "armed", "isolated", "coherent", "identical")
ARMS_A_RUN, RUNS_A_PROPOSAL, BLOCKS = 4, 2, 4
VERDICTS_A_RUN = ARMS_A_RUN * len(METRICS)
TREE = "a" * 40
CRITERIA = {
    "blocks": BLOCKS, "level": 0.01, "numerics": {"policy": "identical"},
    "primary": {"metric": "total_tok_s", "load": 4, "smallest_effect_pct": 5.0},
    "guard": [{"metric": "user_tok_s", "load": 1, "margin_pct": 10}],
}  # fmt: skip


@dataclass(frozen=True)
class Made:
    """What was appended."""

    proposals: int
    runs: int
    verdicts: int


def fill(ledger: Ledger, verdicts: int, seed: int = 1) -> Made:
    """Append until there are at least so many verdicts."""
    dice = random.Random(seed)
    proposals = 0
    runs = 0
    last: dict[str, str] = {}
    while runs * VERDICTS_A_RUN < verdicts:
        proposals += 1
        name, target = f"{proposals:04d}-made-up", TARGETS[proposals % len(TARGETS)]
        arms = _review(ledger, name, target, dice)
        accepted = ""
        for _ in range(RUNS_A_PROPOSAL):
            runs += 1
            accepted = append_run(ledger, name, target, arms, runs, dice) or accepted
        if proposals % 3 == 0:
            made = _acceptance((name, target, f"measure-{runs:06d}"), arms[0], accepted, last.get(target))
            last[target] = ledger.append(made).id
    _mark(ledger)
    return Made(proposals, runs, runs * VERDICTS_A_RUN)


def _review(ledger: Ledger, name: str, target: str, dice: random.Random) -> Sequence[str]:
    """A proposal, its review and its arms; returns the flags that the arms set."""
    flags, run = dice.sample(FLAGS, ARMS_A_RUN), f"review-{name}"
    seats = tuple(
        e.ReviewerSeat(name=one, reviewer_kind="recorded", model=one, label="recorded", timeout_s=60)
        for one in REVIEWERS
    )
    ledger.append_all(
        [
            e.Proposal(
                proposal=name, title=f"Which of {', '.join(flags)}?", proposal_kind="config", target=target,
                question="Which of them raises the rate of four users?", budget_money=1, budget_server_minutes=60,
            ),
            e.ReviewRun(run=run, proposal=name, tree=TREE, reviewers=seats, quorum=2, template_sha256="b" * 64),
            *(_hypothesis(run, number, flag, dice) for number, flag in enumerate(flags)),
            *(
                e.Arm(
                    fingerprint=fingerprint(flag), name=flag, target=target, proposal=name,
                    definition={"schema": 1, "name": flag, "flags": {flag: "1"}}, origins=("author",),
                )
                for flag in flags
            ),
        ]
    )  # fmt: skip
    return flags


def fingerprint(flag: str) -> str:
    """Of the arm that sets this flag."""
    return digest({"flags": {flag: "1"}, "env": {}})


def _hypothesis(run: str, number: int, flag: str, dice: random.Random) -> e.Hypothesis:
    prediction = e.Prediction(
        metric="total_tok_s", load=4, direction=dice.choice(("up", "same")), low_pct=0, high_pct=20,
        confidence=round(dice.random(), 2),
    )  # fmt: skip
    return e.Hypothesis(
        hypothesis=f"{run}/{number}", run=run, reviewer=REVIEWERS[number % 2], mechanism="fewer passes over weights",
        prediction=prediction, prediction_sha256=digest(prediction.model_dump(mode="json")),
        falsifier="the rate does not move", citations=(), arm=None, arm_fingerprint=fingerprint(flag),
        not_runnable=None,
    )  # fmt: skip


def append_run(
    ledger: Ledger, proposal: str, target: str, flags: Sequence[str], number: int, dice: random.Random
) -> str:
    """One whole measuring run; returns the entry of its first verdict."""
    run = f"measure-{number:06d}"
    slots = [(block, position) for block in range(BLOCKS) for position in range(ARMS_A_RUN + 2)]
    places = {place: _role(place[1], flags) for place in slots}
    planned = tuple(
        e.Slot(block=block, position=position, role=role, arm=arm) for (block, position), (role, arm) in places.items()
    )
    ledger.append_all(
        [
            e.MeasuringRun(
                run=run, target=target, target_sha256="1" * 64, proposal=proposal, tree=TREE, criteria=CRITERIA,
                arms=tuple(map(fingerprint, flags)), seed=number, blocks=BLOCKS, slots=planned, downtime_s=900,
                harness_version="0.1.0",
            ),
            _state(run, target, "taken_down"),
        ]
    )  # fmt: skip
    trials = ledger.append_all([one for place in slots for one in _launch(run, target, place, places[place], dice)])
    kept = [entry.id for entry in trials if isinstance(entry.payload, e.Trial)]
    said = [verdict for flag in flags for verdict in _verdicts(run, target, flag, kept[:8], dice)]
    end = e.RunEnd(run=run, outcome="completed", reason=None, detail="", downtime_s=910.0)
    return ledger.append_all([_state(run, target, "restored"), *said, end])[1].id


def _role(position: int, flags: Sequence[str]) -> tuple[Literal["baseline", "placebo", "arm"], str | None]:
    if position < 2:
        return ("baseline", None) if position == 0 else ("placebo", None)
    return "arm", fingerprint(flags[position - 2])


def _launch(
    run: str,
    target: str,
    place: tuple[int, int],
    role: tuple[Literal["baseline", "placebo", "arm"], str | None],
    dice: random.Random,
) -> Iterator[e.Payload]:
    name = f"{run}-b{place[0]}p{place[1]}"
    yield e.Launch(
        launch=name, run=run, target=target, block=place[0], attempt=1, position=place[1], role=role[0], arm=role[1],
        argv=("server", "--port", "0"), env=(), pid=4711, start_time=77, ready_s=2.1, log=None, outcome="ran",
        reason=None, detail="",
    )  # fmt: skip
    for gate in GATES:
        yield e.Gate(launch=name, run=run, gate=gate, passed=True, reason=None, evidence="seen in its own log")
    metrics = tuple(
        e.Metric(metric=metric, load=load, value=60 * (1 + dice.gauss(0, 0.03)), samples=2) for metric, load in METRICS
    )
    yield e.Trial(launch=name, run=run, protocol="ladder", metrics=metrics, reason=None, detail="")


def _verdicts(run: str, target: str, flag: str, trials: Sequence[str], dice: random.Random) -> Iterator[e.Verdict]:
    for metric, load in METRICS:
        estimate = dice.gauss(2, 8)
        low, high = estimate - 4, estimate + 4
        speed: Literal["FASTER", "SLOWER", "AMBIGUOUS"] = (
            "FASTER" if low > 0 and estimate > 5 else "SLOWER" if high < 0 and estimate < -5 else "AMBIGUOUS"
        )
        yield e.Verdict(
            run=run, target=target, arm=fingerprint(flag), arm_name=flag, metric=metric, load=load,
            primary=(metric, load) == METRICS[0], validity="VALID", reasons=(), speed=speed, numerics="IDENTICAL",
            interval=e.Interval(
                estimate_pct=estimate, low_pct=low, high_pct=high, level=0.01, launch_sd_pct=3.0,
                degrees_of_freedom=12, pooled=True,
            ),
            smallest_effect_pct=5.0, blocks=BLOCKS, placebo_low_pct=-3.0, placebo_high_pct=3.2, visible_effect_pct=6.0,
            more_blocks=6 if speed == "AMBIGUOUS" else None, more_server_minutes=None, trials=tuple(trials),
        )  # fmt: skip


def _state(run: str, target: str, what: Literal["taken_down", "restored"]) -> e.TargetState:
    return e.TargetState(
        target=target, state=what, by="guardian", run=run, pid=1, start_time=1, url=None, evidence="listening"
    )


def _acceptance(of: tuple[str, str, str], flag: str, verdict: str, replaced: str | None) -> e.Acceptance:
    """Of a proposal at a target by a run."""
    proposal, target, run = of
    return e.Acceptance(
        proposal=proposal, tree=TREE, target=target, arm=fingerprint(flag), arm_name=flag, run=run,
        verdicts=(verdict,), criteria_sha256="c" * 64, person="Ada", reason="clears what was written beforehand",
        supersedes=replaced,
    )  # fmt: skip


def _mark(ledger: Ledger) -> None:
    """One run struck, one launch of another, so that something is open again."""
    runs = ledger.of(e.MeasuringRun)
    launch = ledger.of(e.Launch, run=runs[-1][1].run)[0][0]
    for struck, why in ((runs[0][0].id, "another user was on the server"), (launch.id, "the card was throttled")):
        ledger.append(e.Invalidation(subject=struck, fact=None, reason=why, person="Ada"))
