"""What the bench prints: the table of verdicts, and a plan before anything is touched."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from harness.cli.speak import print_json_line, say
from harness.cli.terminal import cells
from harness.shortened import shortened
from harness.verdicts import RunVerdict
from harness.verdicts.confidence import confidence_of
from harness.verdicts.interactions import Interaction
from harness.vocabulary.target import Planning
from harness.workflow.dryrun import dry_run
from harness.workflow.going_on import blocks_in_all, new_run_min, no_run_settles, no_use_in_more
from harness.workflow.order import Order
from ledger.entries import Launch, Verdict
from ledger.store import Ledger

SHOWN = 160  # characters of an arm's reasons in its row; `harness show --json` holds them all


def verdict_table(run: RunVerdict, criteria: Mapping[str, Any], planning: Planning | None = None) -> Table:
    """One row for each arm on the primary metric; `planning` is the target's, where its file can be read."""
    table = Table(Column("arm", overflow="fold"), "validity", "speed", "numerics", "change", "note")
    for verdict in run.verdicts:
        if verdict.primary:
            axes = (verdict.validity, verdict.speed or "-", verdict.numerics)
            said = (change(verdict), note(verdict, criteria, planning))
            table.add_row(*cells(verdict.arm_name, *axes, *said))
    if bounds := confidence_of(verdict for verdict in run.verdicts if verdict.primary):
        table.caption, table.caption_justify = bounds.words, "left"
    return table


def interaction_table(found: Sequence[Interaction]) -> Table:
    """One row for each part of each stack on the primary metric."""
    table = Table("stack", "part", "alone", "on top of", "together", "interaction", "so")
    for one in found:
        span = f"{one.ratio_pct:+.1f} % [{one.low_pct:+.1f}, {one.high_pct:+.1f}]"
        so = "they interact" if one.shown else "none is shown"
        on_top = f"{one.on_top_pct:+.1f} %"
        table.add_row(*cells(one.stack, one.part, f"{one.alone_pct:+.1f} %", one.rest, on_top, span, so))
    return table


def file_lines(launches: Sequence[Launch]) -> tuple[str, ...]:
    """One line for each file that was another one, and for everything that was wrong when it was changed back."""
    said: dict[str, None] = {}
    for launch in launches:
        for one in launch.files:
            was = (
                f"{(one.before_sha256 or '')[:12]} -> {(one.after_sha256 or '')[:12]}"
                if one.before_sha256
                else one.said
            )
            if launch.role == "arm" or one.kind != "copy":
                said[f"{one.kind} {one.path} ({was})"] = None
        said |= {f"{launch.launch}: {sentence}": None for sentence in launch.undone}
    return tuple(said)


def change(verdict: Verdict) -> str:
    """Estimate and bounds in percent, or a dash where no number may exist."""
    if verdict.interval is None:
        return "-"
    span = verdict.interval
    return f"{span.estimate_pct:+.1f} % [{span.low_pct:+.1f}, {span.high_pct:+.1f}]"


def note(verdict: Verdict, criteria: Mapping[str, Any], planning: Planning | None = None) -> str:
    """What else a person needs to know: the reason, or what would settle it and what that costs as a new run."""
    if verdict.reasons:
        return shortened("; ".join(verdict.reasons), SHOWN)
    if useless := no_use_in_more(criteria, verdict):
        return useless
    total = blocks_in_all(verdict)
    why = f"{verdict.because}: " if verdict.because else ""
    if total is None:
        useless = no_run_settles(verdict)
        return f"{why}{useless}" if useless else verdict.because or ""
    minutes = new_run_min(planning, criteria, total) if planning else None
    cost = "" if minutes is None else f", about {minutes:.1f} server minutes"
    return f"{why}{verdict.more_blocks} more blocks would settle it: a new run of {total}{cost}"


def print_dry_run(order: Order, workspace: Path, ledger: Ledger, *, as_json: bool) -> None:
    """Every command, the downtime, and the smallest effect that the planned blocks can see."""
    plan = dry_run(order, workspace, ledger)
    if as_json:
        print_json_line(plan.as_json())
        return
    for line in plan.begins:
        say(line)
    for command in plan.commands:
        say(f"{command.times} x {command.name}:", style="bold")
        for line in command.steps:
            say(f"    {line}")
    for line in (*plan.ends, *plan.design, *plan.rules):
        say(line)
    away_min = plan.downtime_s / 60
    say(f"{plan.launches} launches, at most about {away_min:.1f} minutes without production of {plan.target}.")
    say(
        f"Launch spread {plan.launch_sd_pct:.1f} % ({plan.sd_source}): these blocks see {plan.visible_pct:.1f} % "
        f"with power 0.9; the criteria ask for {plan.asked_pct:g} %."
    )
