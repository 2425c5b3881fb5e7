"""From the words a reviewer wrote to an arm the target admits, patches included, or to the sentence why it is not run.

A patch becomes overlays of the files that `committee pull` fetched; the target's file must list each. What it would do
is tried in copies; only a person's yes puts it on the target's host.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from committee.arms.apply import applied
from committee.arms.compiling import compiled
from committee.fuse.arms import arm_from, slow_patterns, slug
from committee.fuse.source import plain
from committee.pull.knobs import TASK, for_bench, patchable
from committee.pull.manifest import manifest_in
from harness.vocabulary.arm import Arm, normal, text
from harness.vocabulary.base import BadFileError, parse_toml
from harness.vocabulary.target import Target
from ledger.canonical import digest, sha256_hex
from ledger.entries import PatchedFile, PatchOutcome

Files = Mapping[str, bytes]
FOR_BENCH = "the kernel bench can build and measure it: read it, then `committee approve` and `committee measure`"


@dataclass(frozen=True)
class Admission:
    """What becomes of a written arm. Exactly one of `arm` and `not_runnable` is there."""

    arm: Arm | None
    not_runnable: str | None
    patch: PatchOutcome | None = None


def admitted(written: Mapping[str, Any], target: Target, files: Files) -> Admission:
    """The arm, or why it cannot run on `target`. Tries a patch in copies of `files`; runs nothing."""
    if not written.get("patch"):
        found = arm_from({key: value for key, value in written.items() if key != "patch"}, target)
        return Admission(None, found) if isinstance(found, str) else Admission(found, None)
    allowed = patchable(files, target)
    if not allowed:
        said = f"target {target.name!r} lists no overlay of a file that was fetched into this proposal"
        return Admission(None, f"the arm is a patch, but {said}; see `committee pull`")
    changed = applied(files, str(written["patch"]), allowed)
    if isinstance(changed, str):
        return Admission(None, changed, PatchOutcome(files=(), change=None, compiled="", launched=None))
    return _tried(written, target, files, changed)


def patched(written: Mapping[str, Any], target: Target, files: Files) -> dict[str, bytes]:
    """The files of an admitted arm's patch, by path inside the proposal. Raises BadFileError when it is none."""
    changed = applied(files, str(written.get("patch", "")), patchable(files, target))
    if isinstance(changed, str):
        raise BadFileError(changed)
    return changed


def _tried(written: Mapping[str, Any], target: Target, files: Files, changed: Mapping[str, bytes]) -> Admission:
    """An arm whose patch applies: compiled, and held against the target's list."""
    gate = compiled(files, {**files, **changed}, *_compiler(target, files))
    parts = tuple(
        PatchedFile(path=path, sha256=sha256_hex(content), plain_sha256=sha256_hex(_plain(path, content)))
        for path, content in sorted(changed.items())
    )
    outcome = PatchOutcome(files=parts, change=_change(written, parts), compiled=gate.words, launched=None)
    if gate.failed:
        return Admission(None, f"the patch does not compile: {gate.words}", outcome)
    if all(part.plain_sha256 == sha256_hex(_plain(part.path, files[part.path])) for part in parts):
        return Admission(None, "the patch changes nothing but comments and formatting", outcome)
    arm = _overlaid(written, target, files, parts)
    if isinstance(arm, str):
        return Admission(None, arm, outcome)
    denials = (*target.denials(arm), *slow_patterns(arm))
    if denials:
        return Admission(None, "; ".join(denials), outcome)
    launched = arm.model_dump(mode="json", by_alias=True)
    return Admission(arm, None, outcome.model_copy(update={"launched": launched}))


def _compiler(target: Target, files: Files) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Architectures and flags: the target's, else those of the kernel task that the proposal carries."""
    sources = target.sources
    if sources is not None and sources.architectures:
        return sources.architectures, sources.compile_flags
    try:
        task = parse_toml(files.get(TASK, b""), TASK)
    except BadFileError:
        return (), ()  # the proposal's check says so
    named, flags = task.get("architectures"), task.get("flags")
    return (
        tuple(map(str, named)) if isinstance(named, list) else (),
        tuple(map(str, flags)) if isinstance(flags, list) else (),
    )


def _overlaid(written: Mapping[str, Any], target: Target, files: Files, parts: tuple[PatchedFile, ...]) -> Arm | str:
    """The written arm with the patched files as overlays; they need not lie on the host yet."""
    manifest, overlays = manifest_in(files), []
    for part in parts:
        path = manifest.path_of(part.path) if manifest else None
        listed = target.overlay_of(path) if path else None
        if path is None or listed is None:
            bench = f"; {FOR_BENCH}" if for_bench(files) else ""
            return f"{part.path!r} is no file of the server that the target lets an arm change{bench}"
        source = str(PurePosixPath(listed.sources) / "committee" / part.sha256 / PurePosixPath(path).name)
        overlays.append({"path": path, "source": source, "sha256": part.sha256})
    rest = {key: written[key] for key in ("title", "flags", "env", "witness") if written.get(key)}
    try:
        name = slug(str(written.get("name", "")))
        return Arm.from_mapping({"schema": 1, "name": name, "overlay": overlays, **rest}, "arm")
    except BadFileError as error:
        return str(error).removesuffix("; correct it there")


def _change(written: Mapping[str, Any], parts: tuple[PatchedFile, ...]) -> str:
    """The change's fingerprint with formatting away: settings in one spelling, patched files without their style."""
    return digest(
        {
            "flags": {normal(key): text(value) for key, value in (written.get("flags") or {}).items()},
            "env": dict(written.get("env") or {}),
            "files": {part.path: part.plain_sha256 for part in parts},
        }
    )


def _plain(path: str, content: bytes) -> bytes:
    return plain(path, content.decode("utf-8", errors="surrogateescape")).encode("utf-8", errors="surrogateescape")
