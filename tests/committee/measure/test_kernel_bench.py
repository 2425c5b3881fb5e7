"""What the bench says of a run: wrong arms that passed void it, and without a card it says what was compiled."""

from pathlib import Path

from committee.accept.on_bench import only_on_bench
from committee.measure.kernel_bench import compiled_words, not_caught
from harness.kernels.bench.reasons import Reason
from harness.kernels.building import BuiltArm, BuiltFor, KernelFacts
from harness.kernels.diagnose import Diagnosis
from harness.kernels.folder import ArmSource
from harness.kernels.resources import Resources
from harness.kernels.task import KernelArm
from ledger.entries import BlobRef, KernelRun, WrongArm
from ledger.store import Ledger


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
