"""What is asked of a host about an arm's files, and what it answers: frozen values. Standard library only."""

from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Edit:
    """One replacement in a script's copy."""

    find: str
    replace: str
    path: bool  # a path: found as a whole word, as often as it stands there, at least `least` times; else exactly once
    least: int


@dataclass(frozen=True)
class FileChange:
    """One step. Paths are of the host; what is empty does not count."""

    kind: Literal["model", "copy", "put", "in-place"]
    path: str  # the model, the script, or production's file
    source: str = ""  # what stands in for it
    sources: str = ""  # the folder in which that must lie
    sha256: str = ""  # its hash; empty where a build made it
    copies: str = ""  # copy: the file, or the folder around it, that is copied
    made: str = ""  # copy: what is made, and removed afterwards
    to: str = ""  # copy and put: where the file stands in the copy
    max_mib: int = 0
    edits: tuple[Edit, ...] | None = None  # copy: of a script

    def as_json(self) -> dict[str, Any]:
        """As the guardian's protocol writes it."""
        return asdict(self)


@dataclass(frozen=True)
class ChangedFile:
    """One step that was done."""

    kind: str
    path: str
    made: str  # what was made or changed; the path itself for a model
    before_sha256: str | None  # of production's file; none for a model, whose length was checked instead
    after_sha256: str | None  # of what the launch used
    said: str  # what a model's header says


@dataclass(frozen=True)
class NotChanged:
    """Nothing is changed; the sentence says why."""

    detail: str


def changed_from_json(value: dict[str, Any]) -> ChangedFile:
    """One of the guardian's reports."""
    report, before, after = value["report"], value.get("before") or {}, value.get("after") or {}
    said = ""
    if value["kind"] == "model":
        context = report["context_length"]
        trained = f", trained for {context} tokens" if context else ""
        parts = f" in {report['parts']} files" if report.get("parts", 1) > 1 else ""
        said = f"{report['architecture']}, {report['tensors']} tensors, {report['size']} bytes{parts}{trained}"
    made = report.get("made", value["path"])
    kind = "in-place" if value["kind"] == "same" else value["kind"]  # of the same content: nothing was written
    return ChangedFile(kind, value["path"], made, before.get("sha256"), after.get("sha256"), said)
