"""`committee approve`: a person reads code from a reviewer and says yes; only then can it be measured."""

import asyncio
import sys
from typing import Annotated

import typer

from committee.arms.approvals import Approvable, approvable, approvals, needs_yes, put, withdrawal
from committee.cli.kernel_approving import approve_on_bench, ask_for_bench, bench_patch, withdraw_from_bench
from committee.cli.workspaces import ProposalArgument, WorkspaceOption
from committee.fuse.fuse import arm_entries, fuse
from committee.fuse.fused import Group
from committee.proposals.record import read_back
from committee.workflow.frozen import loaded
from committee.workflow.rounds import told_in
from committee.workspace import Workspace
from harness.cli.speak import NEGATIVE, fail, say, say_text
from harness.hosts.connection import GuardianError
from harness.vocabulary.base import BadFileError
from harness.workflow.production import state_dir
from ledger.entries import Brief
from ledger.store import Ledger

commands = typer.Typer(add_completion=False)


@commands.command("approve")
def approve(
    proposal: ProposalArgument,
    arm: Annotated[str, typer.Argument(help="name of an arm of the newest brief that is a patch")],
    workspace: WorkspaceOption = None,
    person: Annotated[str | None, typer.Option(help="who has read it; default: you on this machine")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="you have read it; do not ask")] = False,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="take a yes back; needs --reason")] = False,
    reason: Annotated[str, typer.Option(help="with --withdraw: why, in your own words")] = "",
) -> None:
    """Read a reviewer's patch and say yes to it; it is put on the target's host and can then be measured."""
    place = Workspace.find(workspace)
    name = place.proposal_folder(proposal).name
    if withdraw or reason:
        if not (withdraw and reason.strip()):
            raise BadFileError("taking a yes back needs --withdraw and --reason TEXT, in your own words")
        _withdraw(place, name, arm, reason.strip(), person)
        return
    _approve(place, name, arm, person, yes=yes)


def _approve(place: Workspace, name: str, arm: str, person: str | None, *, yes: bool) -> None:
    """Show the patch, ask, put its files on the host, record the yes. Raises BadFileError, Exit where it is none."""
    with place.ledger() as ledger:
        brief = _newest(ledger, name)
        if (patch := bench_patch(ledger, brief, arm)) is not None:
            approve_on_bench(place, ledger, brief, patch, person or ledger.actor, lambda: ask_for_bench(yes=yes))
            return
        revision = read_back(ledger, name, brief.tree)
        known = loaded(revision)
        target, _ = place.target(known.header.target)
        fused = fuse(told_in(ledger, brief.run), known.arms)
        group = _group(fused.groups, arm)
        if not needs_yes(group.origins, group.arm):
            raise BadFileError(f"arm {arm!r} is not code of a reviewer, so it needs no yes here")
        if (who := approvals(ledger, name).get(group.fingerprint)) is not None:
            raise fail(f"{who} has said yes to {arm!r} already; measure it with `committee measure {name}`", NEGATIVE)
        found = approvable(group, target, dict(revision.files))
        _show(found)
        _ask(yes=yes)
        try:
            written = asyncio.run(put(state_dir(place.folder, target), target, found))
        except (GuardianError, OSError) as error:
            raise BadFileError(
                f"the host of {target.name!r} cannot be written to ({error}); nothing is approved"
            ) from error
        (entry,) = [one for one in arm_entries(fused, target.name, name) if one.fingerprint == group.fingerprint]
        ledger.append(entry.model_copy(update={"approved_by": person or ledger.actor}))
    for path in written:
        say(f"put {path}")
    say(f"approved {arm}; measure it with `committee measure {name} --arm {arm}`")


def _withdraw(place: Workspace, proposal: str, arm: str, reason: str, person: str | None) -> None:
    """Take the yes back, as an entry of its own. Raises BadFileError where none stands."""
    with place.ledger() as ledger:
        if withdraw_from_bench(ledger, proposal, arm, reason, person or ledger.actor):
            say(f"took back the yes to {arm}; the kernel bench does not build it any more")
            return
        ledger.append(withdrawal(ledger, proposal, arm, reason, person or ledger.actor))
    say(f"took back the yes to {arm}; it is not measured any more, and its file lies where it was put")


def _newest(ledger: Ledger, proposal: str) -> Brief:
    briefs = ledger.of(Brief, proposal=proposal)
    if not briefs:
        raise BadFileError(f"{proposal!r} has no brief yet; run `committee review {proposal}`")
    return briefs[-1][1]


def _group(groups: tuple[Group, ...], name: str) -> Group:
    for group in groups:
        if group.arm.name == name:
            return group
    known = ", ".join(group.arm.name for group in groups) or "none"
    raise BadFileError(f"the newest brief has no arm {name!r}; there is: {known}")


def _show(found: Approvable) -> None:
    """The patch as it was written, control characters made visible, and what the compiler said."""
    written, outcome = str((found.hypothesis.arm or {}).get("patch", "")), found.hypothesis.patch
    say_text(written)
    say(f"compiled: {outcome.compiled if outcome else '-'}")
    for path, content in found.contents:
        say(f"goes to {path} ({len(content)} bytes)")


def _ask(*, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadFileError("this code would run on the server; read it, then say --yes")
    if not typer.confirm("You have read it, and it may run on the server?"):
        raise fail("Nothing was approved.", NEGATIVE)
