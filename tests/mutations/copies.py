"""A copy of the tree that may be mutated: its own processes import it, and nothing of the checkout."""

import compileall
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.mutations.refusals import ROOT, Refusal, mutated

COPIED = (
    "committee", "harness", "ledger", "tests", "targets", "proposals", "recordings", "docs", "benchmarks",
    "committee.toml", "pyproject.toml", "setup.py", "README.md",
)  # fmt: skip
TEST_TIMEOUT_S = 120  # a mutation may make a test wait for ever; the slowest one chosen takes a few seconds
FAILED, TIMED_OUT = 1, 124  # pytest's status when tests failed, and ours when it did not end
WHO = "import committee, harness, ledger; print(*(m.__file__ for m in (committee, harness, ledger)), sep='\\n')"


@dataclass(frozen=True)
class Ran:
    """How one run of pytest ended."""

    status: int
    last_line: str


@dataclass(frozen=True)
class Copy:
    """The tree in a folder of its own."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> "Copy":
        """Copy, compile once, and prove that a process there imports the copy. Raises RuntimeError if not."""
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".committee"))
            elif source.exists():
                shutil.copy2(source, folder / name)
        for package in ("committee", "harness", "ledger", "tests"):
            compileall.compile_dir(folder / package, quiet=2)
        made = cls(folder)
        made.prove()
        return made

    def prove(self) -> None:
        """Raise RuntimeError unless the three packages come from here."""
        said = subprocess.run(
            [sys.executable, "-c", WHO], cwd=self.folder, env=self._env(), capture_output=True, text=True, check=True
        )
        foreign = [line for line in said.stdout.split() if not Path(line).is_relative_to(self.folder)]
        if foreign:
            raise RuntimeError(f"{foreign[0]!r} is imported instead of the copy in {str(self.folder)!r}")

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
        """Run tests of the copy, at most TEST_TIMEOUT_S seconds; what they started ends with them."""
        words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=line", *arguments]
        process = subprocess.Popen(
            words,
            cwd=self.folder,
            env=self._env(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=TEST_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Ran(TIMED_OUT, f"did not end within {TEST_TIMEOUT_S} s")
        lines = [line for line in output.splitlines() if line.strip()]
        return Ran(process.returncode, lines[-1] if lines else "")

    def _env(self) -> dict[str, str]:
        return os.environ | {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
