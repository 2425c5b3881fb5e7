"""Stacked arms: from the names of arms to one change, and to every set that has to be measured beside it. Pure.

An interaction needs the parts alone, all of them together and, for three or more, every set that leaves one out (A7).
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from harness.vocabulary.arm import Arm, normal, text
from harness.vocabulary.base import complaints

LONGEST_NAME = 48
HASH_CHARS = 8  # of a SHA-256, in a name that was shortened


def expand(arms: Sequence[Arm]) -> tuple[Arm, ...] | str:
    """The arms with every stack filled in and the sets added that leave one out, or one sentence why that cannot be.

    Arms keep their order, added ones follow their stack. Expanding again changes nothing.
    """
    named = {arm.name: arm for arm in arms}
    if len(named) != len(arms) and any(arm.stack for arm in arms):
        return "two arms have the same name, so a stack cannot name them; rename one"
    found: list[Arm] = []
    for arm in arms:
        if not arm.stack:
            found.append(arm)
            continue
        stacked = _stacked(arm, named)
        if isinstance(stacked, str):
            return stacked
        found.append(stacked)
        if _was_added(arm, arms):
            continue
        for left_out in _leave_one_out(stacked, named):
            if isinstance(left_out, str):
                return left_out
            if all(left_out.fingerprint != other.fingerprint for other in (*arms, *found)):
                found.append(left_out)
    return tuple(found)


def _stacked(arm: Arm, named: Mapping[str, Arm]) -> Arm | str:
    parts: list[Arm] = []
    for name in arm.stack:
        part = named.get(name)
        if part is None and (arm.flags or arm.env or arm.changes_files):
            return arm  # filled in before, and now measured without its parts: as one change like any other
        if part is None:
            return f"arm {arm.name!r} is stacked from {name!r}, which is not among the arms; add it"
        if part.stack:
            return f"arm {arm.name!r} is stacked from {name!r}, which is a stack itself; name its parts instead"
        parts.append(part)
    merged = together(arm, parts)
    if isinstance(merged, str) or not (arm.flags or arm.env or arm.changes_files):
        return merged
    if merged.fingerprint != arm.fingerprint:
        return f"arm {arm.name!r} changes something else than the arms it is stacked from; leave its own changes out"
    return arm


def _leave_one_out(stacked: Arm, named: Mapping[str, Arm]) -> list[Arm | str]:
    if len(stacked.stack) < 3 or any(name not in named for name in stacked.stack):
        return []
    sets: list[Arm | str] = []
    for name in stacked.stack:
        rest = tuple(part for part in stacked.stack if part != name)
        short = _without(stacked.name, name, named)
        head = Arm.model_validate(
            {"schema": 1, "name": short, "stack": rest, "title": f"{stacked.name} without {name}"}
        )
        sets.append(together(head, [named[part] for part in rest]))
    return sets


def _was_added(arm: Arm, arms: Sequence[Arm]) -> bool:
    """Whether an earlier expansion added it to a stack of `arms`: then it is not expanded in its turn."""
    return any(
        arm.stack == tuple(part for part in whole.stack if part != name)
        and arm.name in (f"{whole.name}-without-{name}", _marked(whole.name, name))
        for whole in arms
        for name in whole.stack
    )


def _without(stack: str, name: str, taken: Collection[str]) -> str:
    """What the set is called that leaves `name` out; shortened, or taken already, it ends in a hash of both names."""
    plain = f"{stack}-without-{name}"
    return plain if len(plain) <= LONGEST_NAME and plain not in taken else _marked(stack, name)


def _marked(stack: str, name: str) -> str:
    mark = hashlib.sha256(f"{stack}\n{name}".encode()).hexdigest()[:HASH_CHARS]
    kept = (LONGEST_NAME - len("-without--") - HASH_CHARS) // 2
    return f"{stack[:kept]}-without-{name[:kept]}-{mark}"


def _edits(head: Arm, parts: Sequence[Arm]) -> dict[tuple[str, str], Any] | str:
    """Every part's edits of the deploy script, equal ones once, or one sentence where two cannot both be made."""
    edits: dict[tuple[str, str], Any] = {}
    for edit in (edit for part in parts for edit in part.deploy):
        for find, replace in edits:
            if (find in edit.find or edit.find in find) and (find, replace) != (edit.find, edit.replace):
                shown = max(find, edit.find, key=len)
                return f"arm {head.name!r}: its parts edit {shown!r} differently, so they cannot be stacked"
        edits[edit.find, edit.replace] = edit
    return edits


def together(head: Arm, parts: Sequence[Arm]) -> Arm | str:
    """One arm with the changes and witnesses of all parts, under the name and title of `head`."""
    change: dict[str, Any] = {"flags": {}, "env": {}, "model": None, "build": None}
    overlay: dict[str, Any] = {}
    for part in parts:
        flags = {normal(name): value for name, value in part.flags.items()}
        for what, given in (("flags", flags), ("env", part.env)):
            for name, value in given.items():
                if text(change[what].setdefault(name, value)) != text(value):
                    return f"arm {head.name!r}: its parts set {name!r} differently, so they cannot be stacked"
        for over in part.overlay:
            if overlay.setdefault(over.path, over) != over:
                return f"arm {head.name!r}: its parts overlay {over.path!r} differently, so they cannot be stacked"
        for what in ("model", "build"):
            mine, other = change[what], getattr(part, what)
            if mine is not None and other is not None and mine != other:
                return f"arm {head.name!r}: its parts have two {what}s, so they cannot be stacked"
            change[what] = mine if other is None else other
    edits = _edits(head, parts)
    if isinstance(edits, str):
        return edits
    proofs = {witness.model_dump_json(): witness for part in (head, *parts) for witness in part.witness}
    lists: dict[str, dict[Any, Any]] = {"overlay": overlay, "deploy": edits, "witness": proofs}
    try:
        fields = change | {name: tuple(one.model_dump() for one in listed.values()) for name, listed in lists.items()}
        fields["build"] = change["build"].model_dump() if change["build"] else None
        return Arm.model_validate(fields | {"schema": 1, "name": head.name, "title": head.title, "stack": head.stack})
    except ValidationError as error:
        return complaints(error, f"arm {head.name}").removesuffix("; correct it there")
