"""Verdicts of the kernel bench as entries: what is right with its change, what is not with its reason."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from harness.kernels.bench.reasons import Reason
from harness.kernels.bench.results import ArmResult
from harness.kernels.compare import compare
from harness.kernels.verdicts import keep_beside, new_run, record, verdicts_of
from ledger.entries import BlobRef, KernelVerdict
from ledger.store import Ledger
from tests.harness.kernels.test_compare import BOTH, PLAN, report_of

RUN = "kernel-20261129-120000-abc123"
KEPT = BlobRef(sha256="a" * 64, size=2, media_type="application/json")
PLAIN = ArmResult("plain", "", "", "", "", "", True)
STALE = ArmResult("lazy", "dp4a", "", Reason.STALE.value, "it wrote once", "small", True)
REPORT = replace(
    report_of({**BOTH, ("arm", "vectors"): 5.0}), arms=[PLAIN, STALE], sha256="b" * 64, device={"name": "a card"}
)
ROWS = compare(REPORT, PLAN)


def test_a_timed_arm_has_its_change_and_a_wrong_one_its_reason() -> None:
    wrong, timed = verdicts_of(RUN, REPORT, ROWS, PLAN, KEPT)
    assert (timed.arm_name, timed.validity, timed.speed, timed.mode) == ("vectors", "VALID", "FASTER", "warm")
    assert timed.low_pct is not None
    assert timed.low_pct > 90
    assert (timed.device, timed.baseline, timed.blocks) == ("a card", "plain", 6)
    assert (wrong.arm_name, wrong.validity, wrong.reason) == ("lazy", "INVALID", "stale: it wrote once")
    assert (wrong.speed, wrong.time_us, wrong.shape) == (None, None, "small")


def test_a_task_that_judges_nothing_gives_no_number_to_any_arm() -> None:
    (plain, lazy) = verdicts_of(RUN, replace(REPORT, fault="all zeros", slots=[]), (), PLAN, KEPT)
    assert {plain.validity, lazy.validity} == {"INPUT_WRONG"}
    assert plain.reason == "input_wrong: all zeros"


def test_a_comparison_that_its_placebo_voids_is_invalid() -> None:
    apart = report_of({("baseline", "plain"): 10.0, ("placebo", "plain"): 14.0, ("arm", "vectors"): 5.0})
    (void,) = verdicts_of(RUN, replace(apart, arms=[PLAIN], sha256="b" * 64), compare(apart, PLAN), PLAN, KEPT)
    assert (void.validity, void.speed, void.reason) == ("INVALID", None, "placebo_differs")


def test_they_are_recorded_with_the_whole_report(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        verdicts = record(ledger, RUN, REPORT, ROWS, PLAN)
        assert [payload for _, payload in ledger.of(KernelVerdict, run=RUN)] == list(verdicts)
        assert json.loads(ledger.read_blob(verdicts[0].report.sha256))["task"] == "saxpy_c"


def test_without_a_workspace_they_are_kept_beside_the_task(tmp_path: Path) -> None:
    run = new_run(datetime(2026, 11, 29, 12, tzinfo=UTC))
    assert run.startswith("kernel-20261129-120000-")
    file = keep_beside(tmp_path, run, REPORT, ROWS, PLAN)
    value = json.loads(file.read_text(encoding="utf-8"))
    assert (file.parent.name, value["report"]["seed"]) == ("results", REPORT.seed)
    assert [one["arm_name"] for one in value["verdicts"]] == ["lazy", "vectors"]
