"""What a variable or flag changes in the simulated server, said as data: a campaign's truth, arm by arm. Pure.

`SPEC_CORE_OP=1:draft-cost=1.595;fault=changed-numerics` changes an own option and lets a fault act where the
environment holds SPEC_CORE_OP=1. Conditions are joined by `+`; a later effect lies on top of an earlier one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Own = dict[str, str | int | float | bool]
NOT_CHANGED = frozenset({"style", "time-scale", "lifetime-s", "launches-file", "launch-sd-pct", "seed"})


@dataclass(frozen=True)
class Effect:
    """One effect: where it holds, and what it does."""

    when: tuple[tuple[str, str], ...]  # variable or flag, and the value that it must have
    options: tuple[tuple[str, str], ...]
    faults: tuple[str, ...]

    def holds(self, flags: Mapping[str, str], env: Mapping[str, str]) -> bool:
        """Whether every condition is met."""
        return all(env.get(name, flags.get(name)) == value for name, value in self.when)


def parse(words: str) -> Effect:
    """One effect. Raises ValueError with one sentence."""
    conditions, has, changes = words.partition(":")
    when = tuple(_pair(one, words) for one in conditions.split("+"))
    made = tuple(_pair(one, words) for one in changes.split(";")) if has else ()
    if not made:
        raise ValueError(f"--effect {words!r} changes nothing; write NAME=VALUE:OPTION=VALUE")
    options = tuple((name, value) for name, value in made if name != "fault")
    return Effect(when, options, tuple(value for name, value in made if name == "fault"))


def applied(
    own: Own, faults: Sequence[str], effects: Sequence[Effect], flags: Mapping[str, str], env: Mapping[str, str]
) -> tuple[Own, tuple[str, ...]]:
    """Own options and faults as they are with every effect that holds. Raises ValueError with one sentence."""
    options, acting = dict(own), list(faults)
    for effect in effects:
        if not effect.holds(flags, env):
            continue
        for name, value in effect.options:
            options[name] = _typed(name, value, own)
        acting += effect.faults
    return options, tuple(acting)


def _pair(words: str, whole: str) -> tuple[str, str]:
    name, has, value = words.partition("=")
    if not has or not name.strip():
        raise ValueError(f"--effect {whole!r}: {words!r} is not NAME=VALUE")
    return name.strip(), value.strip()


def _typed(name: str, value: str, own: Own) -> str | int | float | bool:
    """The value as the option's own type."""
    if name not in own or name in NOT_CHANGED:
        raise ValueError(f"--effect cannot change {name!r}; it is no option, or one that holds for the whole run")
    now = own[name]
    if isinstance(now, bool):
        return value == "true"
    try:
        return type(now)(value)
    except ValueError as error:
        raise ValueError(f"--effect: {name} = {value!r} is no {type(now).__name__}") from error
