"""Plays a run with looks block by block, as the block loop would, from numbers known beforehand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.planning.balanced import balanced_slots, screen_slots
from harness.verdicts import Evidence
from harness.verdicts.course import Course, course
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from ledger.canonical import digest
from ledger.entries import Gate, Launch, Look, MeasuringRun, Metric, Trial
from tests.harness.verdicts.records import GATES, RUN, arm, criteria

# Three looks of one to three arms, levels as a plan of ten blocks would have them, given by hand.
LOOKS = (
    Look(blocks=4, levels=(0.01, 0.005, 0.003), futility=0.02),
    Look(blocks=7, levels=(0.02, 0.01, 0.007), futility=0.04),
    Look(blocks=10, levels=(0.03, 0.015, 0.01), futility=0.06),
)


@dataclass
class Play:
    """A run in which everything holds, except launches named in `broken` (treatment and block)."""

    values: Mapping[str, Sequence[float]]  # by treatment, one number a block, the screen's first
    criteria: Criteria
    looks: tuple[Look, ...] = LOOKS
    broken: frozenset[tuple[str, int]] = frozenset()
    took_s: float | None = 60.0
    launches: list[Launch] = field(default_factory=list)
    gates: list[Gate] = field(default_factory=list)
    trials: list[tuple[str, Trial]] = field(default_factory=list)

    @property
    def arms(self) -> dict[str, Arm]:
        """By fingerprint."""
        made = [arm(name) for name in self.values if name not in ("baseline", "placebo")]
        return {one.fingerprint: one for one in made}

    @property
    def run(self) -> MeasuringRun:
        """The plan."""
        passes = self.criteria.screen.passes if self.criteria.screen else 0
        arms = tuple(self.arms)
        return MeasuringRun(
            run=RUN, target="t", target_sha256="0" * 64, proposal=None, tree=None,
            criteria=self.criteria.model_dump(mode="json", by_alias=True), arms=arms, seed=1,
            blocks=passes + self.looks[-1].blocks, downtime_s=1.0, harness_version="0", looks=self.looks,
            slots=(*screen_slots(arms, passes), *balanced_slots(arms, self.looks[-1].blocks, 1, passes)),
            screen_blocks=passes,
        )  # fmt: skip

    @property
    def evidence(self) -> Evidence:
        """What is on record so far."""
        texts = {launch.launch: ("a text",) for launch in self.launches}
        return Evidence(list(self.launches), list(self.gates), list(self.trials), texts)

    @property
    def state(self) -> Course:
        """Where the run stands."""
        return course(self.run, self.criteria, self.arms, self.evidence)

    def to_the_end(self) -> Course:
        """Launch whatever is due until nothing is."""
        for _ in range(self.run.blocks):
            state = self.state
            if state.next_block is None:
                return state
            self.block(state.next_block, state.due[-1])
        return self.state

    def block(self, number: int, due: frozenset[str]) -> None:
        """Launch one block."""
        for slot in sorted(self.run.slots, key=lambda slot: slot.position):
            if slot.block == number and (slot.arm is None or slot.arm in due):
                name = self.arms[slot.arm].name if slot.arm else slot.role
                self._launch(f"{RUN}.b{number}.t1.{name}", name, number, slot.position, slot.arm)

    def _launch(self, at: str, name: str, block: int, position: int, fingerprint: str | None) -> None:
        ran = (name, block) not in self.broken
        self.launches.append(
            Launch.model_validate(
                {
                    "launch": at, "run": RUN, "target": "t", "block": block, "attempt": 1, "position": position,
                    "role": name if fingerprint is None else "arm", "arm": fingerprint, "argv": ("server",), "env": (),
                    "pid": 1, "start_time": 1, "ready_s": 30.0, "log": None, "outcome": "ran" if ran else "invalid",
                    "reason": None if ran else "not_armed", "detail": "" if ran else "words", "took_s": self.took_s,
                }
            )
        )  # fmt: skip
        if ran:
            self.gates += [
                Gate(launch=at, run=RUN, gate=gate, passed=True, reason=None, evidence="x") for gate in GATES
            ]
            metric = Metric(metric="total_tok_s", load=4, value=self.values[name][block], samples=1)
            trial = Trial(launch=at, run=RUN, protocol="ladder", metrics=(metric,), reason=None, detail="")
            self.trials.append((digest({"trial": at}), trial))


def asking(**tables: object) -> Criteria:
    """Criteria with looks: ten blocks, smallest effect 1 %, planned gain 5 %."""
    looks = {"count": 3, "planned_effect_pct": 5}
    primary = {"metric": "total_tok_s", "load": 4, "smallest_effect_pct": 1}
    return criteria(**({"blocks": 10, "level": 0.05, "looks": looks, "primary": primary} | tables))


def rates(change_pct: float, blocks: int = 12, wobble_pct: float = 0.5, phase: int = 0) -> list[float]:
    """Numbers around 100 tok/s with a fixed wobble, `change_pct` above it."""
    wobble = (1, -1, 0.5, -0.5, 0.8, -0.8, 0.2, -0.2, 1, -1, 0.5, -0.5)
    return [100 * (1 + change_pct / 100) * (1 + wobble_pct / 100 * wobble[(n + phase) % 12]) for n in range(blocks)]
