"""What of a ticket lies in the ledger: what was attested, measured, controlled, and on which machine. Reading only."""

import json
from collections.abc import Sequence
from typing import Any, Protocol

from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import GateName
from ledger.canonical import digest
from ledger.entries import Acceptance, Gate, Launch, Machine, MeasuringRun, Trial, Verdict
from ledger.errors import LedgerError
from ledger.store import Entry, Ledger

NO_CARD = "no card"
UNRECORDED = "not recorded"
MODEL_SUFFIX = ".gguf"


class NamedCard(Protocol):
    """A card as the harness names it, now or on record."""

    @property
    def number(self) -> int:
        """Its number by the driver."""

    @property
    def name(self) -> str | None:
        """Its model."""

    @property
    def uuid(self) -> str | None:
        """What tells it from another of its model."""


def card_words(cards: Sequence[NamedCard]) -> str:
    """Which cards, or that there is none."""
    return "; ".join(f"{one.number} {one.name or '?'} {one.uuid or '?'}" for one in cards) or NO_CARD


def measurements(ledger: Ledger, run: str) -> tuple[Entry, ...]:
    """Every launch, gate, trial and verdict of a run, oldest first."""
    kinds = (Launch, Gate, Trial, Verdict)
    return tuple(sorted((entry for kind in kinds for entry, _ in ledger.of(kind, run=run)), key=lambda one: one.seq))


def measured_words(entries: Sequence[Entry]) -> str:
    """How many of each kind, and a hash over their ids."""
    counts = {kind: sum(entry.kind == kind for entry in entries) for kind in ("launch", "gate", "trial", "verdict")}
    many = {"launch": "launches"}
    said = ", ".join(f"{count} {kind if count == 1 else many.get(kind, f'{kind}s')}" for kind, count in counts.items())
    return f"{said} {digest([entry.id for entry in entries])}"


def attested_words(ledger: Ledger, acceptance: Acceptance) -> str:
    """The arm, and a hash over what ran and what was in force in each of its launches, as their armed gates kept it."""
    seen = seen_of(ledger, acceptance)
    if seen is None:
        return f"{acceptance.arm} attested by what is withheld or gone"
    kept = [{"engine": one["engine"]["effective"], "objects": _objects(one)} for one in seen]
    return f"{acceptance.arm} attested {digest(kept)}"


def seen_of(ledger: Ledger, acceptance: Acceptance) -> list[dict[str, Any]] | None:
    """What the armed gates of the arm's launches kept, oldest first; none where one of them cannot be read."""
    launches = {one.launch for _, one in ledger.of(Launch, run=acceptance.run) if one.arm == acceptance.arm}
    gates = [gate for _, gate in ledger.of(Gate, run=acceptance.run) if gate.gate == GateName.ARMED.value]
    try:
        return [
            json.loads(ledger.read_blob(gate.seen.sha256))
            for gate in gates
            if gate.launch in launches and gate.seen is not None
        ]
    except LedgerError:
        return None


def model_files(ledger: Ledger, acceptance: Acceptance) -> tuple[str, ...]:
    """Model files that the arm's launches had mapped."""
    seen = seen_of(ledger, acceptance) or []
    paths = {one["path"] for saw in seen for one in saw["host"]["objects"] if one["path"].endswith(MODEL_SUFFIX)}
    return tuple(sorted(paths))


def controls_words(ledger: Ledger, acceptance: Acceptance) -> str:
    """The controls that the run passed: what the placebo showed, and the arms whose verdict was known beforehand."""
    said: list[str] = []
    for _, verdict in ledger.of(Verdict, run=acceptance.run, arm=acceptance.arm):
        if verdict.primary and verdict.placebo_low_pct is not None and verdict.placebo_high_pct is not None:
            said.append(f"placebo {verdict.placebo_low_pct:+.1f} to {verdict.placebo_high_pct:+.1f} %")
    for _, run in ledger.of(MeasuringRun, run=acceptance.run):
        planted = Criteria.model_validate(run.criteria).design.controls
        said += [f"{control.arm} planted as {control.kind}" for control in planted]
    return "; ".join(said) or UNRECORDED


def machine_of(ledger: Ledger, run: str) -> Machine | None:
    """The machine that the run's last launches were on, none where none is on record."""
    found = ledger.of(Machine, run=run)
    return found[-1][1] if found else None


def _objects(seen: dict[str, Any]) -> list[list[str]]:
    return sorted([one["path"], one["sha256"]] for one in seen["host"]["objects"] if one["sha256"])
