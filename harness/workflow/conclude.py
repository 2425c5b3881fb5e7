"""From the record of a run to its verdicts. Reads the ledger, computes purely, appends verdicts and the run's end."""

from dataclasses import dataclass
from datetime import datetime

from harness.gates.quality import check_quality
from harness.verdicts import Evidence, RunVerdict, assemble
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Role
from harness.workflow.admitted import arms_of
from harness.workflow.plan import gates_of
from harness.workflow.record import texts_of
from ledger.entries import Gate, Launch, MeasuringRun, Payload, RunEnd, Trial
from ledger.store import Entry, Ledger


@dataclass(frozen=True)
class Conclusion:
    """What a run says, and the entries it was written to."""

    verdict: RunVerdict
    entries: tuple[Entry, ...]


def judge(ledger: Ledger, plan: MeasuringRun) -> RunVerdict:
    """The verdicts as they follow from what is on record; computed anew each time, never read back."""
    launches = ledger.of(Launch, run=plan.run)
    criteria, evidence = Criteria.model_validate(plan.criteria), evidence_of(ledger, plan)
    return assemble(plan, criteria, arms_of(ledger, plan), evidence, minutes_per_block(launches, plan))


def evidence_of(ledger: Ledger, plan: MeasuringRun) -> Evidence:
    """Everything recorded of a run that verdicts rest on."""
    return Evidence(
        launches=[launch for _, launch in ledger.of(Launch, run=plan.run)],
        gates=gates_of(ledger, plan.run),
        trials=[(entry.id, trial) for entry, trial in ledger.of(Trial, run=plan.run)],
        texts=texts_of(ledger, plan.run),
    )


def quality_gates(ledger: Ledger, plan: MeasuringRun) -> list[Gate]:
    """One quality gate for each arm's launch, where the criteria name it: its texts against its block's baseline."""
    criteria = Criteria.model_validate(plan.criteria)
    least = criteria.numerics.min_quality
    if criteria.numerics.policy != "quality" or least is None:
        return []
    texts = texts_of(ledger, plan.run)
    launches = [launch for _, launch in ledger.of(Launch, run=plan.run) if launch.launch in texts]
    controls = {(x.block, x.attempt): texts[x.launch] for x in launches if x.role == Role.BASELINE.value}
    found: list[Gate] = []
    for launch in launches:
        baseline = controls.get((launch.block, launch.attempt))
        if launch.role == Role.ARM.value and baseline is not None:
            outcome = check_quality(texts[launch.launch], baseline, least)
            found.append(
                Gate(
                    launch=launch.launch,
                    run=plan.run,
                    gate=outcome.gate,
                    passed=outcome.passed,
                    reason=outcome.reason,
                    evidence=outcome.evidence,
                )
            )
    return found


def conclude(ledger: Ledger, plan: MeasuringRun, downtime_s: float) -> Conclusion:
    """Append the verdicts and the end of the run. A void run's verdicts carry no number and say why."""
    ledger.append_all(quality_gates(ledger, plan))
    verdict = judge(ledger, plan)
    end = RunEnd(
        run=plan.run,
        outcome="void" if verdict.void else "completed",
        reason=verdict.void,
        detail=verdict.sentence,
        downtime_s=downtime_s,
        notes=verdict.notes,
    )
    payloads: list[Payload] = [*verdict.verdicts, end]
    return Conclusion(verdict, ledger.append_all(payloads))


def minutes_per_block(launches: list[tuple[Entry, Launch]], plan: MeasuringRun) -> float:
    """Server minutes one block took, from the times of its launches' entries; the plan's figure before any is known."""
    spans: list[float] = []
    for block in range(plan.blocks):
        times = [datetime.fromisoformat(entry.time) for entry, launch in launches if launch.block == block]
        if len(times) > 1:
            steps = len(times) - 1
            spans.append((max(times) - min(times)).total_seconds() / steps * (steps + 1))
    if not spans:
        return plan.downtime_s / plan.blocks / 60
    return sum(spans) / len(spans) / 60
