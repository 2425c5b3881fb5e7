"""Pure: what stands where a number or a switch is asked for and is none.

TOML knows `inf` and `nan`, Python takes true for 1, and the checking library "8" and 8.0 for 8, and "yes" for true.
"""

import math
from collections.abc import Mapping, Set
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

LARGEST_WHOLE = 1 << 63  # TOML 1.0, "Integer": 64 bits with a sign; Python's parser takes any, and floats overflow

# What pydantic takes for a switch although it is none (its "Conversion Table", to bool); the rest it refuses itself.
SWITCH_WORDS = frozenset(
    {"true", "t", "yes", "y", "on", "1", "1.0", "false", "f", "no", "n", "off", "0", "0.0", "-0.0"}
)


def no_number(annotation: Any, value: object) -> str | None:
    """What is wrong with a value as a number or a switch of this type, as a sentence.

    None where nothing is wrong, or neither is asked for. Tuples and tables are looked into; models inside look after
    themselves.
    """
    kind, inside = get_origin(annotation), get_args(annotation)
    if kind is Annotated:
        return no_number(inside[0], value)
    if kind is tuple and isinstance(value, list | tuple):
        return next((said for one in value if (said := no_number(inside[0], one))), None)
    if kind is dict and isinstance(value, Mapping):
        return next((said for one in value.values() if (said := no_number(inside[1], one))), None)
    several = inside if kind in (Union, UnionType) else (annotation,)
    kinds = {get_args(one)[0] if get_origin(one) is Annotated else one for one in several} - {NoneType}
    if kind is Literal:
        kinds = {type(one) for one in inside}
    if kinds == {bool} and not isinstance(value, bool) and str(value).strip().lower() in SWITCH_WORDS:
        return f"{value!r} is no switch; write true or false, without quotes"
    return _no_number(kinds, value) if kinds & {int, float} else None


def _no_number(kinds: Set[Any], value: object) -> str | None:
    """The same for one plain value where a number may stand."""
    if isinstance(value, bool) and bool not in kinds:
        return f"{str(value).lower()} is no number; write one"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is no finite number; write one"
    if isinstance(value, str) and str not in kinds and _reads_as_one(value):
        return f"{value!r} is text; write {value.strip()} without quotes"
    if isinstance(value, float) and float not in kinds:
        return f"{value} is no whole number; write {'one' if value % 1 else f'{value:.0f}'}"
    if isinstance(value, int) and abs(value) >= LARGEST_WHOLE:
        return f"a whole number of {value.bit_length()} bits is more than TOML takes, 64 with its sign; write less"
    return None


def _reads_as_one(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
