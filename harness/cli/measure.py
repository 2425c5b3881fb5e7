"""`harness measure`: from arm files to verdicts, or the whole of an order written by the front office."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.live import LineWatcher, LiveWatcher
from harness.cli.place import Place
from harness.cli.show import print_dry_run, verdict_table
from harness.cli.speak import GOOD, NEGATIVE, err, fail, out, print_json_line, run_interruptible
from harness.cli.terminal import shown
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.criteria import Criteria
from harness.workflow.measure import Measurement, NotMeasured
from harness.workflow.order import ArmOrder, Order, new_run_id

DEFAULT_SEED = 1


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
    dry_run: Annotated[bool, typer.Option(help="print every command, the downtime and the effect it can see")] = False,
    json_lines: Annotated[bool, typer.Option("--json", help="one JSON object a line instead of a display")] = False,
) -> None:
    """Measure arms against the baseline, in blocks, and bring production back."""
    place = Place.find(workspace)
    wanted = Order.from_json(order) if order else _order(place, target, arm or [], criteria, seed)
    if blocks is not None:
        changed = wanted.criteria.model_dump(by_alias=True) | {"blocks": blocks}
        wanted = wanted.model_copy(update={"criteria": Criteria.from_mapping(changed, "--blocks")})
    if dry_run:
        with place.ledger() as ledger:
            print_dry_run(wanted, place.folder, ledger, as_json=json_lines)
        raise typer.Exit(GOOD)
    kept = order or _keep(place, wanted)
    watcher = LineWatcher(progress) if json_lines or progress else LiveWatcher(out)
    with place.ledger() as ledger, watcher:
        measurement = Measurement(wanted, place.folder, ledger, watcher.tell, take_over)
        outcome = run_interruptible(measurement.run())
    if isinstance(outcome, NotMeasured):
        more = "" if order else f"; go on with `harness measure --order {kept}`"
        raise fail(f"{outcome.sentence}{more}")
    if json_lines:
        print_json_line({"run": wanted.run, "void": outcome.verdict.void, "sentence": outcome.verdict.sentence})
    else:
        out.print(verdict_table(outcome.verdict))
        err.print(shown(outcome.verdict.sentence), markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(NEGATIVE if outcome.verdict.void else GOOD)


def _keep(place: Place, order: Order) -> Path:
    """The order as a file: without it a stopped run could not be taken up again."""
    path = place.folder / ".committee" / "runs" / order.run / "order.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(order.to_json(), encoding="utf-8")
    return path


def _order(place: Place, target: str | None, arms: list[Path], criteria: Path | None, seed: int) -> Order:
    if target is None or criteria is None or not arms:
        raise BadFileError("name a target, --criteria FILE and at least one --arm FILE, or give --order FILE")
    known, target_sha256 = place.target(target)
    value = {
        "run": new_run_id(),
        "target": known,
        "target_sha256": target_sha256,
        "criteria": Criteria.from_toml(criteria),
        "arms": tuple(ArmOrder(arm=Arm.from_toml(path)) for path in arms),
        "seed": seed,
    }
    return Order.from_mapping(value, "the order")
