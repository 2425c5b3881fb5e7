"""Repeats `committee demo` and prints how often its verdicts agree: `python -m benchmarks.demo_repeats --times 10`.

Every repeat is a whole demonstration in a new workspace. The first output lines name the machine; a busy machine shows
as AMBIGUOUS verdicts and long measuring times, and is part of the result.
"""

import argparse
import os
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ledger.entries import Acceptance, MeasuringRun, RunEnd, Verdict
from ledger.store import Entry, Ledger
from ledger.verify import verify

# What each arm is expected to show, as words of the verdict of which one is enough; the no-op must never be decided.
EXPECTED = {
    "four-slots": ("FASTER IDENTICAL",),
    "one-thread": ("SLOWER IDENTICAL", "SLOWER CHANGED"),
    "kv-q8": ("FASTER CHANGED", "SLOWER CHANGED", "SAME CHANGED", "AMBIGUOUS CHANGED"),
    "v-cache-q8-no-fa": ("INVALID",),
    "smaller-batch": ("SAME IDENTICAL", "AMBIGUOUS IDENTICAL"),
}
MOST_S = 1800  # one repeat; a quiet machine needs under 10 minutes


@dataclass(frozen=True)
class Repeat:
    """What one demonstration came to."""

    exit_code: int
    measuring_min: float
    outcome: str  # completed, void, or stopped
    said: dict[str, str]  # arm: validity, speed and numerics in one word each
    change_pct: dict[str, float]
    launch_sd_pct: float
    accepted: str
    whole: bool  # the ledger verifies


def demonstrate(folder: Path) -> Repeat:
    """One demonstration, then what its ledger says."""
    done = subprocess.run(
        [sys.executable, "-m", "committee", "demo", "--folder", str(folder)],
        check=False, capture_output=True, timeout=MOST_S,
    )  # fmt: skip
    with Ledger.open(folder / "records.db", actor="benchmark") as ledger:
        verdicts = [verdict for _, verdict in ledger.of(Verdict, primary=True)]
        begun, ends = ledger.of(MeasuringRun), ledger.of(RunEnd)
        accepted = [acceptance.arm_name for _, acceptance in ledger.of(Acceptance)]
    spans = [verdict.interval for verdict in verdicts if verdict.interval is not None]
    return Repeat(
        exit_code=done.returncode,
        measuring_min=_minutes(begun[0][0], ends[-1][0]) if begun and ends else float("nan"),
        outcome=ends[-1][1].outcome if ends else "stopped",
        said={verdict.arm_name: word(verdict) for verdict in verdicts},
        change_pct={verdict.arm_name: verdict.interval.estimate_pct for verdict in verdicts if verdict.interval},
        launch_sd_pct=max((span.launch_sd_pct for span in spans), default=float("nan")),
        accepted=", ".join(accepted) or "none",
        whole=verify(folder / "records.db").ok,
    )


def word(verdict: Verdict) -> str:
    """The verdict that the demonstration is judged by: speed and text where valid, else the validity."""
    return f"{verdict.speed} {verdict.numerics}" if verdict.validity == "VALID" else verdict.validity


def _minutes(first: Entry, last: Entry) -> float:
    return (datetime.fromisoformat(last.time) - datetime.fromisoformat(first.time)).total_seconds() / 60


def table(repeats: Sequence[Repeat]) -> str:
    """The repeats and the agreement, as Markdown."""
    arms = sorted({arm for repeat in repeats for arm in repeat.said})
    lines = [
        f"| repeat | exit | measuring, min | launch sd % | {' | '.join(arms)} | accepted | ledger |",
        f"|{'---|' * (len(arms) + 6)}",
    ]
    for number, repeat in enumerate(repeats, start=1):
        cells = [_cell(repeat, arm) for arm in arms]
        whole = "whole" if repeat.whole else "NOT whole"
        lines.append(
            f"| {number} | {repeat.exit_code} | {repeat.measuring_min:.1f} | {repeat.launch_sd_pct:.1f} | "
            f"{' | '.join(cells)} | {repeat.accepted} | {whole} |"
        )
    lines.append("")
    for arm in arms:
        counted = Counter(repeat.said.get(arm, "no verdict") for repeat in repeats)
        good = sum(counted[said] for said in EXPECTED.get(arm, ()))
        each = ", ".join(f"{said} {count}" for said, count in counted.most_common())
        lines.append(f"- {arm}: as expected in {good} of {len(repeats)} ({each})")
    minutes = [repeat.measuring_min for repeat in repeats]
    lines.append(f"- measuring: median {statistics.median(minutes):.1f} min, {min(minutes):.1f} to {max(minutes):.1f}")
    return "\n".join(lines)


def _cell(repeat: Repeat, arm: str) -> str:
    change = repeat.change_pct.get(arm)
    return repeat.said.get(arm, "-") + (f" {change:+.0f} %" if change is not None else "")


def main() -> None:
    """Repeat, printing each line as soon as it is known."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=10)
    options.add_argument("--folder", type=Path, default=Path("build/demo-repeats"))
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the first repeat", flush=True)
    repeats: list[Repeat] = []
    for number in range(given.times):
        folder = given.folder / f"{datetime.now().astimezone():%Y%m%d-%H%M%S}-{number + 1}"
        repeats.append(demonstrate(folder))
        print(f"{number + 1}: {repeats[-1]}", flush=True)
    print(table(repeats), flush=True)


if __name__ == "__main__":
    main()
