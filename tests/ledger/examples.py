"""One valid payload of every kind, and a fresh ledger that holds one of each. Values only; no test stands here."""

from pathlib import Path

from ledger import entries as e
from ledger.store import Ledger

A, B, C = "a" * 64, "b" * 64, "c" * 64
TREE = "d" * 40
RUN, REVIEW_RUN = "m-20261129-0001", "r-20261129-0001"
INTERVAL = e.Interval(
    estimate_pct=44.5,
    low_pct=30.25,
    high_pct=60.0,
    level=0.0125,
    launch_sd_pct=4.7,
    degrees_of_freedom=12,
    pooled=True,
)


def verdict(run: str = RUN, arm: str = A, **changes: object) -> e.Verdict:
    """A FASTER verdict."""
    values: dict[str, object] = {
        "run": run, "target": "local-llamacpp", "arm": arm, "arm_name": "four-slots", "metric": "total_tok_s",
        "load": 4, "primary": True, "validity": "VALID", "reasons": (), "speed": "FASTER", "numerics": "IDENTICAL",
        "interval": INTERVAL, "smallest_effect_pct": 10.0, "blocks": 4, "placebo_low_pct": -3.5,
        "placebo_high_pct": 4.25, "visible_effect_pct": 9.0, "more_blocks": None, "more_server_minutes": None,
        "trials": (B, C),
    }  # fmt: skip
    return e.Verdict.model_validate(values | changes)


def launch(run: str = RUN, block: int = 0, log: e.BlobRef | None = None) -> e.Launch:
    """A launch that ran."""
    return e.Launch(
        launch=f"{run}/{block}/1", run=run, target="local-llamacpp", block=block, attempt=1, position=1, role="arm",
        arm=A, argv=("server", "--n-parallel", "4"), env=(("OMP_NUM_THREADS", "2"), ("HF_HOME", None)), pid=4711,
        start_time=9_000_000_000, ready_s=2.25, log=log, outcome="ran", reason=None, detail="",
    )  # fmt: skip


def machine(run: str = RUN, **changes: object) -> e.Machine:
    """A machine with one card."""
    values: dict[str, object] = {
        "run": run, "target": "local-llamacpp", "launch": f"{run}/0/1", "host": "bench", "kernel": "Linux 6.1.0",
        "cpu": "a processor", "cores": 2, "driver": "550.54.15", "engine": "b1-1",
        "cards": ({"number": 0, "name": "V100", "uuid": "GPU-1", "memory_mib": 32768},),
    }  # fmt: skip
    return e.Machine.model_validate(values | changes)


def model(run: str = RUN, arm: str | None = None, **file: object) -> e.Model:
    """A model of one file."""
    values: dict[str, object] = {
        "path": "/models/m.gguf", "name": "m.gguf", "bytes": 2**40, "written": "2026-11-01T00:00:00.000000001Z",
        "stamp": "7:9", "sample_sha256": B, "sha256": None,
    }  # fmt: skip
    one = e.ModelFile.model_validate(values | file)
    return e.Model(run=run, target="local-llamacpp", launch=f"{run}/0/1", arm=arm, files=(one,))


def acceptance(supersedes: str | None = None, target: str = "local-llamacpp") -> e.Acceptance:
    """A person's decision."""
    return e.Acceptance(
        proposal="0001-knob", tree=TREE, target=target, arm=A, arm_name="four-slots", run=RUN, verdicts=(B, C),
        criteria_sha256=C, person="Ada", reason="four users wait less", supersedes=supersedes,
    )  # fmt: skip


def watch(run: str = RUN, **changes: object) -> e.Watch:
    """A later look that contradicts nothing."""
    values: dict[str, object] = {
        "acceptance": A, "target": "local-llamacpp", "arm": A, "arm_name": "four-slots", "run": run, "verdict": B,
        "metric": "total_tok_s", "load": 4, "accepted": INTERVAL, "seen": None, "outcome": "held",
        "detail": "not contradicted",
    }  # fmt: skip
    return e.Watch.model_validate(values | changes)


def _front(blob: e.BlobRef) -> tuple[e.Payload, ...]:
    attempt = f"{REVIEW_RUN}/glm/1"
    return (
        e.Proposal(
            proposal="0001-knob", title="Which knob is real?", proposal_kind="config", target="local-llamacpp",
            question="哪一個旋鈕是真的？", budget_money=1.5, budget_server_minutes=8,
        ),
        e.Revision(proposal="0001-knob", tree=TREE, files=(e.RevisionFile(path="PROPOSAL.md", blob=blob),)),
        e.ReviewRun(
            run=REVIEW_RUN, proposal="0001-knob", tree=TREE, quorum=2, template_sha256=A,
            reviewers=(
                e.ReviewerSeat(name="glm", reviewer_kind="openai", model="GLM-5.2", label="live", timeout_s=60),
            ),
        ),
        e.Attempt(attempt=attempt, run=REVIEW_RUN, reviewer="glm", number=1, prompt=blob, nonce="kestrel"),
        e.Response(
            attempt=attempt, raw=blob, finish_reason="stop", served_model=None, prompt_tokens=900,
            completion_tokens=None, elapsed_s=3.5, cost=0.01, failure=None, detail="",
        ),
        e.Review(run=REVIEW_RUN, attempt=attempt, reviewer="glm", label="live", hypotheses=1),
        e.Exclusion(run=REVIEW_RUN, attempt=None, reviewer="codex", reason="did_not_start", detail="no such file"),
        e.Hypothesis(
            hypothesis=f"{attempt}/1", run=REVIEW_RUN, reviewer="glm", mechanism="slots run together",
            prediction=e.Prediction(metric="total_tok_s", load=4, direction="up", low_pct=20, high_pct=60),
            prediction_sha256=A, falsifier="no change at four users",
            citations=(e.Citation(file="PROPOSAL.md", line=3, quote="n_parallel=1"),),
            arm={"name": "four-slots", "flags": {"n-parallel": 4, "ratio": 0.5}}, arm_fingerprint=A,
            not_runnable=None,
        ),
        e.Brief(
            run=REVIEW_RUN, proposal="0001-knob", tree=TREE, took_part=("glm",), excluded=("codex",),
            hypotheses=(f"{attempt}/1",), arms=(A, B), markdown=blob, html=blob,
        ),
    )  # fmt: skip


def _bench(blob: e.BlobRef) -> tuple[e.Payload, ...]:
    return (
        e.TargetState(
            target="local-llamacpp", state="taken_down", by="harness", run=RUN, pid=None, start_time=None, url=None,
            evidence="stopped by pid",
        ),
        e.Arm(
            fingerprint=A, name="four-slots", target="local-llamacpp", proposal="0001-knob",
            definition={"flags": {"n-parallel": 4}}, origins=("glm/1", "author"),
        ),
        e.MeasuringRun(
            run=RUN, target="local-llamacpp", target_sha256=B, proposal=None, tree=None, criteria={"blocks": 4},
            arms=(A,), seed=2**40, blocks=4, slots=(e.Slot(block=0, position=0, role="baseline", arm=None),),
            downtime_s=300, harness_version="0.1.0",
        ),
        launch(log=blob),
        e.Gate(
            launch=f"{RUN}/0/1", run=RUN, gate="ready", passed=True, reason=None, evidence="listening", texts=blob
        ),
        e.Trial(
            launch=f"{RUN}/0/1", run=RUN, protocol="ladder", reason=None, detail="", requests=blob,
            metrics=(e.Metric(metric="total_tok_s", load=4, value=86.7, samples=1),),
        ),
        verdict(),
        e.RunEnd(run=RUN, outcome="completed", reason=None, detail="four blocks", downtime_s=280.5),
    )  # fmt: skip


def every_kind(blob: e.BlobRef) -> tuple[e.Payload, ...]:
    """One payload of every kind; those that refer to a blob refer to this one."""
    return (
        *what_happened(blob),
        e.Checkpoint(size=1, root=A, head=B),
        e.Tombstone(entries=(A,), blobs=(B,), reason="a key was in it", person="Ada"),
        e.Invalidation(subject=A, fact=None, reason="a throttled card", person="Ada"),
        e.ImportedPage(
            title="notes",
            language="zh-TW",
            source=blob,
            person="Ada",
            pieces=(
                e.ImportedPiece(
                    form="note",
                    text="48 個帶 GDN\n",
                    under="",
                    cells=(),
                    date="2026-08-06",
                    about=True,
                    quantities=(e.Quantity(name="recurrent layers", value="48"),),
                ),
            ),
        ),
        e.Reference(
            target="local-llamacpp",
            engine="llama-bench",
            build="b1 1",
            model="m.gguf",
            source=blob,
            person="Ada",
            results=(e.ReferenceResult(test="tg128", settings=(), tok_s=68.1, sd_tok_s=0.2, samples=5),),
            cautions=(),
        ),
        machine(),
        model(),
        e.Supersession(subject=A, by=B, reason="measured again", person="Ada"),
        *_deploying(blob),
    )


def _deploying(blob: e.BlobRef) -> tuple[e.Payload, ...]:
    return (
        e.Ticket(acceptance=A, target="local-llamacpp", sha256=B, parts=(e.TicketPart(name="target", value=C),)),
        e.Deployment(
            deployment="deploy-000001", target="local-llamacpp", acceptance=A, ticket=B, outcome="deployed",
            detail="up", away_s=1.5, person="Ada",
        ),
        watch(),
        e.Rollback(target="local-llamacpp", leaves=A, back_to=None, reason="too hot", person="Ada"),
        e.Withdrawal(
            approval=A, fingerprint=B, arm_name="return-2", proposal="0001-knob", reason="not read well", person="Ada"
        ),
        e.KernelVerdict(
            run="kernel-000001", task="saxpy_c", task_sha256=A, device="a processor", arm_name="vectors", family="",
            baseline="plain", shape="large", mode="cold", validity="VALID", reason="", speed="FASTER", time_us=12.5,
            estimate_pct=40.0, low_pct=35.0, high_pct=45.0, smallest_effect_pct=10, blocks=5, more_blocks=None,
            report=blob,
        ),
        e.KernelRun(
            run="kernel-000001", proposal="0001-knob", tree="1" * 40, review_run=None, task="saxpy_c", task_sha256=A,
            carried=True, device="a processor", outcome="measured", detail="1 arm was timed", arms=("plain", "vectors"),
            patches=(
                e.KernelPatch(arm_name="by-rows", source_of="plain", hypothesis="h-1", change=B, person="Ada"),
            ),
            wrong=(e.WrongArm(arm_name="no_op", expected="no_op", found="no_op"),),
            compiled=blob,
        ),
        e.KernelApproval(
            proposal="0001-knob", tree="1" * 40, review_run="review-000001", hypothesis="h-1", arm_name="by-rows",
            change=B, approved=True, reason="", person="Ada",
        ),
    )  # fmt: skip


def what_happened(blob: e.BlobRef) -> tuple[e.Payload, ...]:
    """One payload of every kind that says nothing about the ledger itself."""
    return (
        *_front(blob),
        *_bench(blob),
        acceptance(),
        e.Parked(subject="stack cache", proposal=None, reason="not understood", person="Ada"),
        e.NotApplied(
            arm=A, arm_name="four-slots", target="local-llamacpp", run=RUN, reason="not tonight", person="Ada"
        ),
    )


def full_ledger(path: Path) -> Path:
    """A ledger with one entry of every kind that says nothing about the ledger itself, and two blobs; closed."""
    with Ledger.open(path, actor="test", create=True) as ledger:
        blob = ledger.put_blob(b"listening on 127.0.0.1\n" * 40, "text/plain")
        ledger.put_blob(bytes(range(256)) * 9000, "application/octet-stream")
        ledger.append_all(what_happened(blob))
    return path
