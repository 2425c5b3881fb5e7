"""What a decoding step spends its time on, from profiles of two lengths (lesson M11).

A kernel that belongs to the step is called in proportion to the steps. One that is not is a burst, or work done once,
and averaging it into every step invents a cost. Calls are split as once + a_step x steps from the two lengths.
"""

import math
import re
from dataclasses import dataclass
from enum import StrEnum

from harness.analyses.answer import Answer, Chart, Fact, Line, NoNumber, Result

PROPORTIONAL = 0.15  # relative distance from the ratio of steps that still counts as per step (warm-up, sampling)
LEAST_MS = 1e-6  # a step; less is no kernel's time but one that nobody told
WHOLE = 0.02  # distance of calls a layer from a whole number
# Names that a compiler numbers anew in each graph: one name, several kernels.
NUMBERED = re.compile(r"^triton_(poi|red|per|tem|for)_fused.*_\d+|^fused_\w*_\d+$|^kernel_?\d*$", re.IGNORECASE)


class Belongs(StrEnum):
    """Where a kernel's calls come from."""

    STEP = "per step"
    ONCE = "once a run"
    MIXED = "partly once, partly per step"
    BURST = "burst"


@dataclass(frozen=True)
class Calls:
    """One kernel in one profile."""

    count: int
    total_ms: float


@dataclass(frozen=True)
class Profile:
    """One run: how many decoding steps it took, and its kernels by name, all processes together."""

    steps: int
    kernels: dict[str, Calls]


@dataclass(frozen=True)
class Family:
    """Kernels whose bytes are known, for their share of the bandwidth."""

    name: str
    pattern: re.Pattern[str]
    bytes_per_step: float


@dataclass(frozen=True)
class Attributed:
    """One kernel, attributed."""

    name: str
    belongs: Belongs
    calls_ratio: float
    calls_a_step: float
    ms_a_step: float  # 0 for what is not per step
    layers: str  # for example "48 of GDN, once each"; empty where no whole number fits
    ambiguous: bool


def attribute(short: Profile, long: Profile, layers: dict[str, int]) -> tuple[Attributed, ...] | NoNumber:
    """Every kernel of both profiles, most time a step first."""
    if not 0 < short.steps < long.steps:
        return NoNumber(f"two lengths are needed, the shorter first; these have {short.steps} and {long.steps}")
    found = [
        _one(name, short.kernels.get(name, Calls(0, 0.0)), long.kernels.get(name, Calls(0, 0.0)), short, long, layers)
        for name in {*short.kernels, *long.kernels}
    ]
    if not found:
        return NoNumber("neither profile holds a kernel; check that the profiler saw the workers too")
    return tuple(sorted(found, key=lambda one: (-one.ms_a_step, one.name)))


def analyse(short: Profile, long: Profile, layers: dict[str, int], families: tuple[Family, ...]) -> Result:
    """What a step is made of, what was averaged into it wrongly, and bandwidth by family."""
    kernels = attribute(short, long, layers)
    if isinstance(kernels, NoNumber):
        return kernels
    of_step = [one for one in kernels if one.belongs is Belongs.STEP]
    facts = [Fact("expected ratio of calls", short.steps / long.steps, "", 3)]
    for one in of_step:
        facts += [
            Fact(f"ratio of calls, {one.name}", one.calls_ratio, "", 3),
            Fact(f"calls a step, {one.name}", one.calls_a_step, "calls"),
        ]
        if one.ms_a_step > LEAST_MS:
            facts.append(Fact(f"time a step, {one.name}", one.ms_a_step, "ms", 3))
    timed = [one for one in of_step if one.ms_a_step > LEAST_MS]
    if timed or not of_step:
        facts.append(Fact("time a step, attributed", sum(one.ms_a_step for one in timed), "ms"))
    cautions = [_said(one) for one in kernels if one.belongs is not Belongs.STEP]
    cautions += [f"{one.name}: {one.layers}" for one in of_step if one.layers]
    cautions += [
        f"{one.name}: the name is numbered anew in each graph, so it may stand for several kernels"
        for one in kernels
        if one.ambiguous
    ]
    facts += _bandwidth(timed, families)
    return Answer(tuple(facts), tuple(cautions), _chart(timed))


def _one(name: str, short: Calls, long: Calls, runs: Profile, longer: Profile, layers: dict[str, int]) -> Attributed:
    expected = runs.steps / longer.steps
    ratio = short.count / long.count if long.count else math.inf
    belongs = _belongs(ratio, expected)
    a_step = long.count / longer.steps
    ms = long.total_ms / longer.steps if belongs is Belongs.STEP else 0.0
    if belongs is Belongs.MIXED:
        a_step = (long.count - short.count) / (longer.steps - runs.steps)
    whole = _layers(a_step, layers) if belongs in (Belongs.STEP, Belongs.MIXED) else ""
    return Attributed(name, belongs, ratio, a_step, ms, whole, bool(NUMBERED.search(name)))


def _belongs(ratio: float, expected: float) -> Belongs:
    if abs(ratio / expected - 1) <= PROPORTIONAL:
        return Belongs.STEP
    if abs(ratio - 1) <= PROPORTIONAL:
        return Belongs.ONCE
    return Belongs.MIXED if expected < ratio < 1 else Belongs.BURST


def _layers(calls_a_step: float, layers: dict[str, int]) -> str:
    """Which kind of layer the calls match a whole number of times, the nearest first; the others that fit as well."""
    fits = []
    for kind, count in layers.items():
        times = round(calls_a_step / count)
        if times >= 1 and (apart := abs(calls_a_step / count - times)) <= WHOLE:
            fits.append((apart, kind, count, "once each" if times == 1 else f"{times} times each"))
    if not fits:
        return ""
    (_, kind, count, each), *others = sorted(fits)
    also = "".join(f"; {other} of kind {name!r} cannot be told from them" for _, name, other, _ in others)
    return f"matches the {count} layers of kind {kind!r}, {each}{also}"


def _said(one: Attributed) -> str:
    if one.belongs is Belongs.BURST:
        seen = f"the shorter run has {one.calls_ratio:.3g} of the longer one's calls, which no step explains"
        if not 0 < one.calls_ratio < math.inf:
            seen = f"only the {'longer' if one.calls_ratio == 0 else 'shorter'} run called it"
        return f"{one.name}: {seen}, so it is a burst of one run and no cost of a step"
    if one.belongs is Belongs.ONCE:
        return f"{one.name}: as many calls in both runs, so it is done once a run and is no cost of a step"
    return f"{one.name}: partly done once a run; {one.calls_a_step:.3g} calls a step remain, their time cannot be split"


def _bandwidth(timed: list[Attributed], families: tuple[Family, ...]) -> list[Fact]:
    facts = []
    for family in families:
        ms = sum(one.ms_a_step for one in timed if family.pattern.search(one.name))
        if ms > 0:
            facts.append(Fact(f"bandwidth, {family.name}", family.bytes_per_step / ms / 1e6, "GB/s", 3))
    return facts


def _chart(of_step: list[Attributed]) -> Chart | None:
    if not of_step:
        return None
    xs = tuple(float(place) for place in range(1, len(of_step) + 1))
    line = Line("kernels, largest first", xs, tuple(one.ms_a_step for one in of_step), joined=False)
    return Chart("Time a step by kernel", "kernel", "ms a step", (line,))
