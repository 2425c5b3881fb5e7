"""`harness start|stop|restore|attest`: production's state, brought about or only looked at."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.place import Place
from harness.cli.runs import find_run, status_of
from harness.cli.speak import GOOD, NEGATIVE, fail, print_json, run_interruptible, say, say_text
from harness.hosts.base import Production
from harness.hosts.onlooker import Onlooker
from harness.hosts.restore import RestoreOutcome
from harness.hosts.ssh_link import SshLink
from harness.lease import LeaseHeld
from harness.vocabulary.base import BadFileError
from harness.workflow.accepted_run import recorded_baseline
from harness.workflow.attest import Attestation
from harness.workflow.attest import attest as attest_target
from harness.workflow.carrier import Claim, forget_elsewhere, leased_host, onlooker, restore_recorded, restore_target
from harness.workflow.deploy import which_baseline
from harness.workflow.far_run import FarFailed
from harness.workflow.far_run import ask as ask_there
from harness.workflow.open_secrets import open_secrets
from harness.workflow.production import (
    STATES,
    Down,
    Occasion,
    bring_up,
    differences,
    production_spec,
    state_dir,
    states_of,
    take_down,
)
from harness.workflow.proof import prove_production
from harness.workflow.recorded_words import blanks_over
from harness.workflow.run_files import FarRun, RunFiles, Wish
from harness.workflow.seen_state import COMMANDED, attested, restored
from harness.workflow.status import RunState
from harness.workflow.unit import restorer
from harness.workflow.way_up import State
from ledger.entries import TargetState
from ledger.store import Ledger

Name = Annotated[str, typer.Argument(help="name of the target")]
TakeOver = Annotated[
    bool, typer.Option("--take-over", help="who leased it from another host is gone: you have looked there")
]
Workspace = Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")]
commands = typer.Typer(add_completion=False)


@commands.command("start")
def start(target: Name, take_over: TakeOver = False, workspace: Workspace = None) -> None:
    """Start production under the guardian and prove that it answers."""
    place = Place.find(workspace)
    sentence = run_interruptible(_start(place, target, take_over=take_over), lambda: _interrupted(place, target))
    if sentence.startswith("production of"):
        raise fail(sentence)
    say(sentence)


def _interrupted(place: Place, name: str) -> str:
    target, _ = place.target(name, draft=True)

    async def look() -> Production:
        async with onlooker(state_dir(place.folder, target), target) as looking:
            return await looking.production()

    return said_interrupted(name, asyncio.run(look()))


def said_interrupted(name: str, seen: Production) -> str:
    """The sentence after Ctrl-C, by where production stands. Raises Failure where it should be up and is not seen so.

    The guardian goes on with a start that it has begun, whoever has left.
    """
    if seen.held is not None and seen.url is not None:
        return f"stopped by a person; production of {name!r} is up"
    if not seen.wanted:
        return f"stopped by a person; production of {name!r} was not asked to run, and it is left down"
    how = f"runs, pid {seen.held.pid}, and its guardian goes on" if seen.held else "does NOT run"
    todo = f"look with 'harness status {name}'" if seen.held else "give the command again"
    raise fail(f"stopped by a person before production of {name!r} was up: it {how}; {todo}", stands=True)


async def _start(place: Place, name: str, *, take_over: bool) -> str:
    target, _ = place.target(name)
    if said := open_secrets(target):
        fail(said)
    if take_over:
        await forget_elsewhere(state_dir(place.folder, target), target)
    async with leased_host(state_dir(place.folder, target), target, Claim("start", take_over=True)) as host:
        if isinstance(host, LeaseHeld):
            return f"production of {name!r} is not started: {host.sentence}"
        if not differences(target, (await host.production()).started_as):  # else it comes back as it runs
            await host.set_production(production_spec(target, host.home or place.folder))
        with place.ledger() as ledger:
            accepted = place.accepted(name) or ""
            held = await bring_up(host, ledger, Occasion(target, COMMANDED, accepted=accepted))
        if isinstance(held, Down):
            return held.sentence
        trouble = await prove_production(host, target)
        production = await host.production()
        if drift := "; ".join(differences(target, production.started_as)):
            trouble = (
                f"production of {name!r} still runs as it was started before ({drift}); "
                f"'harness stop {name}', then 'harness start {name}' makes it what its file says now"
            )
        where = f" on {target.host.ssh}" if target.host else ""
        url = blanks_over(target, production).whole(production.url)
        return trouble or f"{name} is up: pid {held.pid}, {url}{where}"


@commands.command("stop")
def stop(
    name: Annotated[str, typer.Argument(metavar="TARGET|RUN", help="a target's name, or a run's id or its beginning")],
    now: Annotated[bool, typer.Option("--now", help="a run: break its block off instead of finishing it")] = False,
    take_over: TakeOver = False,
    workspace: Workspace = None,
) -> None:
    """Stop a run, which brings production back; or stop production, which stays down."""
    place = Place.find(workspace)
    if name not in place.target_names():
        if take_over:
            raise BadFileError(f"--take-over is for targets, and {name!r} is none; leave it away, or name the target")
        say(stop_run(place, name, Wish.NOW if now else Wish.AFTER_BLOCK))
        return
    if now:
        raise BadFileError(f"--now is for runs, and {name!r} is a target; leave it away, or name the run")
    sentence = run_interruptible(_stop(place, name, take_over=take_over))
    if sentence.startswith("production of"):
        raise fail(sentence)
    say(sentence)


def stop_run(place: Place, text: str, wish: Wish) -> str:
    """Leave the wish for the process that measures; what will happen, in words. Raises BadFileError, typer.Exit."""
    run = find_run(place, text)
    files = RunFiles.of(place.folder, run)
    if far := FarRun.of(files):
        words = ("stop", run, "--now") if wish is Wish.NOW else ("stop", run)
        said = run_interruptible(ask_there(far, SshLink.open, *words))
        if isinstance(said, FarFailed):
            raise fail(said.sentence)
        return f"{far.ssh}: {said.get('said', '')}"
    runner, seen = files.runner(), status_of(place, run)
    if seen.state is RunState.ENDED:  # its process may still be printing what came out
        raise fail(f"run {run} is not under way here: it ended ({seen.sentence}); see it with 'harness show {run}'")
    if runner is None or not runner.alive:
        raise fail(f"run {run} is not under way here, so there is nothing to stop; look with 'harness status {run}'")
    files.ask_to_stop(wish)
    how = (
        "breaks its block off and brings production back"
        if wish is Wish.NOW
        else "finishes its block and brings production back; --now would break the block off"
    )
    return f"run {run} {how}. What stands is kept; watch it with 'harness attach {run}'"


async def _stop(place: Place, name: str, *, take_over: bool) -> str:
    target, _ = place.target(name, draft=True)
    folder = state_dir(place.folder, target)
    if target.host is None and not folder.is_dir():
        return f"{name} was never started here"
    if take_over:
        await forget_elsewhere(folder, target)
    async with leased_host(folder, target, Claim("stop", take_over=True)) as host:
        if isinstance(host, LeaseHeld):
            return f"production of {name!r} is not stopped: {host.sentence}"
        with place.ledger() as ledger:
            held = await take_down(host, ledger, Occasion(target, COMMANDED))
        await host.dismiss()
    return f"{name} is stopped: pid {held.pid} ended" if held else f"{name} was not running"


@commands.command("restore")
def restore(target: Name, workspace: Workspace = None) -> None:
    """Bring production back after harness and guardian both died; safe to repeat."""
    place = Place.find(workspace)
    try:
        known = place.target(target, draft=True)[0]
    except (BadFileError, OSError) as error:
        _restore_recorded(place, target, error)
        return
    work = restore_target(state_dir(place.folder, known), known)
    outcome = run_interruptible(work, lambda: _interrupted(place, target))
    if outcome.note:
        say(f"note: {outcome.note}", style="yellow")
    ended = None if outcome.up else fail(outcome.sentence, stands=True)
    if outcome.up:
        say(outcome.sentence)
    if outcome.held:  # after an interrupted deployment it is one of two
        say(run_interruptible(which_baseline(place.folder, known)))
    _file(place, target, outcome)
    if ended:
        raise ended


def _restore_recorded(place: Place, name: str, error: BadFileError | OSError) -> None:
    """A file that cannot be read keeps production down for nobody. Raises `error` where nothing is recorded here."""
    folder = place.folder / STATES / name
    if "/" in name:
        raise error
    work, seen = restore_recorded(folder), Onlooker(folder)
    outcome = run_interruptible(work, lambda: said_interrupted(name, asyncio.run(seen.production())))
    if outcome is None:
        raise error
    say(f"note: {error}; production is restored as it was recorded, which needs no file", style="yellow")
    ended = None if outcome.up else fail(outcome.sentence, stands=True)
    if outcome.up:
        say(outcome.sentence)
    _file(place, name, outcome)
    if ended:
        raise ended


def _file(place: Place, name: str, outcome: RestoreOutcome) -> None:
    with place.looking() as ledger:  # restoring makes no ledger
        if ledger and (outcome.held or not outcome.up):
            ledger.append(restored(name, outcome))


@commands.command("unit")
def unit(
    target: Name,
    timer: Annotated[bool, typer.Option("--timer", help="the timer that runs it, instead of the service")] = False,
    workspace: Workspace = None,
) -> None:
    """Print the systemd unit that brings production back after a reboot, or after harness and guardian both died."""
    place = Place.find(workspace)
    known, _ = place.target(target)
    made = run_interruptible(restorer(known, state_dir(place.folder, known)))
    say_text((made.timer() if timer else made.service()).rstrip("\n"))


@commands.command("attest")
def attest(
    target: Name,
    workspace: Workspace = None,
    record: Annotated[bool, typer.Option("--record", help="also put what was seen into the ledger")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Look only: who answers, with which settings, and what differs from the target's file."""
    place = Place.find(workspace)
    known, _ = place.target(target, draft=True)
    recorded, states = None, tuple[State, ...]()
    with place.looking() as ledger:  # which makes none
        if ledger is not None:
            recorded, states = recorded_baseline(ledger, known.name), states_of(ledger, known.name)
    seen = run_interruptible(attest_target(known, state_dir(place.folder, known), recorded, states))
    if as_json:
        print_json(seen.as_json())
    else:
        _print(seen)
    if record:
        with place.ledger() as ledger:
            _record(ledger, attested(known, seen, place.accepted(target) or ""))
    raise typer.Exit(GOOD if seen.as_described else NEGATIVE)


def _record(ledger: Ledger, state: TargetState | None) -> None:
    """Raises typer.Exit where what answers is not production."""
    if state is None:
        raise fail("nothing is put on record: what answers is not the process that was started as production")
    ledger.append(state)


def _print(seen: Attestation) -> None:
    say(seen.sentence)
    for count in seen.markers:
        say(f"  marker {count.marker!r}: {count.count} of {count.needed}")
    if seen.kv_tokens is not None:
        say(f"  the cache holds {seen.kv_tokens:,} tokens")
    if seen.running.processes:
        hashed = sum(one.sha256 is not None for one in seen.running.objects)
        pids = ", ".join(str(one.pid) for one in seen.running.processes)
        say(f"  processes {pids}; {len(seen.running.objects)} objects mapped, {hashed} by hash (--json lists them)")
    if seen.compared_with is not None:
        say(f"  compared with the baseline as run {seen.compared_with} recorded it")
    for setting in seen.settings:
        if setting.effective is None:
            say(f"  {setting.flag}: asked {setting.wanted}, the engine does not say")
        else:
            mark = "same" if setting.wanted == setting.effective else "DRIFT"
            say(f"  {setting.flag}: asked {setting.wanted}, in force {setting.effective}  {mark}")
