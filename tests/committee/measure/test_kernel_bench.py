"""What the bench says of a run: wrong arms that passed void it, and without a card it says what was compiled."""

from pathlib import Path

import pytest

from committee.accept.on_bench import only_on_bench
from committee.measure.kernel_bench import Benched, BenchOrder, compiled_words, not_caught, take_in
from committee.measure.kernel_elsewhere import read_reports
from committee.measure.kernel_task import KernelTask
from harness.kernels.bench.reasons import Reason
from harness.kernels.bench.results import ArmResult, Number, Report, SlotResult
from harness.kernels.building import BuiltArm, BuiltFor, KernelFacts
from harness.kernels.diagnose import Diagnosis
from harness.kernels.folder import ArmSource, read_folder
from harness.kernels.resources import Resources
from harness.kernels.task import KernelArm
from harness.vocabulary.base import BadFileError
from ledger.entries import BlobRef, KernelRun, WrongArm
from ledger.store import Ledger
from tests.harness.kernels.tasks import SAXPY, copied


def wrong(found: str) -> WrongArm:
    return WrongArm(arm_name="stale", expected="stale", found=found)


def test_a_wrong_arm_that_passed_or_was_caught_for_another_reason_is_named() -> None:
    assert not_caught((wrong("stale"),)) == ""
    assert "1 known-wrong arms were not caught" in not_caught((wrong(""),))
    assert "stale (right instead of stale)" in not_caught((wrong(""), wrong("stale")))
    assert "stale (no_op instead of stale)" in not_caught((wrong("no_op"),))


def built(name: str, registers: int, *, wrong: bool = False, refused: Diagnosis | None = None) -> BuiltArm:
    facts = KernelFacts("k", Resources(registers, 0, 0, 8 if registers > 100 else 0, 0, 0), 0, 128, None)
    part = BuiltFor("sm_70", "" if refused else "k.cubin", refused, () if refused else (facts,))
    return BuiltArm(ArmSource(name, wrong, KernelArm(), f"arms/{name}.cu"), (part,))


def test_what_was_compiled_is_said_with_registers_spills_and_what_was_refused() -> None:
    arms = (built("a", 40), built("b", 168), built("c", 250, wrong=True))
    assert compiled_words(arms) == "compiled for sm_70 (40 to 168 registers, 1 spilling)"
    refused = Diagnosis(Reason.COMPILE_ERROR, "line 3: no such type")
    assert compiled_words((built("a", 40), built("d", 0, refused=refused))) == (
        "compiled for sm_70 (40 to 40 registers); 1 of 2 arms did not compile (d: line 3: no such type)"
    )


def test_an_arm_of_the_kernel_bench_alone_is_not_accepted(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        blob = ledger.put_blob(b"[]", "application/json")
        ledger.append_all((a_run(blob),))
        said = only_on_bench(ledger, "0001-quick", "vectors")
        assert said is not None and "a faster kernel is not yet a faster server" in said
        assert only_on_bench(ledger, "0001-quick", "other") is None
        assert only_on_bench(ledger, "0002-other", "vectors") is None


def a_run(blob: BlobRef) -> KernelRun:
    return KernelRun(
        run="kernel-000001", proposal="0001-quick", tree="1" * 40, review_run=None, task="t", task_sha256="a" * 64,
        carried=True, device="a processor", outcome="measured", detail="d", arms=("plain", "vectors"), patches=(),
        wrong=(), compiled=blob,
    )  # fmt: skip


def report(sha256: str, *, wrong: bool = False, caught: bool = True, slots: bool = False) -> Report:
    """A report of the runner: of the known-wrong arms, or with times of `vectors` beside the baseline in two blocks."""
    arms = [ArmResult("no_op", "", "no_op", "no_op" if caught else "", "", "", None)] if wrong else []
    numbers = [Number("cached", "warm", 10_000, 9_900, 10_100, 50)]
    faster = [Number("cached", "warm", 5_000, 4_900, 5_100, 50)]
    named = (("baseline", "plain", numbers), ("placebo", "plain", numbers), ("arm", "vectors", faster))
    timed = [SlotResult(block, n, *one) for block in range(3) for n, one in enumerate(named)] if slots else []
    facts = {"processor": "another machine"}
    return Report(1, "saxpy_c", sha256, "c", 1, "", facts, facts, {}, {}, arms, timed, 1.0)


def taken(folder: Path, *reports: Report) -> Benched:
    files = [folder / f"{number}.json" for number in range(len(reports))]
    for file, one in zip(files, reports, strict=True):
        file.write_text(one.to_json())
    task = KernelTask(read_folder(folder / "saxpy_c"), carried=False, shown="kernels/saxpy_c")
    order = BenchOrder("kernel-000002", "0001-quick", "1" * 40, None, task, (), ())
    with Ledger.open(folder / "records.db", actor="test", create=True) as ledger:
        return take_in(ledger, order, files)


def with_one_cheat(folder: Path) -> str:
    """A copy of the small task with one known-wrong arm; its hash."""
    task = copied(folder)
    (task / "wrong").mkdir()
    for ending in ("c", "toml"):
        (task / "wrong" / f"no_op.{ending}").write_bytes((SAXPY / "wrong" / f"no_op.{ending}").read_bytes())
    return read_folder(task).sha256


def test_reports_of_another_machine_are_judged_as_if_they_were_of_this_one(tmp_path: Path) -> None:
    sha256 = with_one_cheat(tmp_path)
    found = taken(tmp_path, report(sha256, slots=True), report(sha256, wrong=True))
    assert (found.run.outcome, found.run.device) == ("measured", "another machine")
    assert found.run.detail.endswith("run on another machine, its reports were brought here")
    assert [(one.arm_name, one.speed, round(one.estimate_pct or 0)) for one in found.verdicts] == [
        ("vectors", "FASTER", 100)
    ]
    void = taken(tmp_path, report(sha256, slots=True), report(sha256, wrong=True, caught=False))
    assert (void.run.outcome, void.verdicts) == ("void", ())


def test_reports_that_show_nothing_about_the_task_are_refused(tmp_path: Path) -> None:
    sha256 = with_one_cheat(tmp_path)
    for reports, words in (
        ((report("b" * 64, slots=True),), "in another state"),
        ((report(sha256, slots=True),), "no report tried the known-wrong arm 'no_op'"),
        ((report(sha256, wrong=True),), "0 of 1 reports hold times"),
    ):
        with pytest.raises(BadFileError, match=words):
            taken(tmp_path, *reports)
    (tmp_path / "bad.json").write_text("[1]")
    with pytest.raises(BadFileError, match="cannot be read as a report of the runner"):
        read_reports([tmp_path / "bad.json"], read_folder(tmp_path / "saxpy_c"))
