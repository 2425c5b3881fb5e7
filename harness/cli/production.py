"""`harness start|stop|restore|attest`: production's state, brought about or only looked at."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.place import Place
from harness.cli.speak import GOOD, NEGATIVE, fail, print_json, run_interruptible, say
from harness.hosts.local import LocalHost
from harness.hosts.restore import restore as restore_host
from harness.lease import Lease, LeaseHeld
from harness.workflow.attest import Attestation
from harness.workflow.attest import attest as attest_target
from harness.workflow.production import Down, Occasion, bring_up, differences, production_spec, state_dir, take_down
from harness.workflow.proof import prove_production

Name = Annotated[str, typer.Argument(help="name of the target")]
Workspace = Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")]


def start(target: Name, workspace: Workspace = None) -> None:
    """Start production under the guardian and prove that it answers."""
    sentence = run_interruptible(_start(Place.find(workspace), target))
    if sentence.startswith("production of"):
        raise fail(sentence)
    say(sentence)


async def _start(place: Place, name: str) -> str:
    target, _ = place.target(name)
    folder = state_dir(place.folder, target)
    folder.mkdir(parents=True, exist_ok=True)
    lease = Lease.take(folder, "start", take_over=True)
    if isinstance(lease, LeaseHeld):
        return f"production of {name!r} is not started: {lease.sentence}"
    with lease:
        host = await LocalHost.open(folder)
        try:
            await host.set_production(production_spec(target, place.folder))
            with place.ledger() as ledger:
                held = await bring_up(host, ledger, Occasion(target, "a person's command"))
            if isinstance(held, Down):
                return held.sentence
            trouble = await prove_production(host, target)
            production = await host.production()
            if drift := "; ".join(differences(target, production.started_as)):
                trouble = (
                    f"production of {name!r} still runs as it was started before ({drift}); "
                    f"'harness stop {name}', then 'harness start {name}' makes it what its file says now"
                )
            return trouble or f"{name} is up: pid {held.pid}, {production.url}"
        finally:
            await host.close()


def stop(target: Name, workspace: Workspace = None) -> None:
    """Stop production; nobody brings it back until it is started again."""
    sentence = run_interruptible(_stop(Place.find(workspace), target))
    if sentence.startswith("production of"):
        raise fail(sentence)
    say(sentence)


async def _stop(place: Place, name: str) -> str:
    target, _ = place.target(name)
    folder = state_dir(place.folder, target)
    if not folder.is_dir():
        return f"{name} was never started here"
    lease = Lease.take(folder, "stop", take_over=True)
    if isinstance(lease, LeaseHeld):
        return f"production of {name!r} is not stopped: {lease.sentence}"
    with lease:
        host = await LocalHost.open(folder)
        try:
            with place.ledger() as ledger:
                held = await take_down(host, ledger, Occasion(target, "a person's command"))
            await host.dismiss()
        finally:
            await host.close()
    return f"{name} is stopped: pid {held.pid} ended" if held else f"{name} was not running"


def restore(target: Name, workspace: Workspace = None) -> None:
    """Bring production back after harness and guardian both died; safe to repeat."""
    place = Place.find(workspace)
    known, _ = place.target(target)
    outcome = run_interruptible(restore_host(state_dir(place.folder, known)))
    if not outcome.up:
        raise fail(outcome.sentence)
    say(outcome.sentence)


def attest(
    target: Name,
    workspace: Workspace = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Look only: who answers, with which settings, and what differs from the target's file."""
    place = Place.find(workspace)
    known, _ = place.target(target)
    seen = run_interruptible(attest_target(known, state_dir(place.folder, known)))
    if as_json:
        print_json(seen.as_json())
    else:
        _print(seen)
    raise typer.Exit(GOOD if seen.as_described else NEGATIVE)


def _print(seen: Attestation) -> None:
    say(seen.sentence)
    for setting in seen.settings:
        if setting.effective is None:
            say(f"  {setting.flag}: asked {setting.wanted}, the engine does not say")
        else:
            mark = "same" if setting.wanted == setting.effective else "DRIFT"
            say(f"  {setting.flag}: asked {setting.wanted}, in force {setting.effective}  {mark}")
