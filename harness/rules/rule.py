"""What a rule looks at and what it says. Pure: a rule reads no file and asks no server."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from harness.rules.model_header import ModelHeader
from harness.vocabulary.arm import normal, text
from harness.vocabulary.base import Scalar
from harness.vocabulary.known import Known

LARGEST = 10**18  # a number beyond it is no setting
WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


class Level(StrEnum):
    """How sure a rule is that the start, or its numbers, will be wrong."""

    FAULT = "fault"  # it will not start, or not do what was asked
    CAUTION = "caution"  # it does something that is easily not meant


@dataclass(frozen=True)
class Finding:
    """One thing that a rule found."""

    level: Level
    sentence: str


@dataclass(frozen=True)
class Setup:
    """One start as it would be: the baseline with an arm's changes on top."""

    engine: str
    words: tuple[str, ...]  # argv before the flags
    flags: Mapping[str, Scalar]  # by their one spelling; a flag that is off is not there
    env: Mapping[str, str]
    users: int
    known: Known = field(default_factory=Known)
    model: ModelHeader | None = None

    def has(self, flag: str) -> bool:
        """Whether the flag is given."""
        return flag in self.flags

    def said(self, flag: str, default: str = "") -> str:
        """The flag's value as text."""
        return text(self.flags[flag]) if flag in self.flags else default

    def number(self, flag: str) -> int | None:
        """The flag's value as a whole number; none where it is not given or is none."""
        value = self.said(flag)
        return int(value) if WHOLE.fullmatch(value) else None

    @property
    def draft_tokens(self) -> int:
        """Draft tokens a step; 0 without speculation."""
        for flag in ("num-speculative-tokens", "draft-max", "spec-draft-n-max", "draft-n"):
            if (found := self.number(flag)) is not None:
                return max(0, found)
        inside = self.inside("speculative-config").get("num-speculative-tokens", 0)
        return max(0, inside) if isinstance(inside, int) and inside <= LARGEST else 0

    def inside(self, flag: str) -> Mapping[str, Any]:
        """What a flag says in JSON, or in flags of its own (`--flag.key value`): by key, in its one spelling."""
        try:
            told = json.loads(self.said(flag, "{}"))
        except (ValueError, RecursionError):
            told = {}
        found = {normal(key): value for key, value in told.items()} if isinstance(told, dict) else {}
        for name in self.flags:
            if name.startswith(f"{flag}."):
                number = self.number(name)
                found[name.removeprefix(f"{flag}.")] = self.said(name) if number is None else number
        return found


# Short names by engine; llama-bench's rules know its own short names.
SHORT: Mapping[str, Mapping[str, str]] = {
    "llamacpp": {
        "c": "ctx-size", "np": "parallel", "kvu": "kv-unified", "m": "model", "fa": "flash-attn", "ctk": "cache-type-k",
        "ctv": "cache-type-v", "ts": "tensor-split", "sm": "split-mode", "md": "model-draft",
    },
    "vllm": {"tp": "tensor-parallel-size"},
}  # fmt: skip


def in_full(engine: str, flags: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The flags by their long names; a long name that is given stands."""
    short = SHORT.get(engine, {})
    return {short[name]: value for name, value in flags.items() if name in short} | {
        name: value for name, value in flags.items() if name not in short
    }


Look = Callable[[Setup], tuple[Finding, ...]]
VLLM, LLAMACPP, BENCH = "vllm", "llamacpp", "llama-bench"


@dataclass(frozen=True)
class Rule:
    """One rule."""

    line: str  # what must hold, one sentence
    engines: frozenset[str]
    look: Look


def fault(sentence: str) -> tuple[Finding, ...]:
    """One fault."""
    return (Finding(Level.FAULT, sentence),)


def caution(sentence: str) -> tuple[Finding, ...]:
    """One caution."""
    return (Finding(Level.CAUTION, sentence),)
