"""`committee measure|rank|accept`: arms against the baseline, the table, and a person's decision."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from committee.accept.accept import accept as accept_arm
from committee.accept.message import complaints_about
from committee.arms.approvals import approvals
from committee.cli.consenting import ask_measuring
from committee.cli.desk import code_of, complete, progress_console, run_files, said_stopped, seed_of
from committee.cli.display import RunDisplay
from committee.cli.importing import beside
from committee.cli.kernel_measuring import (
    BenchTurn,
    KernelReportOption,
    Wanted,
    bench_alone_or_first,
    newest_kernel_run,
    say_both,
)
from committee.cli.naming import measuring_run_named
from committee.cli.outlook import outlook_of
from committee.cli.terms import (
    ApproveOption,
    DrainLimitOption,
    Given,
    StricterOption,
    UsersAcceptOption,
    WhenBusyOption,
    YesOption,
)
from committee.cli.workspaces import ProposalArgument, WorkspaceOption
from committee.fuse.fuse import arm_entries, fuse
from committee.measure import Ended, make_order
from committee.measure import measure as measure_order
from committee.measure.budget import ask_budget
from committee.proposals.folder import load
from committee.proposals.record import store
from committee.proposals.revision import freeze
from committee.report import measured_table
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal
from committee.workflow.rounds import told_in
from committee.workspace import Workspace
from harness.cli.consent import say_plan_cost
from harness.cli.place import Place
from harness.cli.show import print_dry_run
from harness.cli.speak import GOOD, NEGATIVE, USAGE, fail, out, print_json, run_interruptible, say
from harness.vocabulary.base import BadFileError
from harness.vocabulary.criteria import Criteria
from harness.workflow.admitted import arm_in
from harness.workflow.drain import DRAIN_LIMIT_S, WhenBusy
from harness.workflow.order import ArmOrder, Order, new_run_id
from ledger.entries import Acceptance, Brief, MeasuringRun, Verdict
from ledger.entries import Arm as ArmEntry
from ledger.store import Ledger

commands = typer.Typer(add_completion=False)


@commands.command("measure")
def measure(
    proposal: ProposalArgument,
    arm: Annotated[list[str] | None, typer.Option(help="only this arm; repeat for more")] = None,
    target: Annotated[str | None, typer.Option(help="must be the proposal's target; a safeguard in scripts")] = None,
    blocks: Annotated[int | None, typer.Option(min=2, help="number of blocks instead of the criteria's")] = None,
    run: Annotated[str | None, typer.Option(help="go on with this measuring run; its id or the beginning")] = None,
    kernel_report: KernelReportOption = None,
    approve: ApproveOption = "",
    when_busy: WhenBusyOption = WhenBusy.REFUSE,
    drain_limit_s: DrainLimitOption = DRAIN_LIMIT_S,
    users_accept: UsersAcceptOption = False,
    stricter: StricterOption = False,
    yes: YesOption = False,
    workspace: WorkspaceOption = None,
    dry_run: Annotated[bool, typer.Option(help="print every command, the downtime and the effect it can see")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Measure a proposal's arms: the author's and, if there is a brief of this revision, its reviewers'."""
    if run is not None and (arm or blocks is not None):
        raise BadFileError("--run goes on with that run's own arms and blocks; leave --arm and --blocks away, or --run")
    place = Workspace.find(workspace)
    folder = place.proposal_folder(proposal)
    loaded, revision = _with_blocks(load(folder), blocks), freeze(folder)
    if target not in (None, loaded.header.target):
        raise BadFileError(f"{loaded.header.id!r} is about target {loaded.header.target!r}, not {target!r}")
    wanted = Wanted(tuple(arm or ()), blocks, dry_run, as_json, reports=tuple(kernel_report or ()))
    with place.ledger() as ledger:
        turn = bench_alone_or_first(place, ledger, (loaded, revision), wanted) if run is None else None
        arms = _arms(ledger, loaded, revision, turn.names if turn else wanted.names)
        arms = _approved(arms, approve, approvals(ledger, loaded.header.id))
        order = _order(place, loaded, revision, arms, _run(place, ledger, revision, run))
        ask_budget(ledger, order, loaded.header.budget.server_minutes)
        if dry_run:
            print_dry_run(order, place.folder, ledger, as_json=as_json)
            say_plan_cost(Place(place.folder), order, None, silent=as_json)
            raise typer.Exit(GOOD)
        given = Given(when_busy, users_accept, stricter, yes=yes, drain_limit_s=drain_limit_s)
        given = ask_measuring(place, ledger, order, given, silent=as_json)
        _record(ledger, revision, arms)
        _measure(place, ledger, order, given, as_json=as_json, turn=turn)


def _with_blocks(loaded: LoadedProposal, blocks: int | None) -> LoadedProposal:
    """The proposal with another number of blocks, where one is given. Raises BadFileError."""
    if blocks is None:
        return loaded
    criteria = loaded.criteria.model_dump(by_alias=True) | {"blocks": blocks}
    return replace(loaded, criteria=Criteria.from_mapping(criteria, "--blocks"))


def _measure(
    place: Workspace, ledger: Ledger, order: Order, given: Given, *, as_json: bool, turn: BenchTurn | None
) -> None:
    go_on = shlex.join(("committee", "measure", order.proposal or "", "--run", order.run, *given.words))
    with RunDisplay(progress_console(as_json=as_json)) as display:
        files = run_files(place, order.run)
        work = measure_order(place.folder, order, files, ledger, display.measuring, given.told)
        ended = run_interruptible(work, lambda: said_stopped(ledger, order.run, go_on))
    say_measured(place, ledger, order.run, ended, as_json=as_json, turn=turn)


def _arms(ledger: Ledger, loaded: LoadedProposal, revision: FrozenRevision, names: tuple[str, ...]) -> list[ArmEntry]:
    """The author's arms and those of this revision's newest brief, or the named ones of them. Raises BadFileError."""
    briefs = ledger.of(Brief, proposal=revision.proposal, tree=revision.tree)
    said = told_in(ledger, briefs[-1][1].run) if briefs else []
    entries = arm_entries(fuse(said, loaded.arms), loaded.header.target, revision.proposal)
    unknown = sorted(set(names) - {entry.name for entry in entries})
    if unknown or not entries:
        if not entries:
            raise BadFileError(f"{revision.proposal!r} has no arm yet; add arms/*.toml, or review it first")
        known = ", ".join(sorted(entry.name for entry in entries))
        raise BadFileError(f"{revision.proposal!r} has no arm {', '.join(unknown)}; there is: {known}")
    return [entry for entry in entries if not names or entry.name in names]


def _approved(arms: list[ArmEntry], person: str, given: Mapping[str, str]) -> list[ArmEntry]:
    """The arms, those that are code with the person who has read them: named now, or on record for this very change."""
    return [
        entry.model_copy(update={"approved_by": person or given.get(entry.fingerprint)})
        if arm_in(entry).is_code
        else entry
        for entry in arms
    ]


def _order(place: Workspace, loaded: LoadedProposal, revision: FrozenRevision, arms: list[ArmEntry], run: str) -> Order:
    """The order for these arms. Raises BadFileError."""
    known = [ArmOrder(arm=arm_in(entry), origins=entry.origins, approved_by=entry.approved_by) for entry in arms]
    return make_order(run, loaded, revision.tree, place.target(loaded.header.target), known, seed_of(run))


def _run(place: Workspace, ledger: Ledger, revision: FrozenRevision, asked: str | None) -> str:
    """A new run's id, or the one to go on with if there is such a run of this very revision. Raises BadFileError."""
    if asked is None:
        return new_run_id()
    if not run_files(place, asked).order.is_file():
        asked = measuring_run_named(ledger, asked, "; leave --run away to begin one")
    plans = [plan for _, plan in ledger.of(MeasuringRun, run=asked)]
    if plans and (plans[0].proposal, plans[0].tree) != (revision.proposal, revision.tree):
        raise BadFileError(
            f"run {asked!r} measures another revision than the folder of {revision.proposal!r} holds now; "
            "put the folder back, or leave --run away to begin a new run"
        )
    return asked


def _record(ledger: Ledger, revision: FrozenRevision, arms: list[ArmEntry]) -> None:
    """Revision and arms on record, once, before the bench begins."""
    store(ledger, revision)
    recorded = {entry.fingerprint for _, entry in ledger.of(ArmEntry, proposal=revision.proposal)}
    ledger.append_all([entry for entry in arms if entry.fingerprint not in recorded])


def say_measured(
    place: Workspace, ledger: Ledger, run: str, ended: Ended, *, as_json: bool, turn: BenchTurn | None = None
) -> None:
    """The table of a run, or the sentence that explains why there is none. Exit 1 unless it completed or was stopped.

    `turn` is what the kernel bench did before, shown already but in JSON; its exit code counts too.
    """
    verdicts = [verdict for _, verdict in ledger.of(Verdict, run=run)]
    if as_json:
        print_json(
            {
                "run": run,
                "outcome": ended.outcome,
                "sentence": ended.sentence,
                "verdicts": [verdict.as_json() for verdict in verdicts],
            }
            | ({"kernel": turn.values} if turn and turn.values else {})
        )
    elif verdicts:
        measured_table(ledger, run, outlook_of(place, ledger)).print(out)
    if not complete(ended):
        raise fail(f"{ended.sentence} (run {run})", code_of(ended.sentence))
    if turn is not None and turn.code != GOOD:
        raise typer.Exit(turn.code)


@commands.command("rank")
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
        bench = newest_kernel_run(ledger, name)
        if bench is not None:
            say_both(
                bench, [verdict for _, verdict in ledger.of(Verdict, run=runs[-1])] if runs else (), as_json=as_json
            )
        if bench is not None and (as_json or not runs):
            raise typer.Exit(GOOD)
        if not runs:
            raise fail(f"{name!r} has no verdicts yet; run `committee measure {name}`", NEGATIVE)
        if as_json:
            print_json([verdict.as_json() for _, verdict in ledger.of(Verdict, run=runs[-1])])
        else:
            measured_table(ledger, runs[-1], outlook_of(place, ledger)).print(out)
            for line in beside(ledger, runs[-1]):
                say(line)


@commands.command("accept")
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
        if said := complaints_about(reason, person or ledger.actor):
            raise fail("; ".join(said), USAGE)
        outcome = accept_arm(place, ledger, proposal, arm, reason, person or ledger.actor)
    if not isinstance(outcome, Acceptance):
        raise fail("; ".join(outcome))
    say(said_accepted(place.folder, outcome))


def said_accepted(folder: Path, acceptance: Acceptance) -> str:
    """One sentence for an acceptance."""
    overlay = folder / "targets" / f"{acceptance.target}.accepted.toml"
    before = f", after earlier runs ({'; '.join(acceptance.earlier)})" if acceptance.earlier else ""
    return (
        f"accepted {acceptance.arm_name} for {acceptance.target}, resting on {len(acceptance.verdicts)} verdicts of "
        f"{acceptance.run}{before}; committed as {overlay}; put it into production, under its gates: "
        f"committee deploy {acceptance.proposal}"
    )
