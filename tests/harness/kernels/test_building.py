"""What is asked of a built arm: the 48 KiB rule, and a cubin that takes what it will be called with."""

import shutil
from pathlib import Path

import pytest

from harness.kernels.bench.reasons import Reason
from harness.kernels.building import KernelFacts, too_much
from harness.kernels.compile_cuda import CudaJob, signature_fault
from harness.kernels.cubin import kernels_of
from harness.kernels.folder import ArmSource, read_folder
from harness.kernels.resources import Resources
from harness.kernels.task import KernelArm
from tests.harness.kernels.tasks import SAXPY_CUDA, copied

CUBIN = Path(__file__).parent / "saxpy_sm_70.cubin"  # kernels/saxpy_cuda/arms/plain.cu, by NVRTC of CUDA 12.9


def facts(static: int, dynamic: int) -> tuple[KernelFacts, ...]:
    """One kernel that asks for shared memory."""
    return (KernelFacts("f", Resources(32, static, 0, 0, 0, 0), dynamic, 128, None),)


def test_more_than_48_kib_of_shared_memory_has_to_be_said() -> None:
    silent = ArmSource("a", False, KernelArm(), "arms/a.cu")
    said = ArmSource("a", False, KernelArm(large_shared=True), "arms/a.cu")
    assert too_much(silent, facts(16384, 32768)) is None
    found = too_much(silent, facts(16384, 32769))
    assert found is not None
    assert found.reason is Reason.SHARED_OVER_48_KIB
    assert "49153 bytes" in found.sentence
    assert too_much(said, facts(16384, 32769)) is None


def test_a_cubin_says_what_its_kernels_take() -> None:
    (kernel,) = kernels_of(CUBIN.read_bytes())
    assert (kernel.name, kernel.parameter_bytes) == ("saxpy_rows", (8, 8, 8, 8, 4, 4))


CHANGES = [
    (("task.toml", 'name = "n"\nrole = "scalar"\ndtype = "int32"', 'name = "n"\nrole = "scalar"\ndtype = "int64"'),
     Reason.SIGNATURE_CHANGED, "[8, 8, 8, 8, 4, 8]"),
    (("task.toml", 'entry = "saxpy_rows"', 'entry = "saxpy"'), Reason.ENTRY_MISSING, "no kernel 'saxpy'"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "reason", "said"), CHANGES)
def test_a_call_that_does_not_fit_is_told(
    tmp_path: Path, change: tuple[str, str, str], reason: Reason, said: str
) -> None:
    folder = read_folder(copied(tmp_path, change, task=SAXPY_CUDA))
    (plain,) = [arm for arm in folder.arms if arm.name == "plain"]
    output = tmp_path / "sm_70.cubin"
    shutil.copy(CUBIN, output)
    fault = signature_fault(folder, CudaJob(plain, "sm_70", output))
    assert fault is not None
    assert fault.reason is reason
    assert said in fault.sentence


def test_a_call_that_fits_is_no_fault(tmp_path: Path) -> None:
    folder = read_folder(copied(tmp_path, task=SAXPY_CUDA))
    (plain,) = [arm for arm in folder.arms if arm.name == "plain"]
    output = tmp_path / "sm_70.cubin"
    shutil.copy(CUBIN, output)
    assert signature_fault(folder, CudaJob(plain, "sm_70", output)) is None
