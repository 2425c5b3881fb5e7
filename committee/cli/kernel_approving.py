"""`committee approve` of a reviewer's patch of a kernel task: a yes for the bench, which builds and runs it shut in.

Nothing is put on a server by it.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import typer

from committee.measure.kernel_patches import Around, BenchPatch, as_arms, bench_name, bench_patches, standing
from committee.measure.kernel_task import has_task, task_of
from committee.proposals.record import read_back
from committee.vocabulary.proposal import FrozenRevision
from committee.workflow.frozen import loaded
from committee.workflow.rounds import told_in
from committee.workspace import Workspace
from harness.cli.speak import NEGATIVE, fail, say, say_text
from harness.vocabulary.base import BadFileError
from ledger.entries import Brief, KernelApproval
from ledger.store import Ledger


def bench_patch(ledger: Ledger, brief: Brief, arm: str) -> tuple[BenchPatch, FrozenRevision] | None:
    """The patch of that name that is for the bench alone, with the revision it changes; none if there is none."""
    revision = read_back(ledger, brief.proposal, brief.tree)
    if not has_task(loaded(revision), revision):
        return None
    for patch in bench_patches(told_in(ledger, brief.run)):
        if patch.name == bench_name(arm):
            return patch, revision
    return None


def approve_on_bench(
    place: Workspace,
    ledger: Ledger,
    brief: Brief,
    found: tuple[BenchPatch, FrozenRevision],
    person: str,
    ask: Callable[[], None],
) -> None:
    """Show the patch, try that it fits the task, ask, record the yes. Raises BadFileError, Exit where it is none."""
    patch, revision = found
    if (who := standing(ledger, brief.proposal, brief.tree).get(patch.change)) is not None:
        raise fail(
            f"{who} has said yes to {patch.name!r} already; measure it with `{measuring(brief, patch)}`", NEGATIVE
        )
    known = loaded(revision)
    target, _ = place.target(known.header.target)
    with task_of(place.folder, known, revision) as task, tempfile.TemporaryDirectory() as scratch:
        around = Around(task, dict(revision.files), target)
        arms = as_arms(patch, person, around, Path(scratch) / "task")
    say_text(str((patch.hypothesis.arm or {}).get("patch", "")))
    say(f"compiled: {patch.hypothesis.patch.compiled if patch.hypothesis.patch else '-'}")
    for one in arms:
        say(f"becomes {one.told.arm_name} on the kernel bench, from {one.told.source_of}; nothing goes to a server")
    ask()
    ledger.append(_entry(brief, patch, person, ""))
    say(f"approved {patch.name} for the kernel bench; measure it with `{measuring(brief, patch)}`")


def ask_for_bench(*, yes: bool) -> None:
    """Raises BadFileError where nobody can be asked, Exit for a no."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadFileError("this code would be built and run here, shut in; read it, then say --yes")
    if not typer.confirm("You have read it, and it may be built and run here, shut in and without network?"):
        raise fail("Nothing was approved.", NEGATIVE)


def withdraw_from_bench(ledger: Ledger, proposal: str, arm: str, reason: str, person: str) -> bool:
    """Take a yes for the bench back; false where none of that name stands."""
    newest = {one.change: one for _, one in ledger.of(KernelApproval, proposal=proposal)}
    for one in newest.values():
        if one.approved and one.arm_name == bench_name(arm):
            ledger.append(one.model_copy(update={"approved": False, "reason": reason, "person": person}))
            return True
    return False


def measuring(brief: Brief, patch: BenchPatch) -> str:
    """The command that measures it."""
    return f"committee measure {brief.proposal} --arm {patch.name}"


def _entry(brief: Brief, patch: BenchPatch, person: str, reason: str) -> KernelApproval:
    return KernelApproval(
        proposal=brief.proposal,
        tree=brief.tree,
        review_run=brief.run,
        hypothesis=patch.hypothesis.hypothesis,
        arm_name=patch.name,
        change=patch.change,
        approved=True,
        reason=reason,
        person=person,
    )
