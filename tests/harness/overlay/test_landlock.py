"""A program that was shut in writes into its own folder and nowhere else; without Landlock it is never started."""

import inspect
import subprocess
import sys
from pathlib import Path

from harness.overlay import landlock


def test_only_its_own_folder_can_be_written(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
    (other / "reference.so").write_text("reference")
    script = (
        f"echo a > {own}/made; echo b > {other}/new; echo c > {other}/reference.so; rm {other}/reference.so; "
        f"mv {own}/made {other}/moved; mkdir {other}/folder; ln -s x {other}/link; echo d > /dev/null && exit 7"
    )
    words = (sys.executable, "-I", "-c", inspect.getsource(landlock), str(own), "must", "/bin/sh", "-c", script)
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode in (7, landlock.UNKNOWN), done.stderr
    assert [path.name for path in own.iterdir()] == (["made"] if done.returncode == 7 else [])
    assert [(path.name, path.read_text()) for path in other.iterdir()] == [("reference.so", "reference")]
