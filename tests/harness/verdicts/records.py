"""Makes the record of a small run, as the workflow would have written it, for the tests of this folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.planning import slots
from harness.verdicts.cells import Evidence
from harness.vocabulary.arm import Arm, Witness
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Reason
from ledger.canonical import digest
from ledger.entries import Gate, Launch, MeasuringRun, Metric, Trial

RUN = "measure-000001"
WITNESS = (Witness(source="log", pattern="engaged"),)
GATES = ("ready", "armed", "coherent")


def arm(name: str, *, witness: bool = True) -> Arm:
    """An arm whose fingerprint follows from its name."""
    return Arm(schema=1, name=name, flags={f"flag-{name}": 1}, witness=WITNESS if witness else ())


def criteria(**changes: object) -> Criteria:
    """Criteria of the demo's kind: total of four users, 10 %, level 0.05, one guard."""
    value: dict[str, object] = {
        "schema": 1,
        "blocks": 4,
        "level": 0.05,
        "ladder": {"steps": [1, 4, 1], "tokens": 64},
        "primary": {"metric": "total_tok_s", "load": 4, "smallest_effect_pct": 10},
        "numerics": {"policy": "report", "reason": "a test"},
    }
    return Criteria.model_validate(value | changes)


@dataclass(frozen=True)
class Record:
    """A whole run; values are per treatment ("baseline", "placebo" or an arm's name), one number a block."""

    values: Mapping[str, Sequence[float]]
    criteria: Criteria = field(default_factory=criteria)
    arms: tuple[Arm, ...] = ()
    metric: str = "total_tok_s"
    more: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)  # further metrics at load 4
    launches: tuple[Launch, ...] = ()
    gates: tuple[Gate, ...] = ()
    trials: tuple[tuple[str, Trial], ...] = ()
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def run(self) -> MeasuringRun:
        """The plan."""
        fingerprints = tuple(one.fingerprint for one in self.arms)
        blocks = self.criteria.blocks
        return MeasuringRun(
            run=RUN,
            target="t",
            target_sha256="0" * 64,
            proposal=None,
            tree=None,
            criteria=self.criteria.model_dump(mode="json", by_alias=True),
            arms=fingerprints,
            seed=1,
            blocks=blocks,
            slots=slots(fingerprints, blocks, 1),
            downtime_s=1.0,
            harness_version="0",
        )

    @property
    def by_fingerprint(self) -> dict[str, Arm]:
        """The arms as `assemble` takes them."""
        return {one.fingerprint: one for one in self.arms}

    @property
    def evidence(self) -> Evidence:
        """What was recorded."""
        return Evidence(self.launches, self.gates, self.trials, self.texts)

    def without_number(self, name: str, block: int, reason: Reason, detail: str = "words") -> "Record":
        """The launch was invalid: no gates held, no trial."""
        at = launch_id(name, block)
        return replace(
            self,
            launches=tuple(_invalid(one, reason, detail) if one.launch == at else one for one in self.launches),
            gates=tuple(gate for gate in self.gates if gate.launch != at),
            trials=tuple(pair for pair in self.trials if pair[1].launch != at),
        )

    def with_gate(self, name: str, block: int, gate: str, passed: bool, reason: Reason | None = None) -> "Record":
        """The launch has this outcome of the gate, in place of another one."""
        at = launch_id(name, block)
        kept = tuple(one for one in self.gates if (one.launch, one.gate) != (at, gate))
        return replace(self, gates=(*kept, _gate(at, gate, passed, reason, f"names {name!r}")))


def record(values: Mapping[str, Sequence[float]], *, witness: bool = True, **given: object) -> Record:
    """A run in which everything held; every treatment but baseline and placebo is an arm."""
    arms = tuple(arm(name, witness=witness) for name in values if name not in ("baseline", "placebo"))
    made = replace(Record(values=values, arms=arms), **given)  # type: ignore[arg-type]
    names = {one.fingerprint: one.name for one in arms}
    launches, gates, trials, texts = [], [], [], {}
    for slot in made.run.slots:
        name = names[slot.arm] if slot.arm else slot.role
        at = launch_id(name, slot.block)
        launches.append(_launch(at, slot.block, slot.position, slot.role, slot.arm))
        gates += [_gate(at, gate, True, None, "seen") for gate in GATES]
        numbers = {made.metric: values[name][slot.block]}
        numbers |= {metric: by_name[name][slot.block] for metric, by_name in made.more.items()}
        trials.append((digest({"trial": at}), _trial(at, numbers)))
        texts[at] = ("a text", "another")
    return replace(made, launches=tuple(launches), gates=tuple(gates), trials=tuple(trials), texts=texts)


def launch_id(name: str, block: int, attempt: int = 1) -> str:
    """The id of a treatment's launch."""
    return f"{RUN}.b{block}.t{attempt}.{name}"


def _launch(at: str, block: int, position: int, role: str, fingerprint: str | None) -> Launch:
    return Launch.model_validate(
        {
            "launch": at, "run": RUN, "target": "t", "block": block, "attempt": 1, "position": position, "role": role,
            "arm": fingerprint, "argv": ("server",), "env": (), "pid": 1, "start_time": 1, "ready_s": 1.0, "log": None,
            "outcome": "ran", "reason": None, "detail": "",
        }
    )  # fmt: skip


def _invalid(launch: Launch, reason: Reason, detail: str) -> Launch:
    return launch.model_copy(update={"outcome": "invalid", "reason": reason.value, "detail": detail})


def _gate(at: str, gate: str, passed: bool, reason: Reason | None, evidence: str) -> Gate:
    return Gate(launch=at, run=RUN, gate=gate, passed=passed, reason=reason, evidence=evidence)


def _trial(at: str, numbers: Mapping[str, float]) -> Trial:
    metrics = tuple(Metric(metric=name, load=4, value=value, samples=1) for name, value in numbers.items())
    return Trial(launch=at, run=RUN, protocol="ladder", metrics=metrics, reason=None, detail="")
