"""Putting a desk together: settings, ledger, measuring and watchers, once for each command."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from committee.arms.approvals import approvals, needs_yes
from committee.cli.display import RunDisplay
from committee.cli.terms import NOTHING_GIVEN, Given
from committee.fuse.fuse import arm_entries, fuse
from committee.measure import Ended, RunFiles, make_order
from committee.measure import measure as measure_order
from committee.measure.budget import ask_budget
from committee.proposals.record import read_back
from committee.review.order import Edge
from committee.vocabulary.config import read_config
from committee.workflow.desk import Desk, Measured, Measuring
from committee.workflow.frozen import loaded
from committee.workflow.rounds import told_in
from committee.workspace import Workspace
from harness.cli.speak import INTERRUPTED, NEGATIVE, err, fail, out
from harness.vocabulary.base import BadFileError
from harness.workflow.admitted import arm_in
from harness.workflow.night import BY_A_PERSON
from harness.workflow.order import ArmOrder, Order
from ledger.canonical import sha256_hex
from ledger.entries import TargetState
from ledger.store import Ledger

SEED_DIGITS = 8  # hexadecimal digits of a run id's hash that seed its shuffling; 32 bits are plenty


@contextmanager
def open_desk(place: Workspace, display: RunDisplay, given: Given = NOTHING_GIVEN) -> Iterator[Desk]:
    """The desk of one command; the ledger is closed and the display ended with it. `given` counts when measuring."""
    config = read_config(place.config_path)
    with place.ledger() as ledger, display:
        yield Desk(
            ledger=ledger,
            config=config,
            edge=Edge(environ=dict(os.environ), bwrap=shutil.which("bwrap")),
            checkpoints=place.scratch / "checkpoints.db",
            folder_of=place.proposal_folder,
            target_of=place.target,
            measure=lambda asked: _measure(place, ledger, display, asked, given),
            watch=display.reviewer,
            watch_stages=display.stage,
        )


async def _measure(place: Workspace, ledger: Ledger, display: RunDisplay, asked: Measuring, given: Given) -> Measured:
    order, files = order_of(place, ledger, asked, given), run_files(place, asked.run)
    ended = await measure_order(place.folder, order, files, ledger, display.measuring, given.told)
    return Measured(asked.run, complete(ended), ended.sentence)


def progress_console(*, as_json: bool) -> Console:
    """Where progress is shown: never among JSON on standard output."""
    return err if as_json else out


def said_stopped(ledger: Ledger, run: str, go_on: str) -> str:
    """The sentence after Ctrl-C, from what is on record: where production stands, what is kept, how to go on.

    Raises Failure where production is not back.
    """
    states = [state for _, state in ledger.of(TargetState, run=run)]
    kept = f"what was finished is kept, go on with `{go_on}`"
    if not states:
        return f"stopped by a person; production was not touched, {kept}"
    target = states[-1].target
    if states[-1].state == "restored":
        return f"stopped by a person; production of {target!r} is back, {kept}"
    if states[-1].state == "down":
        return f"stopped by a person; production of {target!r} was not running before and is left so, {kept}"
    said = f"stopped by a person, but production of {target!r} is NOT back; run `harness restore {target}`; {kept}"
    raise fail(said, stands=True)


def code_of(sentence: str) -> int:
    """The exit code of a run that is not at its end: a person's stop, by `harness stop` too, is no negative answer.

    The bench ends with that sentence only once production is back; where it is not, it says so instead.
    """
    return INTERRUPTED if sentence.startswith(BY_A_PERSON) else NEGATIVE


def complete(ended: Ended) -> bool:
    """Whether the run came to verdicts that stand. A void run's numbers support nothing."""
    return ended.outcome == "completed"


def run_files(place: Workspace, run: str) -> RunFiles:
    """Where a measuring run keeps its order, its progress and its words."""
    return RunFiles(place.scratch / "runs" / run)


def order_of(place: Workspace, ledger: Ledger, asked: Measuring, given: Given = NOTHING_GIVEN) -> Order:
    """The order for arms that this review run named: what others recorded of the same change does not count.

    Raises BadFileError with one sentence.
    """
    proposal = loaded(read_back(ledger, asked.proposal, asked.tree))
    fused = fuse(told_in(ledger, asked.review_run), proposal.arms)
    yes = approvals(ledger, asked.proposal)
    named = [
        ArmOrder(
            arm=arm_in(entry),
            origins=entry.origins,
            approved_by=given.approves(arm_in(entry)) or yes.get(entry.fingerprint),
        )
        for entry in arm_entries(fused, proposal.header.target, asked.proposal)
        if entry.fingerprint in asked.arms
    ]
    known = [item for item in named if item.approved_by or not needs_yes(item.origins, item.arm)]
    if named and not known:
        said = f"every arm of {asked.proposal!r} is code of a reviewer that nobody said yes to"
        raise BadFileError(f"{said}; read one and `committee approve {asked.proposal} ARM`")
    target = place.target(proposal.header.target)
    order = make_order(asked.run, proposal, asked.tree, target, known, seed_of(asked.run))
    ask_budget(ledger, order, proposal.header.budget.server_minutes)
    return order


def seed_of(run: str) -> int:
    """The seed of a run, from its id: recorded in the plan, the same on every resume."""
    return int(sha256_hex(run.encode())[:SEED_DIGITS], 16)


def relative(place: Workspace, path: Path) -> str:
    """A path as a person in the workspace would type it."""
    return str(path.relative_to(place.folder)) if path.is_relative_to(place.folder) else str(path)
