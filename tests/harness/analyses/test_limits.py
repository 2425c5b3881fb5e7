"""Figures that nobody can mean are refused with their reason, before anything is calculated from them."""

from typing import Any

import pytest

from harness.analyses.dispatch import Point
from harness.analyses.effect import Effect
from harness.analyses.growth import Growth, Wait
from harness.analyses.speculation import Speculation
from harness.analyses.step_time import Size
from harness.vocabulary.base import BadFileError, Value

WAIT = {"tokens": 1000, "seconds": 1, "cache": "cold"}
EFFECT = {"launch_sd_pct": 5, "blocks": 4, "launch_minutes": 2}
SPECULATION = {"draft_tokens": 1, "acceptance": 0.5, "draft_cost": 0.3}


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (Point, {"m": 1, "ms": 1e9}, "'ms': 1e+09 is outside of 0.0001 to 600000: a call lies between 100 ns and ten"),
        (Size, {"cards": 5000, "gb_per_card": 8, "step_ms": 20}, "'cards': 5000 is outside of 1 to 1024: no model"),
        (Size, {"cards": 1, "gb_per_card": 8, "step_ms": 0.02}, "8 GB in 0.02 ms are 400,000 GB/s, and no card reads"),
        (
            Wait,
            {"tokens": 10**12, "seconds": 1, "cache": "warm"},
            "'tokens': 1e+12 is outside of 1 to 1e+08: no prompt",
        ),
        (Wait, {"tokens": 50_000, "seconds": 0.001, "cache": "cold"}, "are 50,000,000 tokens a second, and no server"),
        (
            Wait,
            {"tokens": 1, "seconds": 1e7, "cache": "cold"},
            "'seconds': 1e+07 is outside of 0.0001 to 604800: a wait",
        ),
        (
            Growth,
            {"waits": [WAIT], "for_users": [10**9]},
            "'for_users.0': 1e+09 is outside of 1 to 65536: no one server",
        ),
        (Effect, EFFECT | {"launch_minutes": 9000}, "'launch_minutes': 9000 is outside of 0.001 to 1440: a launch"),
        (Effect, EFFECT | {"wanted_effect_pct": 1e6}, "'wanted_effect_pct': 1e+06 is outside of 0.001 to 1000: an"),
        (
            Speculation,
            SPECULATION | {"draft_cost": 300},
            "'draft_cost': 300 is outside of 0 to 100: a draft that costs",
        ),
        (Speculation, SPECULATION | {"baseline_tok_s": 1e9}, "'baseline_tok_s': 1e+09 is outside of 0.001 to 1e+07"),
    ],
)
def test_a_figure_that_nobody_can_mean_is_refused_with_its_reason(
    kind: type[Value], value: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadFileError) as refused:
        kind.from_mapping(value, "inputs.toml")
    assert said in str(refused.value)


def test_warm_prompts_are_answered_as_fast_as_they_like() -> None:
    assert Wait(tokens=50_000, seconds=0.001, cache="warm").tokens == 50_000
