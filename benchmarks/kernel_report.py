"""Tables and plots of what `kernel_iq4xs` measured: `python -m benchmarks.kernel_report RESULT.json... --plots FOLDER`.

Prints markdown: times and ratios by arm, the dispatch map with its crossings, and what a threshold costs that is off.
Arms of the families stay apart: dp4a is what an sm_70 card can run, mma needs matrix units (int8, fp16 as `half`) and
bulk copies; `stream` is dp4a's arithmetic fed by bulk copies, for one position, and is counted with the newer cards.
"""

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

DP4A = ("naive", "batched", "tiled")
MMA = ("stream", "mma", "half")
FALLBACK, READY = "dequantise+gemm", "gemm-f16"
THRESHOLDS = (4, 8, 9, 15, 16, 24, 32)
LEVEL = 0.99  # of each interval; rounds of one process are what it is over


@dataclass(frozen=True)
class Shape:
    """One result file: microseconds by M, by arm, by round."""

    name: str
    raw: dict[str, Any]
    us: dict[int, dict[str, list[float]]]

    def median(self, m: int, arm: str) -> float:
        return float(np.median(self.us[m][arm]))

    def read(self, m: int) -> float:
        """The fastest pure read of the same bytes in the same rounds."""
        return min(self.median(m, arm) for arm in self.us[m] if arm.startswith("read-"))

    def best(self, m: int, arms: Sequence[str]) -> str:
        return min((arm for arm in arms if arm in self.us[m]), key=lambda arm: self.median(m, arm))

    def ratio(self, m: int, slow: str, fast: str) -> tuple[float, float, float]:
        """How many times faster `fast` is, with the bounds over rounds (t on log-ratios)."""
        logs = np.log(np.array(self.us[m][slow]) / np.array(self.us[m][fast]))
        half = float(stats.t.ppf((1 + LEVEL) / 2, len(logs) - 1)) * float(logs.std(ddof=1)) / math.sqrt(len(logs))
        middle = float(logs.mean())
        return math.exp(middle), math.exp(middle - half), math.exp(middle + half)


def loaded(path: Path) -> Shape:
    raw = json.loads(path.read_text(encoding="utf-8"))
    return Shape(f"{raw['n']} x {raw['k']}", raw, {one["m"]: one["us"] for one in raw["final"]})


def times(shape: Shape) -> list[str]:
    """Microseconds of every arm and ceiling."""
    arms = (*DP4A, *MMA, "mma-fused", "quantise, mma", FALLBACK, READY, "dequantise", "copy")
    lines = ["| M | pure read | " + " | ".join(arms) + " |", "|---" * (len(arms) + 2) + "|"]
    for m in shape.us:
        cells = [f"{shape.median(m, arm):.1f}" if arm in shape.us[m] else "" for arm in arms]
        lines.append(f"| {m} | {shape.read(m):.1f} | " + " | ".join(cells) + " |")
    return lines


def speedups(shape: Shape) -> list[str]:
    """Each family's best arm against the better of naive and dequantise + GEMM."""
    lines = [
        "| M | better of naive and fallback, us | dp4a: best arm | times faster "
        "| newer cards: best arm | times faster | against ready fp16 GEMM |",
        "|---|---|---|---|---|---|---|",
    ]
    for m in shape.us:
        opponent = shape.best(m, ("naive", FALLBACK))
        cells = [str(m), f"{opponent} {shape.median(m, opponent):.1f}"]
        for family in (DP4A, MMA):
            arm = shape.best(m, family)
            middle, low, high = shape.ratio(m, opponent, arm)
            cells += [f"{arm} {shape.median(m, arm):.1f}", f"{middle:.2f} ({low:.2f} to {high:.2f})"]
        best = shape.best(m, (*DP4A, *MMA))
        middle, low, high = shape.ratio(m, READY, best)
        lines.append("| " + " | ".join([*cells, f"{middle:.2f} ({low:.2f} to {high:.2f})"]) + " |")
    return lines


def crossing(shape: Shape, rising: Sequence[str], flat: str) -> str:
    """Where the rising arms' best passes the flat one, on a straight line between the two measured M around it."""
    previous: tuple[int, float] | None = None
    for m in shape.us:
        excess = shape.median(m, shape.best(m, rising)) - shape.median(m, flat)
        if excess > 0:
            if previous is None:
                return f"below M = {m}"
            before, less = previous
            return f"M = {before + (m - before) * -less / (excess - less):.1f} (measured at {before} and {m})"
        previous = m, excess
    return f"not up to M = {max(shape.us)}"


def crossings(shape: Shape) -> list[str]:
    return [
        f"- naive passes dequantise + GEMM at {crossing(shape, ('naive',), FALLBACK)}",
        f"- dp4a's best passes dequantise + GEMM at {crossing(shape, DP4A, FALLBACK)}",
        f"- the newer cards' best passes dequantise + GEMM at {crossing(shape, MMA, FALLBACK)}",
        f"- the best of all passes the ready fp16 GEMM at {crossing(shape, (*DP4A, *MMA), READY)}",
        f"- the newer cards' best is faster than dp4a's best from {_turn(shape)}",
    ]


def _turn(shape: Shape) -> str:
    wins = [m for m in shape.us if shape.median(m, shape.best(m, MMA)) < shape.median(m, shape.best(m, DP4A))]
    return f"M = {min(wins)} of those measured" if wins else "no M"


def thresholds(shape: Shape) -> list[str]:
    """A dispatcher that takes the arm up to T positions and the fallback above: the worst it loses, and where."""
    names = (("naive",), DP4A, MMA)
    lines = [
        "| threshold | naive, else fallback | dp4a's best, else fallback | newer cards' best, else fallback |",
        "|---|---|---|---|",
    ]
    for threshold in THRESHOLDS:
        cells = [_loss(shape, arms, threshold) for arms in names]
        lines.append(f"| {threshold} | " + " | ".join(cells) + " |")
    return lines


def _loss(shape: Shape, arms: Sequence[str], threshold: int) -> str:
    worst = (1.0, 0)
    for m in shape.us:
        mine, other = shape.median(m, shape.best(m, arms)), shape.median(m, FALLBACK)
        taken = mine if m <= threshold else other
        worst = max(worst, (taken / min(mine, other), m))
    lost = round((worst[0] - 1) * 100)
    return f"{lost} % at M = {worst[1]}" if lost else "0 %"


def plot(shape: Shape, to: Path) -> None:
    """Times over M, both axes logarithmic."""
    import altair as alt  # noqa: PLC0415  the report's extra

    arms = (*DP4A, *MMA, FALLBACK, READY)
    rows = [
        {"M": m, "us": shape.median(m, arm), "arm": arm} for m in shape.us for arm in arms if arm in shape.us[m]
    ] + [{"M": m, "us": shape.read(m), "arm": "pure read"} for m in shape.us]
    x = alt.X("M:Q", scale=alt.Scale(type="log", base=2), title="positions M")
    y = alt.Y("us:Q", scale=alt.Scale(type="log"), title="microseconds a call")
    title = f"IQ4_XS {shape.name}, {shape.raw['card']}, {shape.raw['date']}"
    data = alt.Data(values=rows)  # type: ignore[no-untyped-call]
    chart = alt.Chart(data).mark_line(point=True).encode(x=x, y=y, color="arm:N")
    chart.properties(title=title, width=520, height=360).save(str(to))


def main() -> None:
    """Everything of every file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("--plots", type=Path)
    asked = parser.parse_args()
    for path in asked.results:
        shape = loaded(path)
        print(
            f"\n**{shape.name}**, {shape.raw['card']}, {shape.raw['date']}, state before: {shape.raw['state_before']}"
        )
        for part in (times, speedups, crossings, thresholds):
            print()
            print("\n".join(part(shape)))
        if asked.plots:
            plot(shape, asked.plots / f"{path.stem}.svg")


if __name__ == "__main__":
    main()
