"""Pure: what stands where a number is asked for and is none. TOML knows `inf` and `nan`, Python takes true for 1."""

import math
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

LARGEST_WHOLE = 1 << 63  # TOML 1.0, "Integer": 64 bits with a sign; Python's parser takes any, and floats overflow


def no_number(annotation: Any, value: object) -> str | None:
    """What is wrong with a value as a number of this type, as a sentence; none where nothing is, or none is asked for.

    Tuples and tables are looked into; models inside look after themselves.
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
    if not kinds & {int, float}:
        return None
    if isinstance(value, bool) and bool not in kinds:
        return f"{str(value).lower()} is no number; write one"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is no finite number; write one"
    if isinstance(value, int) and abs(value) >= LARGEST_WHOLE:
        return f"a whole number of {value.bit_length()} bits is more than TOML takes, 64 with its sign; write less"
    return None
