"""What a plan's looks, screen, planted controls and budget mean in launches, fixed before production is touched."""

from collections.abc import Sequence
from statistics import median

from harness.planning import slots, visible_effect_pct
from harness.planning.balanced import balanced_slots, screen_slots
from harness.planning.looks import INFLATION, last_look_only
from harness.verdicts.calibration import plan_looks
from harness.verdicts.expectation import expectation
from harness.verdicts.looks import Rule
from harness.vocabulary.base import BadFileError
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.metrics import lower_is_better
from harness.workflow.lint import unprovable, unprovable_gate
from harness.workflow.order import Order
from ledger.entries import Launch, Look, MeasuringRun, Slot, Verdict
from ledger.store import Ledger


def most_launches(criteria: Criteria, arms: int) -> int:
    """Launches that measuring so many arms takes at most, screen included."""
    design = criteria.design
    if design.screen is None:
        return criteria.blocks * (arms + 2)
    controls = len(design.controls)
    confirmed = min(design.screen.keep, max(0, arms - controls)) + controls
    return design.screen.passes * (arms + 2) + criteria.blocks * (confirmed + 2)


def looks_of(order: Order) -> tuple[Look, ...]:
    """The looks of the plan with their levels; none for a fixed number of blocks. Takes seconds for a large plan."""
    criteria = order.criteria
    design = criteria.design
    if design.is_fixed:
        return ()
    counted = max(1, len(order.arms) - len(design.controls))
    if design.looks is None:
        return last_look_only(criteria.blocks, criteria.level, counted)
    return plan_looks(criteria.blocks, design.looks.count, criteria.level, _confirmed(order), counted)


def slots_for(order: Order, ledger: Ledger | None) -> tuple[Slot, ...]:
    """Every launch that the plan may come to, in order."""
    fingerprints = tuple(item.arm.fingerprint for item in order.arms)
    criteria = order.criteria
    if criteria.design.is_fixed:
        return slots(fingerprints, criteria.blocks, order.seed)
    screened: tuple[Slot, ...] = ()
    passes = screen_blocks(criteria)
    if passes:
        screened = screen_slots(scheduled(order, ledger), passes)
    return (*screened, *balanced_slots(fingerprints, criteria.blocks, order.seed, passes))


def screen_blocks(criteria: Criteria) -> int:
    """Blocks of the screen."""
    return criteria.screen.passes if criteria.screen else 0


def scheduled(order: Order, ledger: Ledger | None) -> tuple[str, ...]:
    """The arms in the order of the screen: what measured best here before, then what started fastest, then by hash.

    Only measurements count, never a reviewer's order (lesson C2). The order schedules: it decides nothing.
    """
    known = {item.arm.fingerprint for item in order.arms}
    gains: dict[str, float] = {}
    seconds: dict[str, list[float]] = {arm: [] for arm in known}
    primary = order.criteria.primary
    for _, verdict in ledger.of(Verdict, target=order.target.name) if ledger else ():
        asked = (verdict.metric, verdict.load) == (primary.name, primary.load)
        if verdict.arm in known and asked and verdict.interval is not None:
            gain = verdict.interval.estimate_pct
            gains[verdict.arm] = -gain if lower_is_better(primary.name) else gain
    for _, launch in ledger.of(Launch, target=order.target.name) if ledger else ():
        if launch.arm in seconds and launch.took_s is not None:
            seconds[launch.arm].append(launch.took_s)
    costs = {arm: median(of_arm) if of_arm else float("inf") for arm, of_arm in seconds.items()}
    return tuple(sorted(known, key=lambda arm: (-gains.get(arm, 0.0), costs[arm], arm)))


def refuse_unfit(order: Order, downtime_s: float) -> None:
    """Raises BadFileError for planted controls that are no arms of the order, a start or a gate that could not be
    proven, or a plan beyond its budget."""
    for arm in (None, *(item.arm for item in order.arms)):
        if said := unprovable(order.target, arm):
            raise BadFileError(said)
    if said := unprovable_gate(order.target, order.criteria.gates):
        raise BadFileError(said)
    design = order.criteria.design
    names = {item.arm.name for item in order.arms}
    if missing := [control.arm for control in design.controls if control.arm not in names]:
        raise BadFileError(
            f"the criteria plant control {missing[0]!r}, which is no arm of this order; add its arm file with --arm"
        )
    if design.controls and len(design.controls) == len(names):
        raise BadFileError("every arm of this order is a planted control; name at least one that is not")
    if design.budget is not None and downtime_s > 60 * design.budget.server_minutes:
        raise BadFileError(
            f"the plan may keep production away for {downtime_s / 60:.1f} minutes, but budget.server_minutes is "
            f"{design.budget.server_minutes:g}; measure fewer arms, keep fewer, plan fewer blocks, or raise it"
        )


def plan_in_words(order: Order, plan: MeasuringRun) -> str:
    """Blocks, launches and minutes of a plan; with looks, a screen, controls or a budget these as well."""
    launches, minutes = most_launches(order.criteria, len(plan.arms)), f"about {plan.downtime_s / 60:.1f} minutes"
    through = f"requests go through the ssh connection to {plan.tunnel!r} and times include it" if plan.tunnel else ""
    if order.criteria.design.is_fixed:
        return "; ".join(filter(None, (f"{plan.blocks} blocks, {launches} launches, {minutes}", through)))
    said = (f"at most {plan.blocks} blocks, {launches} launches, {minutes}", *_parts(order, plan.looks), through)
    return "; ".join(filter(None, said))


def design_lines(order: Order, launch_sd_pct: float) -> tuple[str, ...]:
    """What a person should know of looks, screen and budget before the start; empty for a fixed number of blocks."""
    looks, planned = looks_of(order), order.criteria.looks
    if planned is None or launch_sd_pct <= 0:
        return _parts(order, looks)
    primary = order.criteria.primary
    rule = Rule(primary.smallest_effect_pct, planned.planned_effect_pct, lower_is_better(primary.name))
    seen = expectation(looks, rule, launch_sd_pct, _confirmed(order))
    return (
        *_parts(order, looks),
        f"at most {seen.most} blocks of the confirmation; on average {seen.null:.0f} for an arm that does nothing, and "
        f"{seen.planned:.0f} for one of {planned.planned_effect_pct:+g} %: FASTER with power {seen.power:.2f}",
    )


def visible_pct(order: Order, launch_sd_pct: float) -> float:
    """Smallest gain that the plan sees with power 0.9, percent; looks cost as many blocks as they are given more."""
    criteria = order.criteria
    blocks = criteria.blocks if criteria.looks is None else max(2, round(criteria.blocks / INFLATION))
    return visible_effect_pct(launch_sd_pct, blocks, _confirmed(order), criteria.level)


def _parts(order: Order, looks: Sequence[Look]) -> tuple[str, ...]:
    design, said = order.criteria.design, list[str]()
    if design.screen is not None:
        said.append(f"a screen of {design.screen.passes} launches of each arm keeps {design.screen.keep}")
    if design.looks is not None:
        said.append(f"looks after {', '.join(str(look.blocks) for look in looks)} blocks")
    if design.controls:
        said.append(f"planted controls {', '.join(control.arm for control in design.controls)}")
    if design.budget is not None:
        said.append(f"a budget of {design.budget.server_minutes:g} server minutes")
    return tuple(said)


def _confirmed(order: Order) -> int:
    """Arms that can come to the confirmation, without planted controls."""
    design = order.criteria.design
    counted = max(1, len(order.arms) - len(design.controls))
    return counted if design.screen is None else min(counted, design.screen.keep)
