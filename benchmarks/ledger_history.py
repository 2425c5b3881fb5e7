"""A long made-up history of measuring: runs with machines, arms, launches, verdicts, acceptances and predictions.

Unlike `ledger_mix`, whose entries only have a size, these name each other, so that questions have answers. Kept in a
file and gone on with where an earlier call stopped.
"""

import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from sqlalchemy import Connection

from ledger import entries as e
from ledger.chain import Entry, Head
from ledger.inserting import insert_entries
from ledger.store import Ledger, newest

ACTOR = "bench"
TARGETS, FLAGS, ARMS, REVIEWERS, DRIVERS = 20, 40, 2000, 5, 12
RUNS_A_DRIVER = 700  # on one driver before the next; about 120 entries a run
ARMS_A_RUN, BLOCKS = 4, 4
LOADS = (1, 2, 4, 8)
RUNS_AT_ONCE = 100  # in one transaction
REVIEW_EVERY, ACCEPT_EVERY = 10, 15  # runs
SPEEDS = ("FASTER", "SLOWER", "SAME", "AMBIGUOUS")
TREE = "d" * 40


def flag(number: int) -> str:
    """One of the flags that arms set."""
    return f"flag-{number % FLAGS}"


def model_file(one: int) -> str:
    """Name of a model's file; each target has its own."""
    return f"model-{one}.gguf"


def target(number: int) -> str:
    """One of the servers."""
    return f"target-{number % TARGETS}"


def reviewer(number: int) -> str:
    """One of the reviewers."""
    return f"reviewer-{number % REVIEWERS}"


def driver(run: int) -> str:
    """The driver that a run's machine had."""
    return f"5{run // RUNS_A_DRIVER % DRIVERS:02}.1"


def fingerprint(arm: int) -> str:
    """An arm's."""
    return sha256(f"arm {arm}".encode()).hexdigest()


def build(path: Path, entries: int, seconds: float) -> int:
    """Go on with the ledger at `path` up to a number of entries or seconds; how many it holds."""
    until = time.monotonic() + seconds
    with Ledger.open(path, actor=ACTOR, create=True) as ledger:
        while True:
            head = ledger.head()
            if (head and head.seq >= entries) or time.monotonic() > until:
                return head.seq if head else 0
            first = _runs(ledger)
            with ledger.receiving() as connection:
                for run in range(first, first + RUNS_AT_ONCE):
                    _run(connection, run)


def _runs(ledger: Ledger) -> int:
    with ledger.looking() as connection:
        return int(connection.exec_driver_sql("SELECT COUNT(*) FROM run_end").scalar() or 0)


def _add(connection: Connection, payloads: Sequence[e.Payload]) -> tuple[Entry, ...]:
    head: Head | None = newest(connection)
    return insert_entries(connection, payloads, ACTOR, head)


def _run(connection: Connection, run: int) -> None:
    """One measuring run from its plan to its end, sometimes with a review before and an acceptance after."""
    name, arms = f"m-{run:08}", [(run * ARMS_A_RUN + one) % ARMS for one in range(ARMS_A_RUN)]
    if run % REVIEW_EVERY == 0:
        _add(connection, _review(run, arms))
    launches: list[e.Payload] = [_plan(name, run, arms), _machine(name, run), _model(name, run)]
    launches += [_arm(run, arm) for arm in arms]
    for block in range(BLOCKS):
        for position in range(ARMS_A_RUN + 2):
            launches += _launch(name, run, block, position, arms)
    added = _add(connection, launches)
    trials = [entry.id for entry in added if entry.kind == e.Trial.kind]
    judged = _add(connection, [_verdict(name, run, arm, load, trials) for arm in arms for load in LOADS])
    end = e.RunEnd(run=name, outcome="completed", reason=None, detail="four blocks", downtime_s=280.5)
    _add(connection, [end])
    if run % ACCEPT_EVERY == 0:
        _add(connection, [_acceptance(name, run, arms[0], [judged[0].id])])


def _plan(name: str, run: int, arms: Sequence[int]) -> e.MeasuringRun:
    return e.MeasuringRun(
        run=name, target=target(run), target_sha256="b" * 64, proposal="0001-knob", tree=TREE,
        criteria={"blocks": BLOCKS}, arms=tuple(fingerprint(arm) for arm in arms), seed=run, blocks=BLOCKS,
        slots=(e.Slot(block=0, position=0, role="baseline", arm=None),), downtime_s=300, harness_version="0.1.0",
    )  # fmt: skip


def _machine(name: str, run: int) -> e.Machine:
    card = e.MachineCard(number=0, name="V100", uuid=f"GPU-{run % TARGETS}", memory_mib=32768)
    return e.Machine(
        run=name, target=target(run), launch=f"{name}.b0.p0", host=f"host-{run % TARGETS}", kernel="Linux 6.1.0",
        cpu="a processor", cores=16, driver=driver(run), cards=(card,), engine="b1",
    )  # fmt: skip


def _model(name: str, run: int) -> e.Model:
    file = model_file(run % TARGETS)
    return e.Model(
        run=name, target=target(run), launch=f"{name}.b0.p0", arm=None,
        files=(e.ModelFile(
            path=f"/models/{file}", name=file, bytes=14_000_000_000, written="2026-11-01T00:00:00Z",
            stamp=f"{run % TARGETS}-1", sample_sha256="c" * 64, sha256=None,
        ),),
    )  # fmt: skip


def _arm(run: int, arm: int) -> e.Arm:
    return e.Arm(
        fingerprint=fingerprint(arm), name=f"arm-{arm}", target=target(run), proposal="0001-knob",
        definition={"flags": {flag(arm): arm}}, origins=("author",),
    )  # fmt: skip


def _launch(name: str, run: int, block: int, position: int, arms: Sequence[int]) -> list[e.Payload]:
    launch, number = f"{name}.b{block}.p{position}", position - 2
    role = ("baseline", "placebo", "arm")[min(position, 2)]
    metrics = tuple(e.Metric(metric="total_tok_s", load=load, value=60.0 + load, samples=2) for load in LOADS)
    return [
        e.Launch.model_validate({
            "launch": launch, "run": name, "target": target(run), "block": block, "attempt": 1, "position": position,
            "role": role, "arm": fingerprint(arms[number]) if number >= 0 else None, "argv": ("server", "--port", "1"),
            "env": (), "pid": 4711, "start_time": 9_000_000, "ready_s": 2.25, "log": None, "outcome": "ran",
            "reason": None, "detail": "",
        }),
        e.Gate(launch=launch, run=name, gate="ready", passed=True, reason=None, evidence="listening"),
        e.Gate(launch=launch, run=name, gate="armed", passed=True, reason=None, evidence="4 of 4"),
        e.Trial(launch=launch, run=name, protocol="ladder", metrics=metrics, reason=None, detail=""),
    ]  # fmt: skip


def _verdict(name: str, run: int, arm: int, load: int, trials: Sequence[str]) -> e.Verdict:
    interval = e.Interval(
        estimate_pct=(run + load) % 89 / 7 - 4, low_pct=-3.5, high_pct=16.25, level=0.0125, launch_sd_pct=4.7,
        degrees_of_freedom=12, pooled=True,
    )  # fmt: skip
    return e.Verdict.model_validate({
        "run": name, "target": target(run), "arm": fingerprint(arm), "arm_name": f"arm-{arm}",
        "metric": "total_tok_s", "load": load, "primary": load == LOADS[-1], "validity": "VALID", "reasons": (),
        "speed": SPEEDS[(run + arm) % len(SPEEDS)], "numerics": "IDENTICAL", "interval": interval,
        "smallest_effect_pct": 10.0, "blocks": 4, "placebo_low_pct": -3.5, "placebo_high_pct": 4.25,
        "visible_effect_pct": 9.0, "more_blocks": 3, "more_server_minutes": 12.5, "trials": tuple(trials),
    })  # fmt: skip


def _acceptance(name: str, run: int, arm: int, verdicts: Sequence[str]) -> e.Acceptance:
    return e.Acceptance(
        proposal="0001-knob", tree=TREE, target=target(run), arm=fingerprint(arm), arm_name=f"arm-{arm}", run=name,
        verdicts=tuple(verdicts), criteria_sha256="c" * 64, person="Ada", reason="users wait less", supersedes=None,
    )  # fmt: skip


def _review(run: int, arms: Sequence[int]) -> list[e.Payload]:
    """A review in which each reviewer predicts something of the first arms."""
    name = f"r-{run:08}"
    seats = tuple(
        e.ReviewerSeat(name=reviewer(one), reviewer_kind="openai", model="m", label="live", timeout_s=60)
        for one in range(REVIEWERS)
    )
    began = e.ReviewRun(
        run=name, proposal="0001-knob", tree=TREE, quorum=2, template_sha256="a" * 64, reviewers=seats
    )  # fmt: skip
    return [began, *(_hypothesis(name, one, arms[one % len(arms)]) for one in range(REVIEWERS))]


def _hypothesis(name: str, one: int, arm: int) -> e.Hypothesis:
    predicted = e.Prediction(metric="total_tok_s", load=LOADS[-1], direction="up", low_pct=2, high_pct=20)
    return e.Hypothesis(
        hypothesis=f"{name}/{reviewer(one)}/1", run=name, reviewer=reviewer(one), mechanism="slots run together",
        prediction=predicted, prediction_sha256="a" * 64, falsifier="no change", citations=(),
        arm={"flags": {flag(arm): arm}}, arm_fingerprint=fingerprint(arm), not_runnable=None,
    )  # fmt: skip
