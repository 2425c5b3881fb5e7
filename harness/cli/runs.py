"""`harness status|attach|fetch`: looking at runs, from any terminal. None of them touches a run."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.live import LineWatcher, LiveWatcher
from harness.cli.narrow import print_table
from harness.cli.place import Place, say_bad
from harness.cli.show import verdict_table
from harness.cli.speak import GOOD, NEGATIVE, fail, out, print_json, run_interruptible, say
from harness.hosts.ssh_link import SshLink
from harness.verdicts import RunVerdict
from harness.vocabulary.base import BadFileError
from harness.workflow.events import MeasureEvent
from harness.workflow.far_run import FarFailed, watch
from harness.workflow.far_run import ask as ask_there
from harness.workflow.far_run import fetch as bring_home
from harness.workflow.fetch import Fetched, NotFetched, copy_ledger, recorded
from harness.workflow.run_files import FarRun, RunFiles, known_runs
from harness.workflow.status import (
    RunState,
    RunStatus,
    TargetStatus,
    events_in,
    run_status,
    tail_start,
    target_status,
)
from ledger.entries import MeasuringRun

POLL_S = 0.3  # how often the events file is read; a display needs no more
NAMED = 3  # runs named in a sentence
RunName = Annotated[str, typer.Argument(metavar="RUN", help="id of the run, or its beginning")]
Workspace = Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")]
AsJson = Annotated[bool, typer.Option("--json", help="as JSON")]
commands = typer.Typer(add_completion=False)


@commands.command("status")
def status(
    name: Annotated[str | None, typer.Argument(metavar="TARGET|RUN", help="default: every target")] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Look only: how a run is getting on, or what a target and its runs are doing.

    Exit code 1: a production that should be up is not, or nobody can say whether it is.
    """
    place = Place.find(workspace)
    if name is not None and name not in place.target_names():
        seen = status_of(place, find_run(place, name))
        print_json(seen.as_json()) if as_json else _say_run(seen)
        return
    known, bad = ((place.target(name, draft=True)[0],), ()) if name else place.all_targets(draft=True)
    with place.looking() as ledger:
        found = [asyncio.run(target_status(place.folder, target, ledger)) for target in known]
    if as_json:
        print_json([each.as_json() for each in found])
    else:
        for each in found:
            _say_target(each)
    say_bad(bad)
    if not all(each.as_wanted for each in found):
        raise typer.Exit(NEGATIVE)


@commands.command("attach")
def attach(
    run: RunName,
    workspace: Workspace = None,
    json_lines: Annotated[bool, typer.Option("--json", help="one JSON object a line instead of a display")] = False,
) -> None:
    """Watch a run live. Leaving with Ctrl-C does not touch the run."""
    place = Place.find(workspace)
    name = find_run(place, run)
    try:
        with LineWatcher() if json_lines else LiveWatcher(out) as watcher:
            _follow(place, name, watcher.tell)
    except KeyboardInterrupt:
        raise fail(f"You left; run {name} goes on. 'harness stop {name}' would stop it.", GOOD) from None
    seen = status_of(place, name)
    if not json_lines:
        _say_run(seen)
    raise typer.Exit(GOOD if seen.state is RunState.ENDED else NEGATIVE)


@commands.command("fetch")
def fetch(
    run: RunName,
    workspace: Workspace = None,
    copy: Annotated[Path | None, typer.Option(help="also write a whole copy of the ledger to this new file")] = None,
    as_json: AsJson = False,
) -> None:
    """Bring back what a run has recorded, and say where it is."""
    place = Place.find(workspace)
    name = find_run(place, run)
    if far := FarRun.of(RunFiles.of(place.folder, name)):
        with place.ledger(f"from {far.ssh}") as ledger:
            brought = run_interruptible(bring_home(far, place.folder, SshLink.open, ledger), "stopped; fetch it again")
        if isinstance(brought, FarFailed | NotFetched):
            raise fail(brought.sentence)
    with place.looking() as known:
        got = recorded(known, name) if known else None
    if got is None:
        raise fail(f"run {name} has recorded nothing yet; look with 'harness status {name}'")
    if copy is not None:
        _copy(place, copy)
    _say_fetched(place, got, as_json=as_json)


def _copy(place: Place, to: Path) -> None:
    """Of a file also while a run writes to it, its head file included."""
    records = place.records
    if records.file is not None:
        copy_ledger(records.file, to)
    else:
        records.copy_to(to)


def find_run(place: Place, text: str) -> str:
    """The run of that id, or the only one whose id begins so. Raises BadFileError."""
    with place.looking() as ledger:
        plans = ledger.of(MeasuringRun) if ledger else []
    known = {*known_runs(place.folder), *(plan.run for _, plan in plans)}
    found = [text] if text in known else sorted(name for name in known if text and name.startswith(text))
    if len(found) == 1:
        return found[0]
    if found:
        raise BadFileError(f"several runs begin with {text!r}: {', '.join(found[-NAMED:])}; write more of the id")
    newest = ", ".join(sorted(known)[-NAMED:]) or "none"
    targets = ", ".join(place.target_names()) or "none"
    raise BadFileError(f"there is no run or target {text!r} here; the newest runs: {newest}; targets: {targets}")


def follow(place: Place, run: str, tell: Callable[[MeasureEvent], None]) -> None:
    """Tell the run's latest events, and every new one until its process is gone."""
    files = RunFiles.of(place.folder, run)
    at = tail_start(files.events)
    while True:
        runner = files.runner()
        lives = runner is not None and runner.alive  # asked before reading, so that last words are not missed
        for end, event in events_in(files.events, at):
            at = end
            tell(event)
        if not lives:
            return
        time.sleep(POLL_S)


def _follow(place: Place, run: str, tell: Callable[[MeasureEvent], None]) -> None:
    """The same, also where the run is on another machine."""
    if far := FarRun.of(RunFiles.of(place.folder, run)):
        asyncio.run(watch(far, SshLink.open, tell))
    else:
        follow(place, run, tell)


def status_of(place: Place, run: str) -> RunStatus:
    """How the run is doing, asked where it is. Raises BadFileError, GuardianError, typer.Exit."""
    if far := FarRun.of(RunFiles.of(place.folder, run)):
        said = asyncio.run(ask_there(far, SshLink.open, "status", run, "--json"))
        if isinstance(said, FarFailed):
            raise fail(said.sentence)
        return RunStatus(**said | {"state": RunState(said["state"])})
    with place.looking() as ledger:
        found = run_status(place.folder, run, ledger)
    if found is None:
        raise BadFileError(f"there is no run {run!r} here; 'harness status' lists what there is")
    return found


def _say_run(seen: RunStatus) -> None:
    far = f", {seen.done} of {seen.total} launches" if seen.total else ""
    left = "" if seen.seconds_left is None else f", about {seen.seconds_left / 60:.1f} minutes of measuring left"
    who = f", pid {seen.pid}" if seen.pid else ""
    window = f", window {seen.window}" if seen.window else ""
    say(f"{seen.run} on {seen.target or 'an unknown target'}: {seen.state}{who}{window}{far}{left}")
    say(f"  {seen.sentence}")


def _say_target(seen: TargetStatus) -> None:
    say(f"{seen.target}: production is {seen.production}")
    if seen.measured_by:
        say(f"  leased by {seen.measured_by}")
    for run in seen.runs:
        _say_run(run)


def _say_fetched(place: Place, got: Fetched, *, as_json: bool) -> None:
    files = RunFiles.of(place.folder, got.run)
    where = {"events": files.events, "words": files.words, "order": files.order}
    there = {"ledger": place.records.said} | {name: str(path) for name, path in where.items() if path.exists()}
    if as_json:
        print_json(got.as_json() | there)
        return
    if got.end is not None:
        with place.ledger() as ledger:
            plan = ledger.of(MeasuringRun, run=got.run)[0][1]
        verdict = RunVerdict(None, got.end.detail, got.verdicts)
        print_table(out, verdict_table(verdict, plan.criteria, place.planning(plan.target)))
        say(f"{got.end.outcome}: {got.end.detail}")
    else:
        say(f"{got.run} is not at its end; what stands so far is on record")
    span = f"{got.first_seq} to {got.last_seq}"
    say(f"{got.entries} entries, {span}; `committee show SEQ` prints one, `committee report` all")
    for name, path in there.items():
        say(f"  {name}: {path}")
