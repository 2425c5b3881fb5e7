"""Holds a start against the rules beforehand: target, arm and the model file's own header. Looks only."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePath

from harness.adapters import ADAPTERS
from harness.adapters.base import environment, merged_flags
from harness.rules.every import every_rule, look
from harness.rules.model_header import ModelHeader
from harness.rules.rule import BENCH, LLAMACPP, VLLM, Finding, Level, Setup, in_full
from harness.vocabulary.arm import Arm, normal
from harness.vocabulary.base import BadFileError, Scalar
from harness.vocabulary.known import Known
from harness.vocabulary.outcome import GateName
from harness.vocabulary.target import Target
from harness.workflow.model_files import is_model, read_header

PROGRAMS = {"llama-bench": BENCH, "llama-server": LLAMACPP, "llama_cpp": LLAMACPP, "vllm": VLLM, "api_server": VLLM}
ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)  # VARIABLE=VALUE before a program
LOG_STATS = "log-stats"  # the rule without which a launch leaves no proof
MODEL_FLAGS = ("model", "m")


@dataclass(frozen=True)
class Found:
    """What one rule found about one start."""

    rule: str
    arm: str  # empty for the baseline
    finding: Finding

    @property
    def words(self) -> str:
        """One line for people."""
        where = f"arm {self.arm!r}: " if self.arm else ""
        return f"{self.finding.level}: {where}{self.finding.sentence} [{self.rule}]"

    @property
    def is_fault(self) -> bool:
        """Whether the start or its numbers will be wrong."""
        return self.finding.level is Level.FAULT


def lint(target: Target, arm: Arm | None, model: Path | None = None) -> tuple[Found, ...]:
    """What every rule finds. `model` is the file to look into; without it the target's own, where it lies here."""
    path = model or _model_here(target, arm)
    found = look(setup(target, arm, read_header(path) if path else None))
    return tuple(Found(rule, arm.name if arm else "", finding) for rule, finding in found)


def new_with(target: Target, arm: Arm, model: Path | None = None) -> tuple[Found, ...]:
    """What an arm brings about that the baseline did not."""
    before = {(one.rule, one.finding) for one in lint(target, None, model)}
    return tuple(one for one in lint(target, arm, model) if (one.rule, one.finding) not in before)


def unprovable(target: Target, arm: Arm | None) -> str | None:
    """Why no launch of this start could be proven, so that production would go down for nothing; none if one can."""
    rule, start = every_rule()[LOG_STATS], setup(target, arm)
    found = rule.look(start) if start.engine in rule.engines else ()
    return next((Found(LOG_STATS, arm.name if arm else "", one).words for one in found), None)


def beyond_proof(target: Target) -> frozenset[GateName]:
    """Gates that no launch of this engine can hold: isolated rests on counts that the engine publishes."""
    return frozenset() if ADAPTERS[target.adapter].counted else frozenset({GateName.ISOLATED})


def unprovable_gate(target: Target, gates: Iterable[GateName]) -> str | None:
    """Why every launch would fail a gate that the criteria ask for, production being down meanwhile; none if not so."""
    beyond = beyond_proof(target)
    name = next((gate.value for gate in gates if gate in beyond), None)
    if name is None:
        return None
    return (
        f"gates hold {name}, but the adapter {target.adapter!r} of {target.name!r} reads no counts of its engine, so "
        "each launch would end as no_proof after its whole load, with production down; take it out of gates"
    )


def lint_words(words: tuple[str, ...]) -> tuple[Found, ...]:
    """What the rules find in a command line of an engine or of llama-bench. Raises BadFileError for another program."""
    named = ((place, _engine(word)) for place, word in enumerate(words))
    place, engine = next(((place, engine) for place, engine in named if engine), (0, ""))
    if not engine:
        raise BadFileError(f"none of {', '.join(PROGRAMS)} is a program in it; rules know only these")
    env = {found[1]: found[2] for word in words[:place] if (found := ASSIGNED.fullmatch(word))}
    setup = Setup(engine, words[: place + 1], in_full(engine, _flags(words[place + 1 :])), env, users=1)
    return tuple(Found(rule, "", finding) for rule, finding in look(setup))


def _engine(word: str) -> str:
    """The engine whose program a word names; empty for other words, flags and assignments."""
    if word.startswith("-") or ASSIGNED.fullmatch(word):
        return ""
    return next((PROGRAMS[one] for one in PROGRAMS if one in PurePath(word).name), "")


def _flags(words: tuple[str, ...]) -> dict[str, Scalar]:
    """Flags of a command line; one without a value is on."""
    found: dict[str, Scalar] = {}
    for place, word in enumerate(words):
        if not word.startswith("-") or word.lstrip("-")[:1].isdigit():
            continue
        name, has_value, value = word.lstrip("-").partition("=")
        after = words[place + 1] if place + 1 < len(words) else "-"
        if not has_value and (not after.startswith("-") or after[1:2].isdigit()):
            value, has_value = _list(words[place + 1 :]), "="
        found[normal(name)] = value if has_value else True
    return found


def _list(words: tuple[str, ...]) -> str:
    """A flag's value: the next word, and if that is a number, the numbers that follow it (`1 2 4`), by commas."""
    numbers = list(takewhile(str.isdecimal, words))
    return ",".join(numbers) if len(numbers) > 1 else words[0]


def setup(target: Target, arm: Arm | None, header: ModelHeader | None = None) -> Setup:
    """One start as the rules see it."""
    return Setup(
        engine=target.adapter,
        words=target.baseline.command,
        flags=in_full(target.adapter, merged_flags(target, arm)),
        env=dict(environment(target, arm)),
        users=target.users,
        known=target.known or Known(),
        model=header,
    )


def _model_here(target: Target, arm: Arm | None) -> Path | None:
    """The model's file or folder, if it is on this machine and the target is too."""
    if target.host is not None:
        return None
    flags = merged_flags(target, arm)
    named = (arm.model if arm else None) or next((str(flags[flag]) for flag in MODEL_FLAGS if flag in flags), "")
    path = Path(named)
    return path if named and is_model(path) else None
