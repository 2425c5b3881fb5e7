"""What a crash or a bad disk does to a git repository."""

import subprocess
from pathlib import Path


def damage(folder: Path, commit: str) -> None:
    """Cut the object of a commit, which has a file of its own, to a few bytes."""
    done = subprocess.run(["git", "-C", str(folder), "rev-parse", commit], capture_output=True, text=True, check=True)
    name = done.stdout.strip()
    path = folder / ".git" / "objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:20])
