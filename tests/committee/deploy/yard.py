"""A workspace around the small stand-in server with accepted arms, as if they had been measured; no run is made."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from committee.accept.accept import accept
from committee.workspace import Workspace
from harness.vocabulary.arm import Arm
from ledger.entries import Acceptance, Deployment
from ledger.in_force import course_of
from ledger.store import Entry
from tests.committee.accept.sample import Bench
from tests.committee.cli.yard import PROPOSAL, Said, typed


def arm(name: str, **flags: object) -> Arm:
    """One change."""
    return Arm.model_validate({"schema": 1, "name": name, "flags": flags})


FAST, SLOW = arm("fast", **{"token-s": 0.0005}), arm("slow", **{"token-s": 0.009})
REFUSING = arm("refusing", mode="refuse")


@dataclass(frozen=True)
class DeployYard:
    """One workspace with its ledger open."""

    bench: Bench

    @property
    def folder(self) -> Path:
        """The workspace."""
        return self.bench.workspace.folder

    def accept(self, one: Arm, run: str, **verdict: Any) -> Entry:
        """The arm is measured, on paper, and accepted."""
        self.bench.measure(run, one, **({"load": 2} | verdict))
        made = accept(self.bench.workspace, self.bench.ledger, PROPOSAL, one.name, "it is faster", "Ada")
        assert isinstance(made, Acceptance), made
        return self.bench.ledger.of(Acceptance)[-1][0]

    def committee(self, *words: str) -> Said:
        """A command of the front office."""
        return typed(self.folder, "committee", *words)

    def harness(self, *words: str) -> Said:
        """A command of the bench."""
        return typed(self.folder, "harness", *words)

    def outcomes(self) -> list[str]:
        """How each deployment went, in order of its entries."""
        return [one.outcome for _, one in self.bench.ledger.of(Deployment)]

    def in_force(self) -> str | None:
        """Name of the arm that is in force."""
        now = course_of(self.bench.ledger, "small").now
        return now[1].arm_name if now else None


def make_yard(folder: Path) -> DeployYard:
    """Over a workspace as `tests.committee.cli.yard.make` makes it: nothing measured, production down."""
    place = Workspace(folder)
    return DeployYard(Bench(place, place.ledger(actor="test"), place.folder / "proposals" / PROPOSAL, "small"))
