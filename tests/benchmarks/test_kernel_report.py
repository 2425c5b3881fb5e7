"""The dispatch map: ratios with bounds, crossings on a straight line, and what a wrong threshold loses."""

import json
import math
from pathlib import Path

import pytest

from benchmarks.kernel_report import FALLBACK, Shape, crossing, loaded, speedups, thresholds
from benchmarks.kernel_report import main as report

RESULTS = Path(__file__).resolve().parents[2] / "kernels" / "iq4xs_mmv" / "results"
ROUNDS = (0.99, 1.0, 1.01)


@pytest.fixture
def shape() -> Shape:
    """Naive takes 10 us a position, the fallback 100 us, mma 20 us, whatever M."""

    def spread(us: float) -> list[float]:
        return [us * factor for factor in ROUNDS]

    at = {"naive": 10.0, "mma": 0.0}
    us = {
        m: {"naive": spread(at["naive"] * m), "mma": spread(20), FALLBACK: spread(100), "gemm-f16": spread(50)}
        | {"read-4": spread(12)}
        for m in (1, 8, 12, 16)
    }
    return Shape("1 x 1", {"card": "none", "date": "2026-01-01", "state_before": ""}, us)


def test_a_ratio_of_equal_spreads_is_exact(shape: Shape) -> None:
    middle, low, high = shape.ratio(8, "naive", "mma")
    assert (middle, low, high) == pytest.approx((4, 4, 4))


def test_a_ratio_has_the_bounds_of_t_over_rounds(shape: Shape) -> None:
    us = {1: {"a": [2.0, 2.2, 2.42], "b": [1.0, 1.0, 1.0]}}
    middle, low, high = Shape("x", {}, us).ratio(1, "a", "b")
    half = 9.9248 * math.log(1.1) / math.sqrt(3)  # the 99.5 % point of t with two degrees of freedom
    assert middle == pytest.approx(2.2)
    assert (low, high) == pytest.approx((2.2 * math.exp(-half), 2.2 * math.exp(half)), rel=1e-4)


def test_the_crossing_lies_between_the_two_measured(shape: Shape) -> None:
    assert crossing(shape, ("naive",), FALLBACK) == "M = 10.0 (measured at 8 and 12)"
    assert crossing(shape, ("mma",), FALLBACK) == "not up to M = 16"


def test_a_threshold_loses_most_where_it_is_farthest_from_the_crossing(shape: Shape) -> None:
    rows = {line.split("|")[1].strip(): line.split("|")[2].strip() for line in thresholds(shape)[2:]}
    assert rows["8"] == "0 %"  # 8 positions cost 80 us, 12 would cost 120
    assert rows["15"] == "20 % at M = 12"
    assert rows["16"] == "60 % at M = 16"
    assert rows["4"] == "25 % at M = 8"


def test_speedups_name_the_better_opponent(shape: Shape) -> None:
    eight = next(line for line in speedups(shape) if line.startswith("| 8 "))
    assert "naive 80.0" in eight
    sixteen = next(line for line in speedups(shape) if line.startswith("| 16 "))
    assert f"{FALLBACK} 100.0" in sixteen
    assert "5.00 (5.00 to 5.00)" in sixteen


@pytest.mark.parametrize("path", sorted(RESULTS.glob("h200-[0-9]*.json")), ids=lambda path: path.stem)
def test_kept_results_hold_what_the_figures_rest_on(path: Path) -> None:
    raw = json.loads(path.read_text(encoding="utf-8"))
    assert raw["card"] == "NVIDIA H200"
    assert raw["weight_sets"] * raw["weight_bytes"] >= 4 * raw["l2_bytes"]
    assert not [row for row in raw["sweep"] if "wrong" in row]
    assert not any(said for one in raw["final"] for said in one["wrong_after"].values())
    kept = loaded(path)
    assert kept.read(1) / kept.median(1, "naive") >= 0.6  # an opponent that reads slowly would not count
    assert kept.median(1, "copy") / kept.median(1, "dequantise") >= 0.8


def test_the_report_prints_every_shape(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted(str(path) for path in RESULTS.glob("h200-[0-9]*.json"))
    monkeypatch.setattr("sys.argv", ["kernel_report", *files])
    report()
    printed = capsys.readouterr().out
    assert printed.count("naive passes dequantise + GEMM at") == len(files) == 3
