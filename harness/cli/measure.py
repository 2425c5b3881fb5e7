"""`harness measure`: from arm files to verdicts, or the whole of an order written by the front office."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.consent import ask, say_plan_cost
from harness.cli.detaching import detach_run
from harness.cli.live import watching
from harness.cli.narrow import print_table
from harness.cli.place import Place
from harness.cli.show import interaction_table, print_dry_run, verdict_table
from harness.cli.speak import GOOD, INTERRUPTED, NEGATIVE, err, fail, out, print_json_line, run_interruptible
from harness.cli.terminal import one_line
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Reason
from harness.workflow.carrier import forget_elsewhere
from harness.workflow.detached import Terms, keep, under_way
from harness.workflow.drain import DRAIN_LIMIT_S, Politeness, WhenBusy
from harness.workflow.measure import Measurement, NotMeasured
from harness.workflow.night import Hours, Night
from harness.workflow.order import ArmOrder, Order, new_run_id
from harness.workflow.production import state_dir
from harness.workflow.stacked import stacked_in

DEFAULT_SEED = 1
UsersAccept = Annotated[bool, typer.Option("--users-accept", help="users know; needed if nobody can count them")]
DrainLimit = Annotated[float, typer.Option(min=1, max=86400, help="seconds that a drain may take")]
TakeOverSeen = Annotated[  # what the front office says
    bool, typer.Option("--take-over-seen", hidden=True, help="as --take-over, but never one under another host's name")
]
commands = typer.Typer(add_completion=False)


@commands.command("measure")
def measure(
    target: Annotated[str | None, typer.Argument(help="name of the target; not needed with --order")] = None,
    arm: Annotated[list[Path] | None, typer.Option(help="an arm file; repeat for more")] = None,
    criteria: Annotated[Path | None, typer.Option(help="the criteria file")] = None,
    blocks: Annotated[int | None, typer.Option(min=2, help="number of blocks instead of the criteria's")] = None,
    seed: Annotated[int, typer.Option(min=0, help="seed of the shuffling")] = DEFAULT_SEED,
    order: Annotated[Path | None, typer.Option(help="an order file; the same order again resumes its run")] = None,
    workspace: Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")] = None,
    progress: Annotated[Path | None, typer.Option(help="append progress to this file instead of showing it")] = None,
    take_over: Annotated[bool, typer.Option(help="take over a lease whose owner is gone")] = False,
    take_over_seen: TakeOverSeen = False,
    dry_run: Annotated[bool, typer.Option(help="print every command, the downtime and the effect it can see")] = False,
    json_lines: Annotated[bool, typer.Option("--json", help="one JSON object a line instead of a display")] = False,
    detach: Annotated[bool, typer.Option("--detach", help="run it unattended, on the target's own machine")] = False,
    window: Annotated[str, typer.Option(help="hours of that machine's clock, e.g. 02:00-06:00")] = "",
    once: Annotated[bool, typer.Option("--once", help="end after one window instead of going on in the next")] = False,
    when_busy: Annotated[WhenBusy, typer.Option(help="while users are on")] = WhenBusy.REFUSE,
    drain_limit_s: DrainLimit = DRAIN_LIMIT_S,
    users_accept: UsersAccept = False,
    approve: Annotated[str, typer.Option(help="your name: you have read the arms that are code")] = "",
    stricter: Annotated[bool, typer.Option("--stricter", help="gates may ask more than the baseline passed")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="production may be taken down for the time shown")] = False,
) -> None:
    """Measure arms against the baseline, in blocks, and bring production back."""
    place = Place.find(workspace)
    named = _arms(arm or [], approve)
    wanted = _blocks(Order.from_json(order) if order else _order(place, target, named, criteria, seed), blocks)
    polite, stale = Politeness(when_busy, drain_limit_s, users_accept), take_over or take_over_seen
    terms = Terms(Hours.of(window, once), polite, stale, stricter)
    if dry_run:
        _say_plan(place, wanted, terms, json_lines=json_lines)
        return
    _can_be_written(progress)
    ask(place, wanted, terms, yes=yes, silent=json_lines)
    _forget(place, wanted, told=take_over)
    if detach:
        detach_run(place, wanted, terms, as_json=json_lines)
    else:
        _measure(place, wanted, terms, progress, json_lines=json_lines)


def _forget(place: Place, order: Order, *, told: bool) -> None:
    """A lease under another host's name, where a person says so: for a program nobody has looked there."""
    if told:
        run_interruptible(forget_elsewhere(state_dir(place.folder, order.target), order.target))


def _say_plan(place: Place, order: Order, terms: Terms, *, json_lines: bool) -> None:
    with place.ledger() as ledger:
        print_dry_run(order, place.folder, ledger, as_json=json_lines)
    say_plan_cost(place, order, terms.hours, silent=json_lines)


def _measure(place: Place, order: Order, terms: Terms, progress: Path | None, *, json_lines: bool) -> None:
    files = keep(place.folder, order)
    if said := under_way(files):
        raise fail(said)
    with place.ledger() as ledger, watching(files.events, progress, json_lines=json_lines) as watcher:
        measurement = Measurement(order, place.folder, ledger, watcher.tell, terms.take_over)
        files.enter(order.run, order.target.name, str(terms.hours.window or ""))
        outcome = run_interruptible(Night(measurement, files, terms.hours, terms.politeness).run(), timed=True)
        stacked = () if isinstance(outcome, NotMeasured) else stacked_in(ledger, order.run)
    if isinstance(outcome, NotMeasured):
        words = replace(terms, take_over=False).words  # whoever has a lease to take over is told so in the sentence
        again = shlex.join(("harness", "measure", "--order", str(files.order), *words))
        down = outcome.reason is Reason.HARNESS_LOST
        then = "once it is up, go on" if down else "go on"
        stopped = files.wish() is not None and not down  # `harness stop` sends no signal, it leaves a wish
        code = INTERRUPTED if stopped else NEGATIVE
        raise fail(f"{outcome.sentence.rstrip('.')}; {then} with `{again}`", code, stands=down)
    if json_lines:
        print_json_line({"run": order.run, "void": outcome.verdict.void, "sentence": outcome.verdict.sentence})
    else:
        criteria = order.criteria.model_dump(mode="json", by_alias=True)
        print_table(out, verdict_table(outcome.verdict, criteria, order.target.planned))
        if stacked:
            print_table(out, interaction_table(stacked))
        err.print(one_line(outcome.verdict.sentence), markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(NEGATIVE if outcome.verdict.void else GOOD)


def _can_be_written(progress: Path | None) -> None:
    """Raises OSError before anything is asked or begun where the file of progress cannot be written."""
    if progress is not None:
        progress.open("a").close()


def _blocks(order: Order, blocks: int | None) -> Order:
    """The order with another number of blocks, if one is given. Raises BadFileError."""
    if blocks is None:
        return order
    changed = order.criteria.model_dump(by_alias=True) | {"blocks": blocks}
    return order.model_copy(update={"criteria": Criteria.from_mapping(changed, "--blocks")})


def _arms(paths: list[Path], approved_by: str) -> tuple[ArmOrder, ...]:
    arms = [Arm.from_toml(path) for path in paths]
    return tuple(ArmOrder(arm=arm, approved_by=approved_by or None if arm.is_code else None) for arm in arms)


def _order(place: Place, target: str | None, arms: tuple[ArmOrder, ...], criteria: Path | None, seed: int) -> Order:
    if target is None or criteria is None or not arms:
        raise BadFileError("name a target, --criteria FILE and at least one --arm FILE, or give --order FILE")
    known, target_sha256 = place.target(target)
    value = {
        "run": new_run_id(),
        "target": known,
        "target_sha256": target_sha256,
        "criteria": Criteria.from_toml(criteria),
        "arms": arms,
        "seed": seed,
    }
    return Order.from_mapping(value, "the order")
