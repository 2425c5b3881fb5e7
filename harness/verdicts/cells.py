"""Which launches count, and what each of them may contribute: numbers, or failures, never both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import GateName, Reason, Role
from ledger.entries import Gate, Launch, MeasuringRun, Trial

Key = tuple[str, int]  # metric and load

# Gates without which no number may exist. The others say something about texts or abilities and matter to acceptance.
PROOFS = frozenset({GateName.READY, GateName.ARMED, GateName.ISOLATED, GateName.COHERENT})
# Reasons that do not make a launch's speed untrue: they are judged by numerics, by engagement or by the criteria.
HARMLESS = frozenset({Reason.NO_WITNESS, Reason.TEXT_CHANGED, Reason.QUALITY_BELOW, Reason.CAPABILITY_MISSING})


@dataclass(frozen=True)
class Evidence:
    """What was recorded of one measuring run."""

    launches: Sequence[Launch]
    gates: Sequence[Gate]
    trials: Sequence[tuple[str, Trial]]  # entry hash and payload
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # launch id to its temperature-0 texts


@dataclass(frozen=True)
class Failure:
    """Why a launch carries no number."""

    reason: str  # a code of Reason
    sentence: str


@dataclass(frozen=True)
class Cell:
    """One launch of the layout."""

    launch: Launch
    failures: tuple[Failure, ...]
    numbers: Mapping[Key, float]  # empty if anything failed
    trials: tuple[str, ...]  # entry hashes
    texts: tuple[str, ...] | None


@dataclass(frozen=True)
class Layout:
    """The launches that count: the last attempt of each block."""

    run: MeasuringRun
    cells: tuple[Cell, ...]

    def cut_short(self) -> tuple[int, ...]:
        """Planned blocks whose last attempt lacks a planned launch."""
        seen = {(cell.launch.block, cell.launch.role, cell.launch.arm) for cell in self.cells}
        return tuple(sorted({s.block for s in self.run.slots if (s.block, s.role, s.arm) not in seen}))

    def of(self, role: Role, arm: str | None = None) -> tuple[Cell, ...]:
        """The cells of one treatment in order of blocks."""
        return tuple(cell for cell in self.cells if cell.launch.role == role and cell.launch.arm == arm)

    def within(self, blocks: Iterable[int]) -> "Layout":
        """The launches of these blocks alone."""
        kept = frozenset(blocks)
        return Layout(self.run, tuple(cell for cell in self.cells if cell.launch.block in kept))

    def complete(self, key: Key) -> tuple[int, ...]:
        """Blocks in which baseline and placebo both have this number."""
        with_number = [
            {cell.launch.block for cell in self.of(role) if key in cell.numbers}
            for role in (Role.BASELINE, Role.PLACEBO)
        ]
        return tuple(sorted(with_number[0] & with_number[1]))


def last_attempts(launches: Iterable[Launch]) -> tuple[Launch, ...]:
    """The launches of each block's last attempt, by block and position; a broken block is discarded whole."""
    ordered = sorted(launches, key=lambda launch: (launch.block, launch.position))
    last: dict[int, int] = {}
    for launch in ordered:
        last[launch.block] = max(launch.attempt, last.get(launch.block, 0))
    return tuple(launch for launch in ordered if launch.attempt == last[launch.block])


def layout(run: MeasuringRun, criteria: Criteria, evidence: Evidence) -> Layout:
    """Sort the evidence into cells. Raises ValueError if it is not of this run or a slot was launched twice."""
    runs = {launch.run for launch in evidence.launches} | {gate.run for gate in evidence.gates}
    runs |= {trial.run for _, trial in evidence.trials}
    if runs - {run.run}:
        raise ValueError(f"evidence of run {min(runs - {run.run})!r} was given for run {run.run!r}; pass one run only")
    launches = last_attempts(evidence.launches)
    slots = [(launch.block, launch.role, launch.arm) for launch in launches]
    if len(set(slots)) != len(slots):
        raise ValueError(f"run {run.run!r} has two launches for one slot of one attempt; the record is not usable")
    return Layout(run, tuple(_cell(launch, criteria, evidence) for launch in launches))


def _cell(launch: Launch, criteria: Criteria, evidence: Evidence) -> Cell:
    gates = [gate for gate in evidence.gates if gate.launch == launch.launch]
    trials = [(entry, trial) for entry, trial in evidence.trials if trial.launch == launch.launch]
    failures = tuple(_failures(launch, criteria, gates, [trial for _, trial in trials]))
    numbers = {(str(m.metric), m.load): m.value for _, trial in trials for m in trial.metrics}
    return Cell(
        launch=launch,
        failures=failures,
        numbers={} if failures else numbers,
        trials=tuple(entry for entry, _ in trials),
        texts=evidence.texts.get(launch.launch),
    )


def _failures(launch: Launch, criteria: Criteria, gates: Sequence[Gate], trials: Sequence[Trial]) -> Iterable[Failure]:
    if launch.outcome == "invalid":
        yield Failure(launch.reason or Reason.DIED, launch.detail or "the launch ended without a word")
    for gate in gates:
        told = gate.evidence == launch.detail and gate.reason == launch.reason  # the gate that ended the launch
        if not gate.passed and gate.reason not in HARMLESS and gate.gate in PROOFS and not told:
            yield Failure(gate.reason or Reason.NO_PROOF, f"gate {gate.gate}: {gate.evidence}")
    for trial in trials:
        if trial.reason is not None:
            yield Failure(trial.reason, f"protocol {trial.protocol}: {trial.detail}")
    if launch.outcome == "ran":
        for name in sorted(PROOFS.intersection(criteria.gates) - {gate.gate for gate in gates}):
            yield Failure(Reason.NO_PROOF, f"gate {name} left no record, and a missing proof means no number")
        if not trials:
            yield Failure(Reason.NO_PROOF, "no trial was recorded")


def counted_from_one(blocks: Iterable[int]) -> str:
    """Numbers of blocks as people read them: once each, from 1, while the record counts from 0."""
    return ", ".join(str(block + 1) for block in sorted(set(blocks)))
