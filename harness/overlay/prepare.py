"""Pure: what a launch of an arm changes in the host's files, and the target as that launch starts it.

Production's files are left alone wherever a copy can be used instead: then the command, the environment and the deploy
script's copy name the copy. Only where the target's file says `in-place` a file is replaced while the launch runs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from harness.overlay.steps import MARK
from harness.overlay.values import Edit, FileChange
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError, Scalar
from harness.vocabulary.listed import AllowedOverlay
from harness.vocabulary.target import Baseline, Target

SCRIPT_MIB = 4


@dataclass(frozen=True)
class Prepared:
    """One launch: the steps on its host, and the target whose baseline already names what they make."""

    target: Target
    changes: tuple[FileChange, ...]
    arm: Arm | None  # as the gates see it: an overlay's source is the file that the processes load


def prepare(target: Target, arm: Arm | None, label: str) -> Prepared:
    """The steps for one launch; baseline and placebo (`arm` none) run a copy of the deploy script too.

    Raises BadFileError if nothing that the launch starts names a file that would be used as a copy.
    """
    baseline, changes = target.baseline, list[FileChange]()
    if arm and arm.model:
        baseline = baseline.model_copy(update={"flags": {**baseline.flags, target.model_flag: arm.model}})
        changes.append(FileChange("model", arm.model))
    units: dict[str, str] = {}
    for overlay in arm.overlay if arm else ():
        listed = target.overlay_of(overlay.path)
        if listed is None:
            raise BadFileError(f"overlay of {overlay.path!r} is not listed for target {target.name!r}")
        place = FileChange("in-place", overlay.path, overlay.source, listed.sources, overlay.sha256 or "")
        changes.append(_listed(place, listed, label, units))
    edits: list[Edit] = [Edit(edit.find, edit.replace, path=False, least=1) for edit in (arm.deploy if arm else ())]
    for unit, made in units.items():
        baseline, count = _moved(baseline, unit, made)
        if not count and target.deploy is None:
            raise BadFileError(
                f"target {target.name!r} names {unit!r} neither in its command nor in its flags and variables, so a "
                "copy of it would not be used; name it there, name the deploy script, or allow it 'in-place'"
            )
        edits.append(Edit(unit, made, path=True, least=0 if count else 1))
    if target.deploy is not None:
        script = target.deploy.script
        made = beside(script, label)
        changes.append(FileChange("copy", script, copies=script, made=made, max_mib=SCRIPT_MIB, edits=tuple(edits)))
        words = tuple(made if word == script else word for word in baseline.command)
        baseline = baseline.model_copy(update={"command": words})
    used = {change.path: change.to for change in changes if change.to}
    return Prepared(target.model_copy(update={"baseline": baseline}), tuple(changes), _as_loaded(arm, used))


def _as_loaded(arm: Arm | None, used: Mapping[str, str]) -> Arm | None:
    if arm is None or not arm.overlay:
        return arm
    overlay = tuple(
        over.model_copy(update={"source": used[over.path]}) if over.path in used else over for over in arm.overlay
    )
    return arm.model_copy(update={"overlay": overlay})


def beside(path: str, label: str) -> str:
    """The name of a file's copy: in the same folder, with the same ending."""
    found = PurePosixPath(path)
    return str(found.with_name(f"{found.stem}.{MARK}{label}{found.suffix}"))


def _listed(place: FileChange, listed: AllowedOverlay, label: str, units: dict[str, str]) -> FileChange:
    """The step that the target's file allows; `units` are the files and folders of which there is a copy by now."""
    most = {"max_mib": listed.max_mib}
    if listed.mode == "in-place":
        return FileChange(**vars(place) | most)
    path = PurePosixPath(place.path)
    if listed.copies is None:
        made = str(path.with_name(f"{MARK}{label}-{path.name}"))
        to = f"{made}/{path.name}"
        units[place.path] = to
        return FileChange(**vars(place) | most | {"kind": "copy", "copies": place.path, "made": made, "to": to})
    known = units.get(listed.copies)
    made = known or f"{listed.copies}.{MARK}{label}"
    units[listed.copies] = made
    to = str(PurePosixPath(made, path.relative_to(listed.copies)))
    if known:
        return FileChange(**vars(place) | most | {"kind": "put", "to": to})
    return FileChange(**vars(place) | most | {"kind": "copy", "copies": listed.copies, "made": made, "to": to})


def _moved(baseline: Baseline, unit: str, made: str) -> tuple[Baseline, int]:
    """The baseline with a path replaced wherever it stands as a whole, and how often it stood there."""
    pattern, count = re.compile(re.escape(unit) + r"(?![\w.-])"), 0

    def moved(word: str) -> str:
        nonlocal count
        found, times = pattern.subn(lambda _: made, word)
        count += times
        return found

    flags: dict[str, Scalar] = {
        name: moved(value) if isinstance(value, str) else value for name, value in baseline.flags.items()
    }
    env = {name: moved(value) for name, value in baseline.env.items()}
    command = tuple(moved(word) for word in baseline.command)
    return baseline.model_copy(update={"flags": flags, "env": env, "command": command}), count
