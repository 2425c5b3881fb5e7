"""From a task folder and what was built of it to the runner's plan: every formula worked out. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from harness.kernels.bench.plan import SCHEMA, Call, Own, Parameter, Plan, PlannedArm, Sizes
from harness.kernels.diagnose import Diagnosis
from harness.kernels.folder import ArmSource, Folder
from harness.kernels.formula import FormulaError, evaluate
from harness.kernels.task import Formula, Launch, Shape
from harness.vocabulary.base import BadFileError


@dataclass(frozen=True)
class Made:
    """What was built of one arm: objects of the pack by architecture, or why there are none."""

    objects: Mapping[str, str]
    refused: Diagnosis | None = None


@dataclass(frozen=True)
class Started:
    """How one launch is started."""

    grid: list[int]
    block: list[int]
    shared: int


def plan_of(folder: Folder, made: Mapping[str, Made], ceilings: Mapping[str, str]) -> Plan:
    """The plan. Raises BadFileError for a formula of an arm that cannot be worked out."""
    task = folder.task
    return Plan(
        schema=SCHEMA,
        task=folder.name,
        title=task.title,
        sha256=folder.sha256,
        language=task.language,
        baseline=task.baseline,
        parameters=[Parameter(one.name, one.role, one.dtype) for one in task.argument],
        shapes=[_sizes(folder, shape) for shape in task.shape],
        norm=task.tolerance.norm,
        worst=task.tolerance.worst,
        unit=task.cost.unit,
        smallest_effect_pct=task.timing.smallest_effect_pct,
        blocks=task.timing.blocks,
        input_sets=task.timing.input_sets,
        seconds=task.timing.seconds,
        wall_s=task.limits.wall_s,
        memory_mib=task.limits.memory_mib,
        threads=task.limits.threads,
        arms=[_arm(folder, arm, made[arm.name]) for arm in folder.arms if arm.name in made],
        ceilings=dict(ceilings),
    )


def _sizes(folder: Folder, shape: Shape) -> Sizes:
    arrays = [one for one in folder.task.argument if one.role != "scalar"]
    scalars = [one for one in folder.task.argument if one.value is not None]
    return Sizes(
        name=shape.name,
        sizes=dict(shape.sizes),
        test=shape.test,
        time=shape.time,
        extents={one.name: [evaluate(part, shape.sizes) for part in one.shape] for one in arrays},
        scalars={one.name: evaluate(one.value or 0, shape.sizes) for one in scalars},
        bytes=evaluate(folder.task.cost.bytes, shape.sizes),
        operations=evaluate(folder.task.cost.operations, shape.sizes),
    )


def _arm(folder: Folder, arm: ArmSource, made: Made) -> PlannedArm:
    calls: dict[str, list[Call]] = {}
    scratch: dict[str, list[Own]] = {}
    try:
        for shape in folder.task.shape:
            if evaluate(arm.arm.applies, shape.sizes):
                calls[shape.name] = _calls(folder, arm, shape)
                scratch[shape.name] = [
                    Own(own.name, own.dtype, [evaluate(part, shape.sizes) for part in own.shape])
                    for own in arm.arm.scratch
                ]
    except FormulaError as error:
        raise BadFileError(f"{str(folder.path / arm.source)!r}: arm {arm.name!r}: {error}; correct it") from error
    return PlannedArm(
        name=arm.name,
        family=arm.arm.family,
        summary=arm.arm.summary,
        expected=arm.arm.reason,
        objects=dict(made.objects),
        calls=calls,
        scratch=scratch,
        refused=made.refused.reason.value if made.refused else "",
        detail=made.refused.sentence if made.refused else "",
    )


def _calls(folder: Folder, arm: ArmSource, shape: Shape) -> list[Call]:
    usual = arm.arm.launch or folder.task.launch
    everything = [argument.name for argument in folder.task.argument]
    if not arm.arm.step:
        return [Call(arm.arm.entry or folder.task.entry, "", everything, **vars(launched(usual, shape)))]
    return [
        Call(
            step.entry or "",
            step.library or "",
            list(step.arguments),
            **vars(launched(step.launch or usual, shape)),
            side_stream=step.side_stream,
            overlaps=step.overlaps,
        )
        for step in arm.arm.step
    ]


def launches_of(folder: Folder, arm: ArmSource) -> dict[str, list[Started]]:
    """How each kernel of an arm is started at the shapes that the arm applies to. Raises BadFileError."""
    found: dict[str, list[Started]] = {}
    for calls in _arm(folder, arm, Made({})).calls.values():
        for call in calls:
            if call.entry:
                found.setdefault(call.entry, []).append(Started(call.grid, call.block, call.shared))
    return found


def launched(launch: Launch | None, shape: Shape) -> Started:
    """How many threads a call starts, and with how much dynamic shared memory."""
    if launch is None:
        return Started([1, 1, 1], [1, 1, 1], 0)
    grid, block = (_three(part, shape) for part in (launch.grid, launch.block))
    return Started(grid, block, evaluate(launch.shared, shape.sizes))


def _three(parts: tuple[Formula, ...], shape: Shape) -> list[int]:
    return [evaluate(part, shape.sizes) for part in (*parts, 1, 1)[:3]]
