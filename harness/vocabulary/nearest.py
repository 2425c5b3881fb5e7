"""What a mistyped key was meant to be: the keys that a model knows at a place in a file, and the nearest. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel

ALIKE = 0.6  # of difflib's ratio: `redy` is near `ready`, `colour` is near nothing of a target
MOST_LISTED = 12  # keys that a person still reads in one sentence


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like this one, none where none is near."""
    near = get_close_matches(word, list(known), n=1, cutoff=ALIKE)
    return near[0] if near else None


def meant(word: str, known: Iterable[str]) -> str:
    """The end of a sentence: which known name a mistyped one was meant to be; empty where none is near."""
    near = nearest(word, known)
    return f"; did you mean {near!r}?" if near else ""


def said_unknown(known: Sequence[str], near: str | None) -> str:
    """In words: the nearest known key, or the keys that are known there; may be empty."""
    if near:
        return f", the nearest known key is {near!r}"
    if not known:
        return ""
    rest = f" and {len(known) - MOST_LISTED} more" if len(known) > MOST_LISTED else ""
    return f", known there: {', '.join(known[:MOST_LISTED])}{rest}"


def known_keys(model: type[BaseModel], place: Sequence[int | str]) -> tuple[str, ...]:
    """The keys that `model` knows in the table at `place`, needed ones first; empty where any may stand."""
    schema = model.model_json_schema(by_alias=True)
    defined = schema.get("$defs", {})
    here = [_resolved(schema, defined)]
    for part in place:
        here = [inner for one in here for inner in _inside(one, part, defined)] or here  # a union's tag leads nowhere
    return tuple(dict.fromkeys(key for one in here for key in (*one.get("required", ()), *one.get("properties", {}))))


def _inside(schema: Mapping[str, Any], part: int | str, defined: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What may stand at `part` of a table or list."""
    if isinstance(part, int):
        found = [schema["items"]] if "items" in schema else []
    elif part in schema.get("properties", {}):
        found = [schema["properties"][part]]
    else:
        open_table = schema.get("additionalProperties")
        found = [open_table] if isinstance(open_table, dict) else []
    return [one for each in found for one in _branches(_resolved(each, defined), defined)]


def _branches(schema: Mapping[str, Any], defined: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schema itself, or each of its alternatives."""
    choices = schema.get("anyOf") or schema.get("oneOf")
    if not choices:
        return [schema]
    return [inner for one in choices for inner in _branches(_resolved(one, defined), defined)]


def _resolved(schema: Mapping[str, Any], defined: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema with its reference followed."""
    named = schema.get("$ref")
    return defined[named.rpartition("/")[2]] if named else schema
