"""`committee measure|rank|accept`: arms against the baseline, the table, and a person's decision."""

from pathlib import Path
from typing import Annotated

import typer

from committee.accept.accept import accept as accept_arm
from committee.cli.desk import complete, open_desk, order_of, run_files
from committee.cli.display import RunDisplay
from committee.cli.workspaces import ProposalArgument, WorkspaceOption
from committee.fuse.fuse import arm_entries, fuse
from committee.measure import Ended
from committee.measure import measure as measure_order
from committee.proposals.folder import load
from committee.proposals.record import store
from committee.proposals.revision import freeze
from committee.report import measured_table
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal
from committee.workflow.desk import Desk, Measuring
from committee.workspace import Workspace
from harness.cli.show import print_dry_run
from harness.cli.speak import GOOD, NEGATIVE, fail, out, print_json, run_interruptible
from harness.vocabulary.base import BadFileError
from harness.workflow.order import Order, new_run_id
from ledger.entries import Acceptance, Brief, Hypothesis, MeasuringRun, Verdict
from ledger.store import Ledger

STOPPED = "stopped by a person; production is back, finished blocks are kept"


def measure(
    proposal: ProposalArgument,
    arm: Annotated[list[str] | None, typer.Option(help="only this arm; repeat for more")] = None,
    target: Annotated[str | None, typer.Option(help="must be the proposal's target; a safeguard in scripts")] = None,
    blocks: Annotated[int | None, typer.Option(min=2, help="number of blocks instead of the criteria's")] = None,
    run: Annotated[str | None, typer.Option(help="go on with this measuring run")] = None,
    workspace: WorkspaceOption = None,
    dry_run: Annotated[bool, typer.Option(help="print every command, the downtime and the effect it can see")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Measure a proposal's arms: the author's and, if there is a brief of this revision, its reviewers'."""
    place = Workspace.find(workspace)
    folder = place.proposal_folder(proposal)
    loaded, revision = load(folder), freeze(folder)
    if target not in (None, loaded.header.target):
        raise BadFileError(f"{loaded.header.id!r} is about target {loaded.header.target!r}, not {target!r}")
    with open_desk(place, RunDisplay(out)) as desk:
        order = _order(place, desk, loaded, revision, (run or new_run_id(), tuple(arm or ()), blocks))
        if dry_run:
            desk.ledger.head()
            print_dry_run(order, place.folder, desk.ledger, as_json=as_json)
            raise typer.Exit(GOOD)
        ended = run_interruptible(_measured(place, desk, order), STOPPED)
    with place.ledger() as ledger:
        say_measured(ledger, order.run, ended, as_json=as_json)


async def _measured(place: Workspace, desk: Desk, order: Order) -> Ended:
    display = RunDisplay(out)
    with display.bench:
        return await measure_order(place.folder, order, run_files(place, order.run), desk.ledger, display.measuring)


def _order(
    place: Workspace,
    desk: Desk,
    loaded: LoadedProposal,
    revision: FrozenRevision,
    asked: tuple[str, tuple[str, ...], int | None],
) -> Order:
    """The order for the arms asked for, which are put on record first. Raises BadFileError."""
    run, names, blocks = asked
    store(desk.ledger, revision)
    briefs = desk.ledger.of(Brief, proposal=revision.proposal, tree=revision.tree)
    said = [h for _, h in desk.ledger.of(Hypothesis, run=briefs[-1][1].run)] if briefs else []
    entries = arm_entries(fuse(said, loaded.arms), loaded.header.target, revision.proposal)
    unknown = sorted(set(names) - {entry.name for entry in entries})
    if unknown or not entries:
        known = ", ".join(sorted(entry.name for entry in entries)) or "none; add arms/*.toml or review it first"
        raise BadFileError(f"{revision.proposal!r} has no arm {', '.join(unknown) or 'at all'}; there is: {known}")
    wanted = [entry for entry in entries if not names or entry.name in names]
    recorded = {entry.fingerprint for _, entry in desk.ledger.of(type(wanted[0]), proposal=revision.proposal)}
    desk.ledger.append_all([entry for entry in wanted if entry.fingerprint not in recorded])
    fingerprints = tuple(entry.fingerprint for entry in wanted)
    order = order_of(place, desk.ledger, Measuring(run, "", revision.proposal, revision.tree, fingerprints))
    if blocks is not None:
        order = order.model_copy(update={"criteria": order.criteria.model_copy(update={"blocks": blocks})})
    return order


def say_measured(ledger: Ledger, run: str, ended: Ended, *, as_json: bool) -> None:
    """The table of a run, or the sentence that explains why there is none. Exit 1 unless it completed."""
    verdicts = [verdict for _, verdict in ledger.of(Verdict, run=run)]
    if as_json:
        print_json(
            {
                "run": run,
                "outcome": ended.outcome,
                "sentence": ended.sentence,
                "verdicts": [verdict.as_json() for verdict in verdicts],
            }
        )
    elif verdicts:
        out.print(measured_table(ledger, run))
    if not complete(ended):
        raise fail(f"{ended.sentence} (run {run})")


def rank(
    proposal: ProposalArgument,
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """The measured table of a proposal's newest run: the only order there is."""
    place = Workspace.find(workspace)
    name = place.proposal_folder(proposal).name
    with place.ledger() as ledger:
        runs = [run.run for _, run in ledger.of(MeasuringRun, proposal=name) if ledger.of(Verdict, run=run.run)]
        if not runs:
            raise fail(f"{name!r} has no verdicts yet; run `committee measure {name}`", NEGATIVE)
        if as_json:
            print_json([verdict.as_json() for _, verdict in ledger.of(Verdict, run=runs[-1])])
        else:
            out.print(measured_table(ledger, runs[-1]))


def accept(
    proposal: ProposalArgument,
    arm: Annotated[str, typer.Argument(help="name of the arm, or the beginning of its fingerprint")],
    reason: Annotated[str, typer.Option(help="why, in your own words")],
    workspace: WorkspaceOption = None,
    person: Annotated[str | None, typer.Option(help="who decides; default: you on this machine")] = None,
) -> None:
    """Accept an arm whose measurements meet the criteria; refused, with what is missing, otherwise."""
    place = Workspace.find(workspace)
    with place.ledger() as ledger:
        outcome = accept_arm(place, ledger, proposal, arm, reason, person or ledger.actor)
    if not isinstance(outcome, Acceptance):
        raise fail("; ".join(outcome))
    out.print(said_accepted(place.folder, outcome), markup=False, highlight=False, soft_wrap=True)


def said_accepted(folder: Path, acceptance: Acceptance) -> str:
    """One sentence for an acceptance."""
    overlay = folder / "targets" / f"{acceptance.target}.accepted.toml"
    return (
        f"accepted {acceptance.arm_name} for {acceptance.target}, resting on {len(acceptance.verdicts)} verdicts of "
        f"{acceptance.run}; committed as {overlay}; production takes it at its next start"
    )
