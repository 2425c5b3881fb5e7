"""What a measuring run would do, without doing any of it: every command, the downtime, the effect it could see."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.adapters import ADAPTERS, Place, server_spec
from harness.overlay.prepare import prepare
from harness.vocabulary.arm import Arm
from harness.workflow.design import design_lines, most_launches, visible_pct
from harness.workflow.lint import lint, new_with, unprovable_gate
from harness.workflow.order import Order
from harness.workflow.plan import expected_downtime_s
from harness.workflow.steps import LAUNCH, after_launch, before_start, gates_of_launch, run_begins, run_ends, start_of
from ledger.queries import placebo_history
from ledger.store import Ledger


@dataclass(frozen=True)
class Command:
    """One command that would be started, and how often."""

    name: str
    argv: tuple[str, ...]
    variables: tuple[str, ...]  # environment variables by name
    times: int
    steps: tuple[str, ...]  # everything of one such launch, in order


@dataclass(frozen=True)
class DryRun:
    """The plan in figures."""

    target: str
    commands: tuple[Command, ...]
    launches: int
    downtime_s: float
    launch_sd_pct: float
    sd_source: str  # where that spread comes from
    visible_pct: float  # smallest effect that the planned blocks see with power 0.9
    asked_pct: float  # smallest effect that matters, from the criteria
    begins: tuple[str, ...]  # what is done before the first launch
    ends: tuple[str, ...]  # and after the last
    rules: tuple[str, ...] = ()  # what rules that need no start have to say
    design: tuple[str, ...] = ()  # looks, screen, controls and budget; empty for a fixed number of blocks

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def dry_run(order: Order, workspace: Path, ledger: Ledger) -> DryRun:
    """Everything a person wants to know before production goes down."""
    target, criteria = order.target, order.criteria
    history = placebo_history(ledger, target.name)
    known = sorted(history)
    spread = known[len(known) // 2] if known else target.planning.launch_sd_pct
    source = f"median of {len(known)} earlier runs here" if known else "the target file's planning figure"
    commands = [_command(order, workspace, "baseline", None, criteria.blocks)]
    commands.append(_command(order, workspace, "placebo (the baseline again)", None, criteria.blocks))
    commands += [_command(order, workspace, item.arm.name, item.arm, criteria.blocks) for item in order.arms]
    return DryRun(
        target=target.name,
        commands=tuple(commands),
        launches=most_launches(criteria, len(order.arms)),
        downtime_s=expected_downtime_s(order),
        launch_sd_pct=spread,
        sd_source=source,
        visible_pct=visible_pct(order, spread),
        asked_pct=criteria.primary.smallest_effect_pct,
        begins=run_begins(order, workspace),
        ends=run_ends(target, workspace),
        rules=_rules(order),
        design=design_lines(order, spread),
    )


def _rules(order: Order) -> tuple[str, ...]:
    found = list(lint(order.target, None))
    for item in order.arms:
        found += new_with(order.target, item.arm)
    gate = unprovable_gate(order.target, order.criteria.gates)
    return (*(one.words for one in found), *([f"fault: {gate} [gates]"] if gate else ()))


def _command(order: Order, workspace: Path, name: str, arm: Arm | None, times: int) -> Command:
    adapter, prepared = ADAPTERS[order.target.adapter], prepare(order.target, arm, LAUNCH)
    spec = server_spec(adapter, prepared.target, arm, Place(alias=LAUNCH, port=0, cwd=workspace))
    steps = (
        *before_start(prepared.changes),
        *start_of(prepared.target, spec),
        *gates_of_launch(order),
        *after_launch(prepared.target, prepared.changes),
    )
    return Command(name, spec.argv, tuple(key for key, _ in spec.env), times, steps)
