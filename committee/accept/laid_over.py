"""A target as its files would read with another accepted baseline laid over them. Nothing is written for it."""

from committee.workspace import Workspace
from harness.vocabulary.target import Target
from harness.workflow.order import read_target_with


def target_with(workspace: Workspace, name: str, overlay: str | None) -> tuple[Target, str]:
    """The target and the hash of its files, with this overlay's text or none. Raises BadFileError."""
    return read_target_with(workspace.folder / "targets" / f"{name}.toml", overlay)
