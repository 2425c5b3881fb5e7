"""Formulas of a task file: right values, and nothing but whole numbers and names is worked out."""

import pytest

from harness.kernels.formula import FormulaError, evaluate

NAMES = {"m": 7, "n": 4096, "k": 5120}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("ceil_div(m, 4)", 2),
        ("(n + 255) // 256 * m", 112),
        ("-m + n % 1000", 89),
        ("m >= 8", 0),
        ("m >= 4 and n == 4096 or not k", 1),
        ("max(min(m, 3), 2) * 10", 30),
        (12, 12),
    ],
)
def test_a_formula_has_its_value(formula: str | int, value: int) -> None:
    assert evaluate(formula, NAMES) == value


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("p * 2", "'p' is no name of the shape (there are: k, m, n)"),
        ("m / 2", "'m / 2' is none of"),
        ("m ** 9", "'m ** 9' is none of"),
        ("__import__('os').getpid()", "is none of"),
        ("m // (n - 4096)", "divides by 0"),
        ("ceil_div(m)", "wrong number of values"),
        ("m +", "is no formula"),
        ("n * n * n * n * n * n", "larger than any size"),
        ("m + " * 100 + "m", "at most 300 characters"),
        ("1.5", "is none of"),
    ],
)
def test_anything_else_is_refused(formula: str, said: str) -> None:
    with pytest.raises(FormulaError) as refused:
        evaluate(formula, NAMES)
    assert said in str(refused.value)
