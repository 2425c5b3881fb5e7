"""What `committee measure|run|rank` do with a kernel proposal: the bench is run and shown apart from the server."""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from committee.measure.kernel_bench import Benched, BenchOrder, Patched, bench, names_of, take_in
from committee.measure.kernel_elsewhere import read_reports
from committee.measure.kernel_patches import Around, BenchPatch, as_arms, bench_name, bench_patches, not_read, standing
from committee.measure.kernel_task import KernelTask, has_task, task_of
from committee.proposals.record import read_back, store
from committee.report.kernel_table import kernel_notes, kernel_runs, kernel_table, kernel_verdicts
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal
from committee.workflow.frozen import loaded as loaded_of
from committee.workflow.rounds import told_in
from committee.workspace import Workspace
from harness.cli.kernel_options import cubin_cache
from harness.cli.narrow import print_table
from harness.cli.speak import GOOD, NEGATIVE, err, out, print_json, print_json_line, say
from harness.kernels.cards import cards, how_elsewhere
from harness.kernels.verdicts import new_run
from harness.vocabulary.base import BadFileError
from ledger.entries import Brief, KernelRun, KernelVerdict, Verdict
from ledger.store import Ledger

DONE = ("measured", "compiled")
KernelReportOption = Annotated[
    list[Path] | None,
    typer.Option("--kernel-report", help="report of a pack of the kernel task that ran elsewhere; repeat for both"),
]


class KernelPart:
    """The bench's part of measuring one revision: an order that was read whole, and what came of it. One owner."""

    def __init__(self, order: BenchOrder, stack: ExitStack) -> None:
        """Take an order and the folders that it needs until `close`."""
        self.order, self._stack = order, stack

    @property
    def names(self) -> tuple[str, ...]:
        """Every arm that the bench knows."""
        return names_of(replace(self.order, arms=()))

    def only(self, names: Sequence[str]) -> None:
        """Try no other arms."""
        self.order = replace(self.order, arms=tuple(names))

    def run(self, ledger: Ledger, revision: FrozenRevision, wanted: "Wanted") -> Benched:
        """Build, prove, time, record; or take in what another machine said. Raises BadFileError."""
        if wanted.reports:
            read_reports(wanted.reports, self.order.task.folder)  # before anything is recorded
        store(ledger, revision)
        if wanted.reports:
            return take_in(ledger, self.order, wanted.reports)
        console = err if wanted.as_json else out
        return bench(ledger, self.order, cubin_cache(), lambda words: console.print(words, style="dim", markup=False))

    def dry_run(self) -> dict[str, object]:
        """What would be done, as values; nothing is built."""
        task, order = self.order.task.folder.task, self.order
        cuda = task.language == "cuda" and not cards()
        return {
            "task": order.task.shown,
            "sha256": order.task.folder.sha256,
            "arms": list(names_of(order)),
            "wrong": [arm.name for arm in order.task.folder.arms if arm.wrong],
            "shapes": [shape.name for shape in task.shape if shape.time],
            "blocks": task.timing.blocks,
            "note": how_elsewhere(order.task.shown) if cuda else "run on this machine, shut in, without network",
        }

    def close(self) -> None:
        """Give the folders back."""
        self._stack.close()


def kernel_part(
    place: Workspace, ledger: Ledger, loaded: LoadedProposal, revision: FrozenRevision, blocks: int | None = None
) -> KernelPart | None:
    """The bench's part of a proposal, none where it has no kernel task. Raises BadFileError."""
    if not has_task(loaded, revision):
        return None
    stack = ExitStack()
    try:
        task = stack.enter_context(task_of(place.folder, loaded, revision))
        if blocks is not None:
            timing = task.folder.task.timing.model_copy(update={"blocks": blocks})
            changed = task.folder.task.model_copy(update={"timing": timing})
            task = replace(task, folder=replace(task.folder, task=changed))
        briefs = ledger.of(Brief, proposal=revision.proposal, tree=revision.tree)
        review_run = briefs[-1][1].run if briefs else None
        patched = _approved(place, ledger, (loaded, revision), task, review_run, stack) if review_run else ()
    except BaseException:
        stack.close()
        raise
    run = new_run(datetime.now(UTC))
    return KernelPart(BenchOrder(run, revision.proposal, revision.tree, review_run, task, (), patched), stack)


def _approved(
    place: Workspace,
    ledger: Ledger,
    about: tuple[LoadedProposal, FrozenRevision],
    task: KernelTask,
    review_run: str,
    stack: ExitStack,
) -> tuple[Patched, ...]:
    """The patches of the newest brief that a person said yes to, each in a copy of the task."""
    loaded, revision = about
    yes = standing(ledger, revision.proposal, revision.tree)
    found = [one for one in bench_patches(told_in(ledger, review_run)) if one.change in yes]
    if not found:
        return ()
    around = Around(task, dict(revision.files), place.target(loaded.header.target)[0])
    made: list[Patched] = []
    for one in found:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="committee-kernel-"))).resolve()
        scratch.chmod(0o755)
        made += as_arms(one, yes[one.change], around, scratch / "task")
    return tuple(made)


@dataclass(frozen=True)
class Wanted:
    """What a person asked `committee measure` for."""

    names: tuple[str, ...]  # of arms, none: all
    blocks: int | None = None
    dry_run: bool = False
    as_json: bool = False
    prints: bool = True  # JSON, where nothing is left for the server
    reports: tuple[Path, ...] = ()  # of a pack that was run elsewhere


@dataclass(frozen=True)
class BenchTurn:
    """The bench is done with a proposal; what is left for the server."""

    server: bool
    names: tuple[str, ...]  # of the server's arms, none: all
    code: int
    values: dict[str, object]


def bench_turn(
    place: Workspace, ledger: Ledger, loaded: LoadedProposal, revision: FrozenRevision, wanted: Wanted
) -> BenchTurn | None:
    """Run what is for the bench and show it; none where nothing is. Raises BadFileError."""
    part = kernel_part(place, ledger, loaded, revision, wanted.blocks)
    if part is None:
        return None
    with closing(part):
        ours = tuple(bench_name(name) for name in wanted.names if bench_name(name) in part.names)
        rest = tuple(name for name in wanted.names if bench_name(name) not in ours)
        told = told_in(ledger, part.order.review_run) if part.order.review_run else []
        if said := not_read(bench_patches(told), part.names, rest, revision.proposal):
            raise BadFileError(said)
        server = bool(rest) if wanted.names else _for_server(ledger, loaded, revision)
        if wanted.names and not ours:
            return BenchTurn(server=True, names=rest, code=GOOD, values={})
        part.only(ours)
        if wanted.dry_run:
            values, code = part.dry_run(), GOOD
            if not wanted.as_json:
                say_dry_run(values)
            elif server:
                print_json_line(values)
        else:
            found = part.run(ledger, revision, wanted)
            values, code = as_values(found), code_of(found)
            if not wanted.as_json:
                say_kernel_run(found.run, found.verdicts)
                _say_unread(bench_patches(told), part.names, revision.proposal)
    if wanted.as_json and wanted.prints and not server:
        print_json(values)
    return BenchTurn(server, rest, code, values)


def _say_unread(patches: Sequence[BenchPatch], known: Sequence[str], proposal: str) -> None:
    """Which reviewers' patches of the task nobody said yes to yet."""
    for patch in patches:
        if patch.name not in known and not any(name.startswith(patch.name) for name in known):
            say(f"{patch.name}: a reviewer's patch that waits for a yes: committee approve {proposal} {patch.name}")


def turn_of_run(place: Workspace, ledger: Ledger, run: str, *, as_json: bool) -> BenchTurn | None:
    """The bench's turn in a review run that came to its brief, once; none where nothing is for it.

    Raises BadFileError.
    """
    briefs = ledger.of(Brief, run=run)
    if not briefs:
        return None
    brief = briefs[-1][1]
    done = [one for one in kernel_runs(ledger, brief.proposal) if one.review_run == run and one.outcome in DONE]
    if done:
        found = Benched(done[-1], kernel_verdicts(ledger, done[-1].run))
        if not as_json:
            say_kernel_run(found.run, found.verdicts)
        return BenchTurn(bool(brief.arms), (), GOOD, as_values(found))
    revision = read_back(ledger, brief.proposal, brief.tree)
    return bench_turn(place, ledger, loaded_of(revision), revision, Wanted((), as_json=as_json, prints=False))


def bench_alone_or_first(
    place: Workspace, ledger: Ledger, about: tuple[LoadedProposal, FrozenRevision], wanted: Wanted
) -> BenchTurn | None:
    """The bench's turn before the server's. Raises typer.Exit where nothing is left for the server, BadFileError."""
    turn = bench_turn(place, ledger, *about, wanted)
    if turn is None and wanted.reports:
        raise BadFileError(f"{about[1].proposal!r} has no kernel task, so --kernel-report says nothing about it")
    if turn is not None and not turn.server:
        raise typer.Exit(turn.code)
    return turn


def _for_server(ledger: Ledger, loaded: LoadedProposal, revision: FrozenRevision) -> bool:
    """Whether there is any arm of the server, of the author or of the revision's newest brief."""
    briefs = ledger.of(Brief, proposal=revision.proposal, tree=revision.tree)
    return bool(loaded.arms) or bool(briefs and briefs[-1][1].arms)


def say_dry_run(values: Mapping[str, object]) -> None:
    """What the bench would do, one line each."""
    what = f"task {values['task']} ({str(values['sha256'])[:12]}), {values['blocks']} blocks"
    say(f"kernel bench: {what}; {values['note']}")
    for name in ("arms", "wrong", "shapes"):
        listed = values[name]
        say(f"  {name}: {', '.join(map(str, listed)) if isinstance(listed, list) else listed}")


def code_of(found: Benched) -> int:
    """0 where the bench did what can be done on this machine."""
    return GOOD if found.run.outcome in DONE else NEGATIVE


def say_kernel_run(run: KernelRun, verdicts: Sequence[KernelVerdict]) -> None:
    """The table, if there is one, and what stands below it."""
    if verdicts:
        print_table(out, kernel_table(run, verdicts))
    for line in kernel_notes(run, verdicts):
        say(line)


def newest_kernel_run(ledger: Ledger, proposal: str) -> Benched | None:
    """The proposal's newest run of the bench that came to verdicts, else its newest; none if there is none."""
    runs = kernel_runs(ledger, proposal)
    if not runs:
        return None
    judged = [run for run in runs if kernel_verdicts(ledger, run.run)]
    run = (judged or runs)[-1]
    return Benched(run, kernel_verdicts(ledger, run.run))


def as_values(found: Benched) -> dict[str, object]:
    """For --json."""
    return {"run": found.run.as_json(), "verdicts": [verdict.as_json() for verdict in found.verdicts]}


def say_both(found: Benched, server: Sequence[Verdict], *, as_json: bool) -> None:
    """The bench's newest run for `rank`; in JSON both levels, each under its own key, never in one order."""
    if as_json:
        print_json({"server": [verdict.as_json() for verdict in server], "kernel": as_values(found)})
        return
    say_kernel_run(found.run, found.verdicts)
