"""What a rule looks at and what it says. Pure: a rule reads no file and asks no server."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from harness.rules.model_header import ModelHeader
from harness.vocabulary.arm import text
from harness.vocabulary.base import Scalar
from harness.vocabulary.known import Known


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
        return int(value) if value.lstrip("-").isdigit() else None

    @property
    def draft_tokens(self) -> int:
        """Draft tokens a step; 0 without speculation."""
        for flag in ("num-speculative-tokens", "draft-max", "spec-draft-n-max", "draft-n"):
            if (found := self.number(flag)) is not None:
                return max(0, found)
        return 0


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
