"""The example arm of a new proposal: a flag that its target allows, with a witness in the log of its engine. Pure."""

from collections.abc import Mapping

from harness.vocabulary.arm import text
from harness.vocabulary.base import Scalar
from harness.vocabulary.target import Allowed, Target

SLOTS = "n-parallel"  # of llama.cpp, which reports it itself
_SLOTS_EXAMPLE = """    schema = 1
    name = "four-slots"
    title = "one slot for each user"

    [flags]
    n-parallel = 4

    [[witness]]
    source = "props"
    path = "total_slots"
    equals = 4"""


def arm_example(target: Target) -> str:
    """An arm's file, indented, that this target admits; or what is missing for one."""
    slots = target.allowed_flags.get(SLOTS)
    if target.adapter == "llamacpp" and slots and slots.complaint(4) is None:
        return _SLOTS_EXAMPLE
    for name, allowed in _known_first(target):
        value = _other(allowed, target.baseline.flags.get(name))
        if value is not None:
            return _example(name, value)
    return f"    (none yet: targets/{target.name}.toml lists nothing under [allowed_flags] that an arm could change)"


def _known_first(target: Target) -> list[tuple[str, Allowed]]:
    """Allowed flags, those that the baseline sets first."""
    return sorted(target.allowed_flags.items(), key=lambda one: one[0] not in target.baseline.flags)


def _other(allowed: Allowed, now: Scalar | None) -> Scalar | None:
    """An allowed value that is not the baseline's, none where there is no such."""
    candidates: tuple[Scalar, ...]
    if allowed.type == "bool":
        candidates = (now is not True,)
    elif allowed.type == "choice":
        candidates = allowed.values
    elif isinstance(now, int | float):
        candidates = tuple(one for one in (now * 2, now // 2, allowed.max, allowed.min) if one is not None)
    else:
        candidates = tuple(one for one in (allowed.max, allowed.min) if one is not None)
    whole = (int(one) if allowed.type == "int" and isinstance(one, float) else one for one in candidates)
    return next((one for one in whole if one != now and allowed.complaint(one) is None), None)


def _example(name: str, value: Scalar) -> str:
    """With a witness that most engines' lists of their settings fulfil."""
    shown = f'"{value}"' if isinstance(value, str) else text(value)
    lines: Mapping[str, str] = {"name": f"other-{name}"[:40].rstrip("-"), "title": f"{name} {text(value)}"}
    return "\n".join(
        f"    {line}".rstrip()
        for line in (
            "schema = 1",
            *(f'{key} = "{said}"' for key, said in lines.items()),
            "",
            "[flags]",
            f"{name} = {shown}",
            "",
            "[[witness]]",
            'source = "log"',
            f"pattern = '''{_pattern(name, value)}'''  # look for the line in a log of yours first",
        )
    )


def _pattern(name: str, value: Scalar) -> str:
    """The flag with its value as engines list them: max_num_seqs=16, 'max_num_seqs': 16, --max-num-seqs 16."""
    escaped = "".join(char if char.isalnum() or char in ",_-" else f"[{char}]" for char in text(value))
    word = "[Tt]rue" if value is True else "[Ff]alse" if value is False else escaped
    return f"{name.replace('-', '[-_]')}.{{1,4}}{word}"
