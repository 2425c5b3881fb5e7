"""A copy of the tree that may be mutated: its own processes import it, and nothing of the checkout."""

import compileall
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutations.refusals import ROOT, Refusal, mutated

COPIED = (
    "committee", "harness", "ledger", "tests", "targets", "proposals", "recordings", "docs", "benchmarks", "kernels",
    "committee.toml", "pyproject.toml", "setup.py", "README.md",
)  # fmt: skip
WHO = "import committee, harness, ledger; print(*(m.__file__ for m in (committee, harness, ledger)), sep='\\n')"


@dataclass(frozen=True)
class Ran:
    """How one run of pytest ended."""

    status: int
    last_line: str


@dataclass(frozen=True)
class Copy:
    """The tree in a folder of its own, with a process that runs tests there. Use it as a context manager."""

    folder: Path
    runner: subprocess.Popen[str]

    @classmethod
    @contextmanager
    def make(cls, folder: Path) -> "Iterator[Copy]":
        """Copy, compile once, and prove that a process there imports the copy. Raises RuntimeError if not."""
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".committee"))
            elif source.exists():
                shutil.copy2(source, folder / name)
        for package in ("committee", "harness", "ledger", "tests"):
            compileall.compile_dir(folder / package, quiet=2)
        env = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        prove(folder, env)
        words = [sys.executable, "-m", "tests.mutations.runner"]
        pipe = subprocess.PIPE
        with subprocess.Popen(words, cwd=folder, env=env, stdin=pipe, stdout=pipe, text=True) as runner:
            yield cls(folder, runner)

    @contextmanager
    def mutated(self, refusal: Refusal) -> Iterator[None]:
        """The copy without one refusal, and whole again afterwards. Raises ValueError as `mutated`."""
        path = self.folder / refusal.file
        source = path.read_text(encoding="utf-8")
        changed = mutated(source, refusal)
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()  # its time stamp has seconds only, so it could be taken for the mutated file's
        path.write_text(changed, encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(source, encoding="utf-8")

    def test(self, arguments: Sequence[str]) -> Ran:
        """Run tests of the copy. Raises RuntimeError if the process that runs them is gone."""
        if self.runner.stdin is None or self.runner.stdout is None:
            raise RuntimeError("the process that runs tests has no pipes")
        self.runner.stdin.write(json.dumps(list(arguments)) + "\n")
        self.runner.stdin.flush()
        said = self.runner.stdout.readline()
        if not said:
            raise RuntimeError(f"the process that runs tests ended with {self.runner.wait()}")
        return Ran(*json.loads(said))


def prove(folder: Path, env: dict[str, str]) -> None:
    """Raise RuntimeError unless a process there imports the three packages from there."""
    said = subprocess.run([sys.executable, "-c", WHO], cwd=folder, env=env, capture_output=True, text=True, check=True)
    foreign = [line for line in said.stdout.split() if not Path(line).is_relative_to(folder)]
    if foreign:
        raise RuntimeError(f"{foreign[0]!r} is imported instead of the copy in {str(folder)!r}")
