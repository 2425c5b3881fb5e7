"""What a planned number of launches can see at a known spread, and what an effect would take, in server hours."""

from pydantic import Field

from harness.analyses.answer import Answer, Chart, Fact, Line, NoNumber, Result
from harness.analyses.limits import EffectPct, LaunchMinutes
from harness.planning.power import POWER, blocks_needed, visible_effect_pct
from harness.vocabulary.base import Value
from harness.vocabulary.criteria import MOST_RUN_BLOCKS

CONTROLS = 2  # baseline and placebo in every block


class Effect(Value):
    """A plan of fixed blocks."""

    launch_sd_pct: float = Field(ge=0, le=100, description="standard deviation between launches, percent")
    blocks: int = Field(ge=2, le=10_000, description="planned blocks of baseline, placebo and arms")
    arms: int = Field(default=1, ge=1, le=1000, description="arms in a block")
    level: float = Field(default=0.01, ge=1e-4, lt=0.5, description="one-sided error level of the run")
    power: float = Field(default=POWER, gt=0.5, lt=1, description="chance to see the effect")
    launch_minutes: LaunchMinutes = Field(description="one launch with its protocols and teardown, minutes")
    wanted_effect_pct: EffectPct | None = Field(default=None, description="an effect that has to be seen, percent")


def analyse(asked: Effect) -> Result:
    """Smallest visible gain and hours of the plan; blocks and hours of a wanted effect."""
    visible = visible_effect_pct(asked.launch_sd_pct, asked.blocks, asked.arms, asked.level, power=asked.power)
    facts = [
        Fact("smallest effect that is seen", visible, "%", 3),
        Fact("server hours of the plan", _hours(asked, asked.blocks), "h", 3),
    ]
    cautions: list[str] = []
    if asked.wanted_effect_pct is not None:
        needed = blocks_needed(asked.wanted_effect_pct, asked.launch_sd_pct, asked.arms, asked.level, power=asked.power)
        if needed is None:
            cautions.append(f"no number of blocks within reason sees {asked.wanted_effect_pct:g} % at this spread")
        else:
            facts += [
                Fact("blocks for the wanted effect", needed, "blocks"),
                Fact("server hours for the wanted effect", _hours(asked, needed), "h", 3),
            ]
            if needed > MOST_RUN_BLOCKS:
                cautions.append(f"a run may have at most {MOST_RUN_BLOCKS} blocks, so none is planned for this effect")
    if asked.launch_sd_pct == 0:
        return NoNumber("a spread of 0 is not a measurement; measure identical launches, at least three")
    return Answer(tuple(facts), tuple(cautions), _chart(asked))


def _hours(asked: Effect, blocks: int) -> float:
    return blocks * (asked.arms + CONTROLS) * asked.launch_minutes / 60


def _chart(asked: Effect) -> Chart:
    most = max(12, 2 * asked.blocks)
    counts = sorted({max(2, round(2 * (most / 2) ** (step / 8))) for step in range(9)})
    seen = [visible_effect_pct(asked.launch_sd_pct, n, asked.arms, asked.level, power=asked.power) for n in counts]
    hours = tuple(_hours(asked, count) for count in counts)
    return Chart("Smallest effect over server time", "server hours", "percent", (Line("seen", hours, tuple(seen)),))
