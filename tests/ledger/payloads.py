"""Hypothesis strategies for payloads of every kind, made from the schemas' own types and limits."""

import types
import typing
from collections.abc import Callable
from typing import Any, Literal

from annotated_types import Ge, Gt, Le, Lt, MinLen
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from ledger.entries import SCHEMAS, Invalidation, Metric, Payload, Trial

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)
INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
FREE = st.dictionaries(
    WORDS,
    st.recursive(
        st.none() | st.booleans() | INTEGERS | NUMBERS | WORDS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
        max_leaves=5,
    ),
    max_size=3,
)


def payloads() -> st.SearchStrategy[Payload]:
    """A payload of any kind."""
    return st.sampled_from(sorted(SCHEMAS)).flatmap(lambda key: payload_of(SCHEMAS[key]))


def payload_of(schema: type[Payload]) -> st.SearchStrategy[Payload]:
    """A payload of one kind; a trial has metrics or a reason, an invalidation an entry or a fact."""
    if schema is Invalidation:
        struck = st.builds(
            lambda given: given | {"fact": None, "subject": "a" * 64, "reason": "r"}, _values(Invalidation)
        )
        shared = st.builds(
            lambda given, word: given | {"fact": word, "subject": None, "reason": "r"}, _values(Invalidation), WORDS
        )
        return (struck | shared).map(Invalidation.model_validate)
    if schema is Trial:
        metrics = st.lists(_model(Metric), min_size=1, max_size=3)
        numbers = st.builds(lambda trial, some: trial | {"metrics": some, "reason": None}, _values(Trial), metrics)
        invalid = st.builds(lambda trial, word: trial | {"metrics": [], "reason": word}, _values(Trial), WORDS)
        return (numbers | invalid).map(Trial.model_validate)
    return typing.cast("st.SearchStrategy[Payload]", _model(schema))


def _model(schema: type[BaseModel]) -> st.SearchStrategy[Any]:
    return _values(schema).map(_valid(schema)).filter(lambda value: value is not None)


def _valid(schema: type[BaseModel]) -> Callable[[dict[str, Any]], BaseModel | None]:
    def build(values: dict[str, Any]) -> BaseModel | None:
        try:
            return schema.model_validate(values)
        except ValidationError:
            return None

    return build


def _values(schema: type[BaseModel]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({name: _field(field) for name, field in schema.model_fields.items()})


def _field(field: FieldInfo) -> st.SearchStrategy[Any]:
    return _typed(field.annotation, tuple(field.metadata))


def _typed(kind: Any, limits: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        (base, *marks) = inner
        more = [one for mark in marks for one in (mark.metadata if isinstance(mark, FieldInfo) else [mark])]
        return _typed(base, (*limits, *more))
    if origin in (types.UnionType, typing.Union):
        return st.one_of(*(_typed(one, limits) for one in inner))
    if origin is Literal:
        return st.sampled_from(inner)
    if origin is tuple and inner[-1] is not Ellipsis:
        return st.tuples(*(_typed(one, ()) for one in inner))
    if origin is tuple:
        least = next((one.min_length for one in limits if isinstance(one, MinLen)), 0)
        return st.lists(_typed(inner[0], ()), min_size=least, max_size=max(least, 2)).map(tuple)
    if origin is dict:
        return FREE
    return _plain(kind, limits)


def _plain(kind: Any, limits: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    pattern = next((one.pattern for one in limits if getattr(one, "pattern", None)), None)
    if kind is str:
        return st.from_regex(pattern.replace("$", r"\Z")) if pattern else WORDS
    if kind in (int, float):
        low = next((one.ge if isinstance(one, Ge) else one.gt for one in limits if isinstance(one, Ge | Gt)), None)
        high = next((one.le if isinstance(one, Le) else one.lt for one in limits if isinstance(one, Le | Lt)), None)
        low, high = typing.cast("float | None", low), typing.cast("float | None", high)
        numbers: st.SearchStrategy[Any] = (
            st.integers(-(2**53) + 1 if low is None else int(low), 2**53 - 1 if high is None else int(high))
            if kind is int
            else st.floats(low, high, allow_nan=False, allow_infinity=False)
        )
        return numbers
    simple: dict[Any, st.SearchStrategy[Any]] = {bool: st.booleans(), type(None): st.none()}
    return simple[kind] if kind in simple else _model(kind)
