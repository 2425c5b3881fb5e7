"""What a target lets arms change in its host's files: models, overlays, its deploy script's copy, a build. Pure.

Paths are compared as they are spelled here; where symbolic links lead is asked on the host, before anything is changed.
"""

from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from harness.vocabulary.arm import Arm
from harness.vocabulary.base import Value
from harness.vocabulary.changes import AbsolutePath


class AllowedModel(Value):
    """One model file, or all files of a folder whose names fit a pattern."""

    path: AbsolutePath | None = Field(default=None, description="one file")
    folder: AbsolutePath | None = Field(default=None, description="instead of path: a folder")
    pattern: str = Field(default="", description="with folder: which names, as in a shell (`*.gguf`)")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.path is None) == (self.folder is None) or (self.folder is not None) != bool(self.pattern):
            raise ValueError("an allowed model needs either path, or folder and pattern")
        if "/" in self.pattern:
            raise ValueError("the pattern is for names inside the folder, so it holds no '/'")
        return self

    def admits(self, model: str) -> bool:
        """Whether this is that file."""
        if self.path is not None:
            return model == self.path
        found = PurePosixPath(model)
        return str(found.parent) == self.folder and fnmatchcase(found.name, self.pattern)

    @property
    def root(self) -> str:
        """Where the file must really lie, once symbolic links are followed."""
        return self.path or self.folder or ""


class AllowedOverlay(Value):
    """One file of production that an arm may let another one stand in for."""

    path: AbsolutePath = Field(description="production's file")
    mode: Literal["beside", "in-place"] = Field(
        default="beside",
        description="beside: production's file is not touched, a copy is used; in-place: replaced during the launch",
    )
    copies: AbsolutePath | None = Field(
        default=None, description="beside: the folder around it that is copied whole; left out: the file alone"
    )
    sources: AbsolutePath = Field(description="folder in which the file that stands in must lie")
    max_mib: int = Field(default=2048, ge=1, le=1_000_000, description="largest size of what is copied, MiB")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.copies is not None and (self.mode == "in-place" or not inside(self.path, self.copies)):
            raise ValueError("copies is a folder around the path, and only for mode 'beside'")
        if inside(self.path, self.sources):
            raise ValueError(f"sources {self.sources!r} holds production's own file; name another folder")
        return self


class Deploy(Value):
    """The script that starts the server. Every launch runs a copy of it; only production runs itself."""

    script: AbsolutePath = Field(description="the script; it must stand in baseline.command as a word")
    edits: bool = Field(default=False, description="whether an arm may replace text in its copy")


class AllowedBuild(Value):
    """Where and how the host may build an arm's file."""

    programs: tuple[str, ...] = Field(min_length=1, description="what argv may begin with")
    folders: tuple[AbsolutePath, ...] = Field(min_length=1, description="where it may run: the folder or one inside")
    output: AbsolutePath = Field(description="folder in which each output has a folder of its own")
    reference: tuple[AbsolutePath, ...] = Field(
        default=(), description="folders of builds that are never written: old numbers come from them"
    )
    timeout_s: float = Field(default=3600, gt=0, le=86_400, description="time limit, seconds")
    unconfined: bool = Field(
        default=False, description="build with network and rights of the login where nothing else can be had"
    )

    @model_validator(mode="after")
    def _never_over_the_reference(self) -> Self:
        for folder in self.reference:
            if inside(self.output, folder) or inside(folder, self.output):
                raise ValueError(f"outputs in {self.output!r} would lie in the reference build {folder!r}")
        return self


class Compiled(Value):
    """One file that the server compiles or includes, and where it goes in a proposal."""

    path: AbsolutePath = Field(description="the file on the target's host")
    into: str = Field(
        pattern=r"^kernel/[A-Za-z0-9_][\w./+-]{0,200}$", description="its path inside a proposal, below kernel/"
    )

    @model_validator(mode="after")
    def _stays_inside(self) -> Self:
        parts = self.into.split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise ValueError(
                f"into {self.into!r} must be a plain path below kernel/, without '.', '..' or doubled slashes"
            )
        return self


class Sources(Value):
    """What can be fetched of a server before its reviewers are asked."""

    compiled: tuple[Compiled, ...] = Field(default=(), max_length=200, description="files that it really compiles")
    architectures: tuple[Annotated[str, Field(pattern=r"^sm_\d{2,3}[a-z]?$")], ...] = Field(
        default=(), max_length=8, description="what its kernels are compiled for, such as sm_70"
    )
    compile_flags: tuple[str, ...] = Field(
        default=(), max_length=40, description="options of its compiler that change the code: -D, -std= and the like"
    )
    help: tuple[str, ...] = Field(
        default=(), max_length=50, description="command that prints the engine's flags; {python} as in baseline.command"
    )

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        for what in ("path", "into"):
            named = [getattr(file, what) for file in self.compiled]
            twice = sorted({name for name in named if named.count(name) > 1})
            if twice:
                raise ValueError(f"two of sources.compiled have the {what} {twice[0]!r}; keep one")
        return self


def inside(path: str, folder: str) -> bool:
    """Whether a path is the folder or lies in it, as both are spelled."""
    return path == folder or path.startswith(f"{folder}/")


def _left_out(value: object) -> bool:
    return not value  # what was planned before there were these keys keeps its hash


class Listed(Value):
    """All of it together: the part of a target's file that is about files."""

    model_flag: str = Field(default="", exclude_if=_left_out, description="flag that names the model file")
    allowed_models: tuple[AllowedModel, ...] = Field(
        default=(), exclude_if=_left_out, description="models an arm may name"
    )
    allowed_overlays: tuple[AllowedOverlay, ...] = Field(
        default=(), exclude_if=_left_out, description="files an arm may let another one stand in for"
    )
    deploy: Deploy | None = Field(default=None, exclude_if=_left_out, description="the script that starts the server")
    build: AllowedBuild | None = Field(default=None, exclude_if=_left_out, description="what may be built for an arm")
    sources: Sources | None = Field(
        default=None, exclude_if=_left_out, description="what `committee pull` fetches into a proposal"
    )

    @model_validator(mode="after")
    def _can_be_followed(self) -> Self:
        if self.allowed_models and not self.model_flag:
            raise ValueError("allowed_models needs model_flag, the flag that names the model file")
        paths = [listed.path for listed in self.allowed_overlays]
        if len(set(paths)) != len(paths):
            raise ValueError("two allowed_overlays name the same path; keep one")
        if self.deploy and self.deploy.script in paths:
            raise ValueError(f"{self.deploy.script!r} is the deploy script, which is edited in a copy; keep one")
        for listed in self.allowed_overlays if self.build else ():
            if self.build and inside(listed.path, self.build.output):
                raise ValueError(f"outputs in {self.build.output!r} could be written over {listed.path!r}")
        return self

    def overlay_of(self, path: str) -> AllowedOverlay | None:
        """What is listed for a file of production."""
        return next((listed for listed in self.allowed_overlays if listed.path == path), None)

    def file_denials(self, arm: Arm) -> list[str]:
        """What of the arm's files is not allowed, as predicates: `model '/x' is not listed`."""
        said: list[str] = []
        if arm.model and not any(listed.admits(arm.model) for listed in self.allowed_models):
            said.append(f"model {arm.model!r} is not listed")
        for overlay in arm.overlay:
            listed = self.overlay_of(overlay.path)
            if listed is None:
                said.append(f"overlay of {overlay.path!r} is not listed")
            elif not inside(overlay.source, listed.sources) or overlay.source == listed.sources:
                said.append(f"overlay from {overlay.source!r} is not in {listed.sources!r}, which is listed")
        if arm.deploy and not (self.deploy and self.deploy.edits):
            said.append("edits of the deploy script are not listed")
        return [*said, *self._build_denials(arm)]

    def _build_denials(self, arm: Arm) -> list[str]:
        step, allowed = arm.build, self.build
        if step is None:
            return []
        if allowed is None:
            return ["a build is not listed"]
        said: list[str] = []
        if step.argv[0] not in allowed.programs:
            said.append(f"build with {step.argv[0]!r} is not listed")
        if not any(inside(step.cwd, folder) for folder in allowed.folders):
            said.append(f"build in {step.cwd!r} is not listed")
        if not inside(step.output, allowed.output) or step.output == allowed.output:
            said.append(f"build of {step.output!r} is not in {allowed.output!r}, which is listed")
        elif str(PurePosixPath(step.output).parent) == allowed.output:
            said.append(f"build of {step.output!r} has no folder of its own in {allowed.output!r}, which it needs")
        return said
