"""The plan of a measuring run: made once from an order, committed before production is touched, read back on resume."""

from dataclasses import dataclass

from harness import __version__
from harness.planning import LaunchTime, estimate, protocol_s
from harness.vocabulary.base import BadFileError
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.target import Planning, Target
from harness.workflow.admitted import arms_of
from harness.workflow.design import looks_of, most_launches, refuse_unfit, screen_blocks, slots_for
from harness.workflow.order import Order
from ledger.canonical import sha256_hex
from ledger.entries import Arm as ArmEntry
from ledger.entries import Gate, Launch, Look, MeasuringRun, Payload, Slot, Trial
from ledger.store import Ledger

GATE_TOKENS = 300  # tokens the gates' probes generate in one launch: three short texts, one of them of 100 tokens


@dataclass(frozen=True)
class Progress:
    """How far a planned run has come, read from the ledger alone."""

    finished: frozenset[int]  # blocks of which every launch is on record under one attempt
    tries: dict[int, int]  # attempts begun, by block


def make_plan(order: Order, ledger: Ledger | None = None, looks: tuple[Look, ...] | None = None) -> MeasuringRun:
    """The entry that fixes blocks, looks, order and seed. Earlier measurements of `ledger` schedule the screen.

    `looks` are those of an earlier plan of the order, which are not found anew.
    """
    fingerprints = tuple(item.arm.fingerprint for item in order.arms)
    return MeasuringRun(
        run=order.run,
        target=order.target.name,
        target_sha256=order.target_sha256,
        proposal=order.proposal,
        tree=order.tree,
        criteria=order.criteria.model_dump(mode="json", by_alias=True),
        arms=fingerprints,
        seed=order.seed,
        blocks=screen_blocks(order.criteria) + order.criteria.blocks,
        slots=slots_for(order, ledger),
        target_model_sha256=model_sha256(order.target),
        downtime_s=expected_downtime_s(order),
        harness_version=__version__,
        looks=looks_of(order) if looks is None else looks,
        screen_blocks=screen_blocks(order.criteria),
        tunnel=order.target.host.ssh if order.target.host else None,
    )


def model_sha256(target: Target) -> str:
    """Hash of the target as it is launched, its private values left out: a weak one could be found by trying."""
    baseline = target.baseline
    env = {name: "" if name in baseline.private else value for name, value in baseline.env.items()}
    return _sha256(target.model_copy(update={"baseline": baseline.model_copy(update={"env": env})}))


def _sha256(target: Target) -> str:
    return sha256_hex(target.model_dump_json(by_alias=True).encode())


def expected_downtime_s(order: Order) -> float:
    """Time without production that the whole order should take, seconds."""
    return downtime_s(order.target.planned, order.criteria, len(order.arms))


def downtime_s(planning: Planning, criteria: Criteria, arms: int) -> float:
    """Time without production that measuring so many arms takes at most, seconds, by a target's `planned` figures."""
    launch = LaunchTime(
        start_s=planning.start_s,
        protocol_s=protocol_s(criteria, planning.user_tok_s, planning.at_once or 1),
        gates_s=GATE_TOKENS / planning.user_tok_s,
    )
    return estimate(most_launches(criteria, arms), launch)


def commit_plan(ledger: Ledger, order: Order) -> MeasuringRun:
    """Write plan and arms once; a second start of the same order finds them and goes on.

    Raises BadFileError for an order that names a planned run and asks for something else than its plan.
    """
    for _, planned in ledger.of(MeasuringRun, run=order.run):
        plan = make_plan(order, looks=planned.looks)
        if other := _differences(ledger, planned, plan, order):
            raise BadFileError(
                f"run {order.run} was planned with another {', '.join(other)} than this order's; "
                "go on with the run's own order, or order a new run"
            )
        return planned
    refuse_unfit(order, expected_downtime_s(order))
    plan = make_plan(order, ledger)
    arms = [
        ArmEntry(
            fingerprint=item.arm.fingerprint,
            name=item.arm.name,
            target=order.target.name,
            proposal=order.proposal,
            definition=item.arm.model_dump(mode="json", by_alias=True),
            origins=item.origins,
            approved_by=item.approved_by,
        )
        for item in order.arms
    ]
    payloads: list[Payload] = [plan, *arms]
    ledger.append_all(payloads)
    return plan


def _differences(ledger: Ledger, planned: MeasuringRun, plan: MeasuringRun, order: Order) -> list[str]:
    """What the order asks for otherwise than the plan on record, in words.

    A plan of an earlier version may hold the hash of the target with its private values.
    """
    compared = {
        "target": (planned.target, plan.target),
        "target file": (planned.target_sha256, plan.target_sha256),
        "baseline": (planned.target_model_sha256 in (None, plan.target_model_sha256, _sha256(order.target)), True),
        "criteria": (planned.criteria, plan.criteria),
        "set of arms": (sorted(planned.arms), sorted(plan.arms)),
        "seed": (planned.seed, plan.seed),
        "number of blocks": (planned.blocks, plan.blocks),
        "proposal": (planned.proposal, plan.proposal),
        "revision": (planned.tree, plan.tree),
    }
    found = [what for what, (then, now) in compared.items() if then != now]
    arms = {item.arm.fingerprint: item.arm for item in order.arms}
    return found if found or arms_of(ledger, planned) == arms else ["name or witness of an arm"]


def progress_of(ledger: Ledger, plan: MeasuringRun) -> Progress:
    """Which blocks stand. A block with a missing launch, gate line or trial is broken and is repeated whole."""
    launches = [launch for _, launch in ledger.of(Launch, run=plan.run)]
    trials = {trial.launch for _, trial in ledger.of(Trial, run=plan.run)}
    tries: dict[int, int] = {}
    for launch in launches:
        tries[launch.block] = max(tries.get(launch.block, 0), launch.attempt)
    finished = frozenset(block for block, attempt in tries.items() if _whole(plan, launches, trials, block, attempt))
    return Progress(finished, tries)


def _whole(plan: MeasuringRun, launches: list[Launch], trials: set[str], block: int, attempt: int) -> bool:
    there = {
        launch.position: launch
        for launch in launches
        if launch.block == block
        and launch.attempt == attempt
        and (launch.outcome == "invalid" or launch.launch in trials)
    }
    if len(there) != len(slots_of(plan, block)):
        return False
    return all(usable_control(launch, trials) for launch in there.values() if launch.role != "arm")


def usable_control(launch: Launch, trials: set[str]) -> bool:
    """Whether a baseline or placebo launch can serve its block at all."""
    return launch.outcome == "ran" and launch.launch in trials


def slots_of(plan: MeasuringRun, block: int) -> tuple[Slot, ...]:
    """The block's launches in their order."""
    return tuple(sorted((slot for slot in plan.slots if slot.block == block), key=lambda slot: slot.position))


def gates_of(ledger: Ledger, run: str) -> tuple[Gate, ...]:
    """Every gate outcome of a run."""
    return tuple(gate for _, gate in ledger.of(Gate, run=run))
