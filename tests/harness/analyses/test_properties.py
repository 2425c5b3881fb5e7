"""No analysis prints a number that its inputs cannot carry: they are refused, give NoNumber, or finite facts."""

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.analyses import attribution, change, dispatch, effect, growth, memory, speculation, start, step_time
from harness.analyses.answer import Answer, NoNumber, Result
from harness.rules.model_header import ModelHeader

EXAMPLES = 20
# Numbers as files hold them: ordinary ones, and what must never become a figure.
BAD = st.sampled_from([0, -1, math.nan, math.inf, -math.inf, 1e300, 5e-324, 0.5, 1, 2, 10**30, 10**400])
NUMBER = st.one_of(st.floats(1e-3, 1e6), BAD)
WHOLE = st.one_of(st.integers(1, 200_000), BAD)
Inputs = dict[str, Any]


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Inputs]:
    """A table in which each field may be left out."""
    return st.fixed_dictionaries({}, optional=fields)


def rows(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Inputs]]:
    """Up to four whole rows."""
    return st.lists(st.fixed_dictionaries(fields), max_size=4)


def profile(steps: int, calls: int, ms: float) -> attribution.Profile:
    return attribution.Profile(steps, {"kernel_a": attribution.Calls(calls, ms)})


def attributed(asked: Inputs) -> Result:
    short, long = profile(asked["short"], asked["few"], 1.0), profile(asked["long"], asked["many"], asked["ms"])
    family = attribution.Family("all", re.compile("kernel"), 1e9)
    return attribution.analyse(short, long, {"all": asked["layers"]}, (family,))


def with_header(asked: Inputs) -> Result:
    header = ModelHeader("m", **asked.pop("header", {}))
    return memory.analyse(memory.Memory.model_validate(asked), header)


COUNTERS = some(generated_tokens=WHOLE, accepted=WHOLE, drafted=WHOLE, steps=WHOLE)
SIZES = rows(cards=st.integers(1, 8), gb_per_card=NUMBER, step_ms=NUMBER, held_out=st.booleans())
CACHE = st.sampled_from(["cold", "warm"])
WAITS = rows(tokens=WHOLE, seconds=NUMBER, cache=CACHE, users=st.sampled_from([1, 8]), batched_tokens=WHOLE)
POINTS = rows(m=WHOLE, ms=NUMBER)
WAY = st.one_of(
    st.fixed_dictionaries({"name": st.just("way"), "points": POINTS}),
    st.fixed_dictionaries({"name": st.just("way"), "constant_ms": NUMBER}),
)
COUNT = st.integers(0, 500)
HEADER = some(
    blocks=COUNT, attention_interval=COUNT, kv_heads=COUNT, key_length=COUNT, value_length=COUNT,
    recurrent_blocks=COUNT, weight_bytes=COUNT, context_length=COUNT, window=COUNT,
)  # fmt: skip
CARD = some(memory_gib=NUMBER, utilisation=NUMBER, weights_gib=NUMBER)
POOLS = rows(batched_tokens=WHOLE, tokens=WHOLE)
KV = some(attention_layers=WHOLE, kv_heads=WHOLE, key_length=WHOLE, value_length=WHOLE, bytes_per_value=NUMBER)
NEEDED: Inputs = {"context_tokens": WHOLE, "users": WHOLE, "budgets": st.lists(WHOLE, max_size=3)}
CASES: list[tuple[str, st.SearchStrategy[Inputs], Callable[[Inputs], Result]]] = [
    (
        "speculation",
        some(
            draft_tokens=st.one_of(st.integers(1, 32), BAD), acceptance=st.one_of(st.floats(0, 1), BAD),
            counters=COUNTERS, draft_cost=NUMBER, fixed_cost=NUMBER, baseline_tok_s=NUMBER, measured_tok_s=NUMBER,
            wanted_speed_up=NUMBER, users=WHOLE,
        ),
        lambda asked: speculation.analyse(speculation.Speculation.model_validate(asked)),
    ),
    (
        "step-time",
        st.fixed_dictionaries({"sizes": SIZES}, optional={"gb_rounding": NUMBER, "step_ms_rounding": NUMBER}),
        lambda asked: step_time.analyse(step_time.StepTime.model_validate(asked)),
    ),
    (
        "growth",
        st.fixed_dictionaries(
            {"waits": WAITS},
            optional={"foretell_tokens": WHOLE, "bearable_s": NUMBER, "for_users": st.lists(WHOLE, max_size=2)},
        ),
        lambda asked: growth.analyse(growth.Growth.model_validate(asked)),
    ),
    (
        "dispatch",
        st.fixed_dictionaries({"small": WAY, "large": WAY}, optional={"threshold": WHOLE, "stated_crossing": NUMBER}),
        lambda asked: dispatch.analyse(dispatch.Dispatch.model_validate(asked)),
    ),
    (
        "memory",
        st.fixed_dictionaries({**NEEDED, "cards": WHOLE}, optional={"kv": KV, "card": CARD, "pools": POOLS}),
        lambda asked: memory.analyse(memory.Memory.model_validate(asked)),
    ),
    ("memory with a header", st.fixed_dictionaries({**NEEDED, "header": HEADER}, optional={"card": CARD}), with_header),
    (
        "effect",
        st.fixed_dictionaries(
            {"launch_sd_pct": NUMBER, "blocks": st.one_of(st.integers(2, 50), BAD), "launch_minutes": NUMBER},
            optional={"level": NUMBER, "power": NUMBER, "wanted_effect_pct": NUMBER, "arms": WHOLE},
        ),
        lambda asked: effect.analyse(effect.Effect.model_validate(asked)),
    ),
    (
        "start",
        some(
            context_tokens=WHOLE, kv_splits=WHOLE, head_dim=WHOLE, users=WHOLE, draft_tokens=COUNT,
            built=st.lists(WHOLE, max_size=3), capture_sizes=st.lists(WHOLE, max_size=4),
        ),
        lambda asked: start.analyse(start.Start.model_validate(asked)),
    ),
    (
        "change",
        some(
            changes=rows(name=st.just("one"), before=NUMBER, after=NUMBER),
            identical=rows(name=st.just("same"), figures=st.lists(NUMBER, max_size=3)),
            sums=rows(name=st.just("sum"), parts=st.lists(NUMBER, max_size=3), stated=NUMBER, rounding=NUMBER),
        ),
        lambda asked: change.analyse(change.Changes.model_validate(asked)),
    ),
    (
        "attribution",
        st.fixed_dictionaries(
            {
                "short": COUNT, "long": COUNT, "few": COUNT, "many": COUNT, "ms": st.floats(0, 1e9),
                "layers": st.integers(1, 99),
            }
        ),
        attributed,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("strategy", "analyse"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_whatever_comes_in_a_number_is_finite_or_there_is_none(
    strategy: st.SearchStrategy[Inputs], analyse: Callable[[Inputs], Result]
) -> None:
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
    @given(strategy)
    def holds(asked: Inputs) -> None:
        try:
            answer = analyse(asked)
        except ValidationError:
            return
        if isinstance(answer, NoNumber):
            assert answer.sentence
            return
        assert isinstance(answer, Answer) and answer.facts
        assert all(math.isfinite(fact.value) for fact in answer.facts)
        for line in answer.chart.lines if answer.chart else ():
            assert all(map(math.isfinite, (*line.xs, *line.ys)))

    holds()
