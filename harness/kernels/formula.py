"""Pure: whole-number formulas of a task file, `ceil_div(n, 4) * 2`, over the names of a shape. Nothing else is run."""

import ast
import operator
from collections.abc import Callable, Mapping

BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
COMPARED: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
CALLED: dict[str, Callable[..., int]] = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max}
MOST_CHARACTERS = 300  # a formula is one line; more is a program
LARGEST = 2**62  # what a 64-bit size can hold; a larger one is a mistake


class FormulaError(ValueError):
    """A formula cannot be read or worked out; the message is one clause."""


def evaluate(formula: str | int, names: Mapping[str, int]) -> int:
    """The formula's value. Comparisons and `and`, `or`, `not` give 0 or 1. Raises FormulaError."""
    if isinstance(formula, int):
        return formula
    if len(formula) > MOST_CHARACTERS:
        raise FormulaError(f"a formula has at most {MOST_CHARACTERS} characters")
    try:
        tree = ast.parse(formula.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise FormulaError(f"{formula!r} is no formula") from error
    try:
        value = _value(tree, names)
    except ZeroDivisionError as error:
        raise FormulaError(f"{formula!r} divides by 0") from error
    except TypeError as error:
        raise FormulaError(f"{formula!r} calls a function with the wrong number of values") from error
    if abs(value) > LARGEST:
        raise FormulaError(f"{formula!r} is larger than any size")
    return value


def _value(node: ast.expr, names: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return int(value)
        case ast.Name(id=name):
            if name not in names:
                known = ", ".join(sorted(names)) or "none"
                raise FormulaError(f"{name!r} is no name of the shape (there are: {known})")
            return names[name]
        case ast.BinOp(op=operation) if type(operation) in BINARY:
            return BINARY[type(operation)](_value(node.left, names), _value(node.right, names))
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand, names)
        case ast.UnaryOp(op=ast.Not()):
            return int(not _value(node.operand, names))
        case ast.BoolOp(op=ast.And()):
            return int(all(_value(value, names) for value in node.values))
        case ast.BoolOp(op=ast.Or()):
            return int(any(_value(value, names) for value in node.values))
        case ast.Compare(left=left, ops=[operation], comparators=[right]) if type(operation) in COMPARED:
            return int(COMPARED[type(operation)](_value(left, names), _value(right, names)))
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in CALLED:
            return CALLED[name](*[_value(argument, names) for argument in node.args])
    raise FormulaError(f"{ast.unparse(node)!r} is none of + - * // % ( ) comparisons, ceil_div, min, max")
