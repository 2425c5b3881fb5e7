"""`make` on a machine where Python cannot make an environment yet: it says what to install, and then goes on."""

import shutil
import subprocess
from pathlib import Path

from tests.test_style import ROOT

# As Debian's python3 without python3-venv: an environment is begun, pip is not put into it, and that is an error.
PYTHON = """#!/bin/sh
case "$*" in
-c*) exit 0 ;;
*"-m venv "*)
    mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
    test -e ensurepip && touch "$3/pip" ;;
*"-m pip "*) test -e .venv/pip ;;
esac
"""


def test_an_environment_that_was_half_made_is_made_whole(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "requirements").mkdir()
    for name in ("requirements/all.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)

    def made() -> subprocess.CompletedProcess[str]:
        argv = ["make", "PYTHON=./python", ".venv/.installed"]
        return subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)

    for _time in range(2):
        refused = made()
        assert refused.returncode != 0
        assert "./python cannot make an environment; on Debian: apt-get install python3-venv" in refused.stderr
    (tmp_path / "ensurepip").touch()
    assert made().returncode == 0
    assert (tmp_path / ".venv" / ".installed").exists()
