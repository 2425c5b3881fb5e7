"""Other serving benchmarks, installed apart from the project: `python -m benchmarks.client_rivals FOLDER`.

Each goes into a virtual environment of its own below FOLDER. What cannot be installed is said and left out.
"""

import argparse
import resource
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

INSTALL_S = 900


@dataclass(frozen=True)
class Reported:
    """What a tool says of one run, and what it cost."""

    ttft_ms: tuple[float, ...]
    requests: int
    wall_s: float
    cpu_s: float
    rss_mib: float


@dataclass(frozen=True)
class Rival:
    """One tool: how it is installed and run."""

    package: str
    run: Callable[[Path, str, int, int, int], Reported]  # folder, address, streams, requests, tokens

    def installed(self, folder: Path) -> bool:
        """Whether its environment is there."""
        return (folder / self.package / "bin" / self.package).exists()

    def install(self, folder: Path) -> str:
        """Make its environment; one sentence on how that went."""
        place = folder / self.package
        venv.create(place, with_pip=True)
        done = subprocess.run(
            [place / "bin" / "python", "-m", "pip", "install", "--quiet", self.package],
            check=False, capture_output=True, text=True, timeout=INSTALL_S,
        )  # fmt: skip
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        return f"{self.package}: installed" if done.returncode == 0 else f"{self.package}: not installed ({last})"


def timed(command: list[str], limit_s: float = 600) -> tuple[float, float, float]:
    """Run a command on the first core: wall clock, CPU of it and its children, largest memory of one of them in MiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    subprocess.run(["taskset", "-c", "0", *command], check=True, capture_output=True, timeout=limit_s)
    wall_s = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall_s, cpu_s, after.ru_maxrss / 1024


RIVALS: dict[str, Rival] = {}


def main() -> None:
    """Install all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for rival in RIVALS.values():
        sys.stdout.write(rival.install(folder) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
