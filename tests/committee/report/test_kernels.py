"""The page's section of kernels alone: its own rows, its own words, nothing of it among the lines."""

from pathlib import Path

from committee.report.history import read_history
from committee.report.kernels import OUTCOMES, kernel_views
from committee.report.page import render
from committee.report.phrases import Phrase
from ledger.entries import KernelPatch, KernelVerdict, WrongArm
from ledger.store import Ledger
from tests.committee.measure.test_kernel_bench import a_run


def test_runs_of_the_bench_stand_apart_with_their_rows(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        blob = ledger.put_blob(b"[]", "application/json")
        patch = KernelPatch(arm_name="by_rows", source_of="plain", hypothesis="h", change="b" * 64, person="Ada <b>")
        wrong = (WrongArm(arm_name="stale", expected="stale", found="stale"),)
        run = a_run(blob).model_copy(update={"patches": (patch,), "wrong": wrong})
        timed = KernelVerdict(
            run=run.run, task="t", task_sha256="a" * 64, device="a processor", arm_name="vectors", family="",
            baseline="plain", shape="large", mode="cold", validity="VALID", reason="", speed="FASTER", time_us=12.5,
            estimate_pct=40.0, low_pct=35.0, high_pct=45.0, smallest_effect_pct=10, blocks=5, more_blocks=None,
            report=blob,
        )  # fmt: skip
        nothing = dict.fromkeys(("speed", "time_us", "estimate_pct", "low_pct", "high_pct"))
        caught = timed.model_copy(
            update={
                **nothing,
                "arm_name": "by_rows",
                "mode": "",
                "validity": "INVALID",
                "reason": "no_op: it wrote none",
            }
        )
        ledger.append_all((run, caught, timed))
        history = read_history(ledger)
    (view,) = kernel_views(history)
    assert [(row.verdict.arm_name, row.word, row.change) for row in view.rows] == [
        ("vectors", "FASTER", "+40.0 % [+35.0, +45.0]"),
        ("by_rows", "INVALID", "no number"),
    ]
    page = render(history)
    lines, kernels = page.split('<section id="kernels">')
    assert "vectors" not in lines and "+40.0 % [+35.0, +45.0]" in kernels and "no_op: it wrote none" in kernels
    assert "1 of 1 known-wrong arms were caught." in kernels and "Ada &lt;b&gt; read it" in kernels


def test_every_outcome_has_its_sentence() -> None:
    assert all(Phrase(f"kernel_{outcome}") for outcome in OUTCOMES)
