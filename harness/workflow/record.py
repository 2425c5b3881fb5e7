"""From a launch's outcome to ledger entries: blobs first, then launch, gates and trial in one transaction."""

import json

from harness.gates.base import GateOutcome
from harness.vocabulary.outcome import Reason
from harness.workflow.launch_values import LaunchOutcome
from harness.workflow.models import as_entry, whole_hashes
from ledger.entries import BlobRef, Gate, Launch, Machine, MachineCard, Model, Payload, Trial
from ledger.entries.trial import ClientCost
from ledger.store import Ledger


def record_launch(ledger: Ledger, outcome: LaunchOutcome) -> None:
    """Append everything one launch left behind. Nothing is written before the launch has ended."""
    log = ledger.put_blob(outcome.log_text.encode(), "text/plain") if outcome.log_text else None
    took_s = max(0.0, outcome.stopped_at - outcome.started_at)  # a clock set back meanwhile took nothing
    launch = outcome.launch.model_copy(update={"log": log, "took_s": took_s})
    payloads: list[Payload] = [
        *_machine(ledger, outcome),
        *_model(ledger, outcome),
        launch,
        *(_gate(ledger, launch, gate, outcome.self_armed) for gate in outcome.gates),
    ]
    if launch.outcome == "ran":
        payloads.append(_trial(ledger, launch, outcome))
    ledger.append_all(payloads)


def _machine(ledger: Ledger, outcome: LaunchOutcome) -> tuple[Machine, ...]:
    """The machine, where it is not the one that the run's launches before were on."""
    facts, launch = outcome.machine, outcome.launch
    if facts is None:
        return ()
    known = [machine for _, machine in ledger.of(Machine, run=launch.run)][-1:]
    engine = known[0].engine if known else None
    if launch.role != "arm":  # an arm may bring another build; that is the arm's, not production's
        engine = outcome.build or engine
    cards = tuple(MachineCard(**vars(card)) for card in facts.cards)
    values = {**vars(facts), "cards": cards, "engine": engine, "run": launch.run, "target": launch.target}
    machine = Machine.model_validate({**values, "launch": launch.launch})
    same = known and known[0].model_copy(update={"launch": launch.launch}) == machine
    return () if same else (machine,)


def _model(ledger: Ledger, outcome: LaunchOutcome) -> tuple[Model, ...]:
    """The model files, where they are not those that launches of this run with the same arm ran with before."""
    launch = outcome.launch
    if not outcome.models:
        return ()
    earlier = [model for _, model in ledger.of(Model, target=launch.target)]
    made = Model(
        run=launch.run,
        target=launch.target,
        launch=launch.launch,
        arm=launch.arm,
        files=tuple(as_entry(one, whole_hashes(earlier)) for one in outcome.models),
    )
    same = [one for one in earlier if (one.run, one.arm) == (launch.run, launch.arm)][-1:]
    return () if same and same[0].files == made.files else (made,)


def _gate(ledger: Ledger, launch: Launch, gate: GateOutcome, self_armed: tuple[str, ...]) -> Gate:
    texts = ledger.put_blob(json.dumps(gate.texts).encode(), "application/json") if gate.texts else None
    return Gate(
        launch=launch.launch,
        run=launch.run,
        gate=gate.gate,
        passed=gate.passed,
        reason=gate.reason,
        evidence=gate.evidence,
        about=self_armed if gate.reason is Reason.SELF_ARMED else (),
        texts=texts,
        seen=ledger.put_blob(gate.seen.encode(), "application/json") if gate.seen else None,
    )


def _trial(ledger: Ledger, launch: Launch, outcome: LaunchOutcome) -> Trial:
    trial = outcome.trial
    requests: BlobRef | None = None
    if trial is not None and trial.records:
        lines = "\n".join(json.dumps(record.as_json()) for record in trial.records)
        requests = ledger.put_blob(lines.encode(), "application/jsonl")
    if trial is None:
        return Trial(
            launch=launch.launch,
            run=launch.run,
            protocol=outcome.protocol,
            metrics=(),
            reason=Reason.REQUEST_FAILED,
            detail="no protocol ran on this launch",
        )
    return Trial(
        launch=launch.launch,
        run=launch.run,
        protocol=outcome.protocol,
        metrics=trial.metrics,
        reason=trial.reason,
        detail=trial.detail,
        requests=requests,
        findings=trial.findings,
        client=ClientCost(**trial.client.as_json()) if trial.client else None,
    )


def texts_of(ledger: Ledger, run: str) -> dict[str, tuple[str, ...]]:
    """The temperature-0 texts of every launch of a run, by launch id."""
    found: dict[str, tuple[str, ...]] = {}
    for _, gate in ledger.of(Gate, run=run):
        if gate.texts is not None:
            found[gate.launch] = tuple(json.loads(ledger.read_blob(gate.texts.sha256)))
    return found
