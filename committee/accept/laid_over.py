"""A target as its files would read with another accepted baseline laid over them. The workspace is left as it is."""

import tempfile
from pathlib import Path

from committee.workspace import Workspace
from harness.vocabulary.target import Target
from harness.workflow.order import read_target


def target_with(workspace: Workspace, name: str, overlay: str | None) -> tuple[Target, str]:
    """The target and the hash of its files, with this overlay's text or none. Raises BadFileError."""
    file = workspace.folder / "targets" / f"{name}.toml"
    with tempfile.TemporaryDirectory() as made:
        there = Path(made)
        for beside in (file, file.with_name(f"{name}.private.toml")):
            if beside.exists():
                (there / beside.name).symlink_to(beside)
        if overlay is not None:
            (there / f"{name}.accepted.toml").write_text(overlay, encoding="utf-8", newline="\n")
        return read_target(there / file.name)
