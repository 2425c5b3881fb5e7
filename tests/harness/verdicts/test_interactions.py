"""Interactions on the logarithmic scale, with known truths."""

import math

import numpy as np
import pytest

from harness.verdicts.interactions import contrast_of, parts_of
from harness.vocabulary.arm import Arm


def arm(name: str, *stack: str, **env: str) -> Arm:
    return Arm.model_validate({"schema": 1, "name": name, "env": env, "stack": stack})


A, B, C = arm("a", A="1"), arm("b", B="1"), arm("c", C="1")
AB, AC, BC = arm("ab", "a", "b", A="1", B="1"), arm("ac", "a", "c", A="1", C="1"), arm("bc", "b", "c", B="1", C="1")
ABC = arm("abc", "a", "b", "c", A="1", B="1", C="1")


def by_fingerprint(*arms: Arm) -> dict[str, Arm]:
    return {one.fingerprint: one for one in arms}


def test_each_part_is_set_against_the_stack_without_it() -> None:
    assert parts_of(AB, by_fingerprint(A, B, AB)) == [(A, B), (B, A)]
    every = by_fingerprint(A, B, C, AB, AC, BC, ABC)
    assert parts_of(ABC, every) == [(A, BC), (B, AC), (C, AB)]
    assert parts_of(ABC, by_fingerprint(A, B, C, AB, ABC)) == [(C, AB)]  # what was not measured is not guessed


def test_repairs_on_top_what_alone_does_nothing() -> None:
    """A harms by a fifth, B alone does nothing, together they are as the control (lesson A7)."""
    rows = [[100 * d, 100 * d, 80 * d, 100 * d, 100 * d] for d in (1.0, 1.1, 0.9, 1.05)]
    pooled, freedom, contrast, half = contrast_of(np.log(np.array(rows)), 0.01)
    assert contrast == pytest.approx(math.log(1.25))
    assert (pooled, freedom) == (True, 12)
    assert half == pytest.approx(0, abs=1e-12)  # drift between blocks is not in it


def test_effects_that_multiply_do_not_interact() -> None:
    rows = np.log(np.array([[100, 100, 80, 110, 88]] * 3, dtype=np.float64))
    assert contrast_of(rows, 0.01)[2] == pytest.approx(0)


def test_intervals_cover_at_their_rate() -> None:
    random, covered, runs, level = np.random.default_rng(7), 0, 4000, 0.05
    effects = np.array([0, 0, -0.2, 0.0, 0.05])
    for _ in range(runs):
        logs = effects + random.normal(0, 0.05, (4, 1)) + random.normal(0, 0.05, (4, 5))
        _, _, contrast, half = contrast_of(logs, level)
        covered += abs(contrast - 0.25) <= half
    assert covered / runs == pytest.approx(1 - 2 * level, abs=0.02)


def test_unlike_spreads_are_not_pooled() -> None:
    random = np.random.default_rng(3)
    logs = random.normal(0, 0.01, (8, 5)) * np.array([1, 1, 1, 1, 60])
    pooled, freedom, _, _ = contrast_of(logs, 0.01)
    assert (pooled, freedom) == (False, 7)
