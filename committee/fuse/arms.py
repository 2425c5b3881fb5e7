"""From the words a reviewer wrote to an arm the target admits, or to the sentence that says why it cannot be run."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from harness.vocabulary.arm import Arm, normal, text
from harness.vocabulary.base import complaints
from harness.vocabulary.pattern import slowness
from harness.vocabulary.target import Target

NO_ARM = "the hypothesis names no arm"
_FIELDS = ("name", "title", "flags", "env", "witness")
_LONGEST_NAME = 48  # what an arm's name may have


def arm_from(written: Mapping[str, Any] | None, target: Target) -> Arm | str:
    """The arm that a reviewer's mapping describes, or one sentence why it cannot run on `target`. Never trusts it."""
    if written is None:
        return NO_ARM
    arm = parse_arm(written)
    if isinstance(arm, str):
        return arm
    denials = (*target.denials(arm), *slow_patterns(arm))
    if denials:
        return "; ".join(denials)
    if _is_in_force(arm, target):
        return f"arm {arm.name!r} asks for what target {target.name!r} already has, so it would be a second placebo"
    return arm


def parse_arm(written: Mapping[str, Any]) -> Arm | str:
    """The arm as written, for whatever target. Its name is brought into form; its change is taken as it stands."""
    unknown = sorted(str(key) for key in set(written) - {*_FIELDS, "schema"})
    if unknown:
        return f"the arm has the unknown key {unknown[0]!r}"
    fields = {key: written[key] for key in _FIELDS if written.get(key) is not None}
    try:
        return Arm.model_validate({"schema": 1, **fields, "name": slug(str(fields.get("name", "")))})
    except ValidationError as error:
        return complaints(error, "arm").removesuffix("; correct it there")


def launched_arm(definition: Mapping[str, Any]) -> Arm | str:
    """An arm as it was admitted once, with the files it changes."""
    try:
        return Arm.model_validate(definition)
    except ValidationError as error:
        return complaints(error, "arm").removesuffix("; correct it there")


def slug(name: str) -> str:
    """A name in the form that arms have: lower case, digits and hyphens; `unnamed` if nothing is left."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:_LONGEST_NAME].strip("-") or "unnamed"


def slow_patterns(arm: Arm) -> tuple[str, ...]:
    """One sentence for every pattern whose search of the log might take too long, while production is away."""
    return tuple(
        f"arm {arm.name!r}: the witness pattern {witness.pattern!r} {slow}, so a search may take too long; "
        "use a simpler one"
        for witness in arm.witness
        if witness.pattern and (slow := slowness(witness.pattern))
    )


def _is_in_force(arm: Arm, target: Target) -> bool:
    """Whether every setting already stands in the baseline; taking away a flag that is not there changes nothing."""
    flags = {normal(key): text(value) for key, value in target.baseline.flags.items()}
    return all(
        flags.get(normal(key), "false" if value is False else None) == text(value) for key, value in arm.flags.items()
    ) and all(target.baseline.env.get(key) == value for key, value in arm.env.items())
