"""The JSON schema sent with a request so that a server can hold its model to the shape of a review.

Written by hand, not generated from the models: servers that turn it into a grammar (llama.cpp) need it flat, without
`$ref`, with required keys in order and short limits. Servers promise and do not keep; the border checks again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from committee.vocabulary.review import MAX_HYPOTHESES
from harness.vocabulary.arm import normal, text
from harness.vocabulary.base import Scalar
from harness.vocabulary.metrics import METRICS, ProtocolName
from harness.vocabulary.outcome import Metric
from harness.vocabulary.target import Allowed

_INTERVALS = (("up", (5, 10, 20), (30, 50, 100)), ("down", (-60, -40, -20), (-10, -5)), ("same", (-5,), (5,)))


@dataclass(frozen=True)
class AnswerOf:
    """What one request's answer must be about."""

    nonce: str
    proposal: str
    files: Sequence[str]  # paths that may be cited
    allowed_flags: Mapping[str, Allowed]
    loads: Sequence[int]  # loads that are measured
    metrics: Sequence[Metric] = METRICS[ProtocolName.LADDER]  # metrics that are compared
    in_force: Mapping[str, Scalar] = field(default_factory=dict)  # production's own flags: no change, so no arm
    parts: Sequence[str] = ()  # parts of a measured step that a hypothesis may name
    labels: Sequence[str] = ()  # of a second look: hypotheses that may be refuted
    patches: bool = False  # whether an arm may be a patch


def full_schema(of: AnswerOf) -> dict[str, Any]:
    """For models that can be trusted with length: any number of hypotheses, free arms."""
    named = {"part": list(of.parts), "refutes": list(of.labels)}
    predicted = _object(
        {
            "metric": {"enum": [metric.value for metric in of.metrics]},
            "load": {"enum": sorted(set(of.loads))},
            "direction": {"enum": ["up", "down", "same"]},
            "low_pct": {"type": "number"},
            "high_pct": {"type": "number"},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        },
        optional=("confidence",),
    )
    citation = _object({"file": {"enum": list(of.files)}, "line": _WHOLE, "quote": _text()})
    hypothesis = _object(
        {
            "mechanism": _text(),
            "predicted": predicted,
            "falsifier": _text(),
            "citations": {"type": "array", "items": citation},
            "arm": {"anyOf": [{"type": "null"}, _arm(of)]},
        }
        | {name: {"enum": choices} for name, choices in named.items() if choices},
        optional=("part", "refutes"),
    )
    return _review(of, {"type": "integer", "minimum": 0, "maximum": MAX_HYPOTHESES}, hypothesis, 0, MAX_HYPOTHESES)


def _arm(of: AnswerOf) -> dict[str, Any]:
    witness = _object(
        {"source": {"enum": ["log", "props", "metrics"]}, "pattern": _text(), "path": _text(), "equals": _SCALAR},
        optional=("pattern", "path", "equals"),
    )
    return _object(
        {
            "name": {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,47}$"},
            "title": _text(),
            "flags": {"type": "object", "additionalProperties": _SCALAR},
            "env": {"type": "object", "additionalProperties": {"type": "string"}},
            "witness": {"type": "array", "items": witness},
        }
        | ({"patch": _text()} if of.patches else {}),
        optional=("patch",),
    )


def compact_schema(of: AnswerOf, hypotheses: int = 1) -> dict[str, Any]:
    """For a very small model: exactly so many hypotheses of about 150 tokens, every choice from a short list."""
    today = {normal(name): text(value) for name, value in of.in_force.items()}
    choices = {name: _choices(allowed, today.get(name)) for name, allowed in sorted(of.allowed_flags.items())}
    flags = [_object({name: {"enum": listed}}) for name, listed in choices.items() if listed]
    arm = _object(
        {"name": {"type": "string", "pattern": "^[a-z][a-z0-9]{2,12}$"}, "flags": {"anyOf": flags}},
    )
    predicted = [
        _object(
            {
                "metric": {"enum": [metric.value for metric in of.metrics]},
                "load": {"enum": sorted(set(of.loads))},
                "direction": {"const": direction},
                "low_pct": {"enum": list(low)},
                "high_pct": {"enum": list(high)},
            }
        )
        for direction, low, high in _INTERVALS
    ]
    hypothesis = _object(
        {
            "mechanism": _text(160),
            "predicted": {"anyOf": predicted},
            "falsifier": _text(100),
            "citations": {"type": "array", "items": {"type": "null"}, "maxItems": 0},
            "arm": arm if flags else {"type": "null"},
        }
    )
    return _review(of, {"const": hypotheses}, hypothesis, hypotheses, hypotheses)


_SCALAR: dict[str, Any] = {"anyOf": [{"type": "boolean"}, {"type": "number"}, {"type": "string"}]}
_WHOLE: dict[str, Any] = {"type": "integer", "minimum": 1}


def _text(longest: int | None = None) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": longest} if longest else {"type": "string"}


def _object(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _review(of: AnswerOf, count: dict[str, Any], hypothesis: dict[str, Any], least: int, most: int) -> dict[str, Any]:
    return _object(
        {
            "nonce": {"const": of.nonce},
            "proposal": {"const": of.proposal},
            "count": count,
            "hypotheses": {"type": "array", "items": hypothesis, "minItems": least, "maxItems": most},
        }
    )


def _choices(allowed: Allowed, today: str | None) -> list[Scalar]:
    """A few allowed values that differ from today's; of a range both ends, a quarter and the middle."""
    if allowed.type == "bool":
        listed: list[Scalar] = [True, False]
    elif allowed.type == "choice":
        listed = list(allowed.values)
    else:
        low, high = allowed.min or 0.0, allowed.max or 0.0
        steps = {low, high, *(low + (high - low) * part for part in (0.25, 0.5))}
        listed = sorted({int(step) for step in steps} if allowed.type == "int" else steps)
    return [value for value in listed if text(value) != today]
