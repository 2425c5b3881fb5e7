"""A small office: a temporary workspace with one proposal, and the desk that the graph works at."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from committee.review.order import Edge
from committee.vocabulary.config import CommitteeConfig
from committee.workflow.desk import Desk, Measured, Measuring
from harness.vocabulary.target import Target
from ledger.entries import Verdict
from ledger.store import Ledger
from tests.committee.review.sitting import HEADER, TARGET

PROPOSAL = "0001-which-knob"
CRITERIA = """schema = 1
blocks = 2
level = 0.05
[ladder]
steps = [1, 2, 4]
tokens = 64
[primary]
metric = "total_tok_s"
load = 4
smallest_effect_pct = 10
[numerics]
policy = "identical"
"""
ARM = """schema = 1
name = "two-slots"
[flags]
n-parallel = 2
[[witness]]
source = "log"
pattern = "n_slots = 2"
"""


def write_proposal(folder: Path) -> Path:
    """The proposal's folder with one arm of the author's."""
    place = folder / "proposals" / PROPOSAL
    (place / "arms").mkdir(parents=True)
    (place / "proposal.toml").write_bytes(HEADER)
    (place / "PROPOSAL.md").write_text("# One slot\n\nFour users share one slot.\n")
    (place / "criteria.toml").write_text(CRITERIA)
    (place / "arms" / "two-slots.toml").write_text(ARM)
    return place


@dataclass
class Bench:
    """Stands for the measuring process: writes one verdict an arm, as the bench would."""

    ledger: Ledger
    asked: list[Measuring] = field(default_factory=list)
    complete: bool = True

    async def __call__(self, measuring: Measuring) -> Measured:
        self.asked.append(measuring)
        if not self.complete:
            return Measured(measuring.run, False, "the run was interrupted; resume it")
        if not self.ledger.of(Verdict, run=measuring.run):
            self.ledger.append_all([verdict(measuring.run, arm) for arm in measuring.arms])
        return Measured(measuring.run, True, "")


def verdict(run: str, arm: str) -> Verdict:
    """A verdict without a number."""
    return Verdict(
        run=run,
        target="demo",
        arm=arm,
        arm_name=f"arm-{arm[:6]}",
        metric="total_tok_s",
        load=4,
        primary=True,
        validity="NOT_SHOWN_ENGAGED",
        reasons=("no_witness: none",),
        speed=None,
        numerics="UNKNOWN",
        interval=None,
        smallest_effect_pct=10,
        blocks=2,
        placebo_low_pct=None,
        placebo_high_pct=None,
        visible_effect_pct=None,
        more_blocks=None,
        more_server_minutes=None,
        trials=(),
    )


def target_of(_name: str) -> tuple[Target, str]:
    """The one target of the office."""
    return TARGET, "f" * 64


@contextmanager
def office(folder: Path, settings: CommitteeConfig, **changes: Any) -> Iterator[Desk]:
    """A desk over the folder's ledger; the proposal is written on the first call."""
    place = folder / "proposals" / PROPOSAL
    if not place.exists():
        write_proposal(folder)
    with Ledger.open(folder / "records.db", actor="test", create=True) as ledger:
        desk = Desk(
            ledger=ledger,
            config=settings,
            edge=Edge({}),
            checkpoints=folder / ".committee" / "checkpoints.db",
            folder_of=lambda proposal: folder / "proposals" / proposal,
            target_of=target_of,
            measure=Bench(ledger),
        )
        yield replace(desk, **changes)
