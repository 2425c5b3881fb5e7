"""Texts at temperature 0."""

import pytest

from harness.verdicts.numerics import Texts, numerics

A: Texts = ("a", "b")
B: Texts = ("a", "c")


@pytest.mark.parametrize(
    ("controls", "arm", "said"),
    [
        ([A, A, A, A], [A, A], "IDENTICAL"),
        ([A, A, A, A], [A, B], "CHANGED"),
        ([A, A, A, A], [B, B], "CHANGED"),
        ([A, A, A, B], [A, A], "UNKNOWN"),
        ([A, B, A, B], [A, A], "UNKNOWN"),
        ([A, A, B, B], [A, B], "UNKNOWN"),
        ([A, None, A, A], [A, A], "UNKNOWN"),
        ([A, A], [A, None], "UNKNOWN"),
        ([A, A], [], "UNKNOWN"),
        ([(), ()], [A], "UNKNOWN"),
        ([], [A], "UNKNOWN"),
    ],
)
def test_texts(controls: list[Texts | None], arm: list[Texts | None], said: str) -> None:
    assert numerics(controls, arm) == said
