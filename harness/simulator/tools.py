"""Tool calls of the simulated model: correct ones where its mode allows, and what comes where it does not (M13).

Pure. The failing side looks as it did on the seeds' server: no call, and the reasoning says that one should be made.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.simulator.asked import Asked

_CODE = re.compile(r"\b[A-Z]{2,}[-_]?\d+\b")
_QUOTED = re.compile(r"[\"'“]([^\"'”]{1,80})[\"'”]")
_NUMBER = re.compile(r"(?<![\w-])-?\d+(?:\.\d+)?\b")


@dataclass(frozen=True)
class Call:
    """One tool call."""

    name: str
    arguments: str  # JSON


@dataclass(frozen=True)
class Wish:
    """What the model wants to call, and whether the call comes out."""

    call: Call
    comes_out: bool


def wish(asked: Asked, mode: str) -> Wish | None:
    """The call that this request deserves, none where no tool fits; `mode` is which tool_choice works."""
    if not asked.tools or asked.tool_choice == "none":
        return None
    functions = [tool["function"] if isinstance(tool.get("function"), dict) else tool for tool in asked.tools]
    if not functions:
        return None
    chosen = max(functions, key=lambda function: _fit(function, asked.prompt))
    if not _fit(chosen, asked.prompt) and asked.tool_choice != "required":
        return None
    call = Call(str(chosen.get("name", "")), json.dumps(_arguments(chosen, asked.prompt), ensure_ascii=False))
    works = mode in ("both", "required" if asked.tool_choice == "required" else "auto")
    return Wish(call, works)


def _fit(function: Mapping[str, Any], prompt: str) -> int:
    """How many longer words of the tool's name or description stand in the prompt."""
    said = re.findall(r"[a-z]{4,}", f"{function.get('name', '')} {function.get('description', '')}".lower())
    return len(set(said) & set(re.findall(r"[a-z]{4,}", prompt.lower())))


def _arguments(function: Mapping[str, Any], prompt: str) -> dict[str, Any]:
    schema = function.get("parameters")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {}
    return {name: _value(kind, prompt) for name, kind in properties.items() if isinstance(kind, dict)}


def _value(kind: Mapping[str, Any], prompt: str) -> Any:
    """A value of the schema's type, taken from the prompt where it holds one."""
    if kind.get("enum"):
        return next((word for word in kind["enum"] if str(word).lower() in prompt.lower()), kind["enum"][0])
    if kind.get("type") in ("integer", "number"):
        found = _NUMBER.search(prompt)
        number = float(found[0]) if found else 1.0
        return int(number) if kind["type"] == "integer" else number
    if kind.get("type") == "boolean":
        return True
    if kind.get("type") == "array":
        return [_value(kind.get("items") or {}, prompt)]
    if kind.get("type") == "object":
        return {}
    code, quoted = _CODE.search(prompt), _QUOTED.search(prompt)
    if code or quoted:
        return code[0] if code else quoted[1] if quoted else ""
    names = re.findall(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*", prompt)
    return names[0] if names else prompt[:40]
