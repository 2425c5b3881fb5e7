"""Arms for a card, compiled on a machine that has none: resources, reasons, and a pack that runs where the card is.

Needs the extra `kernels` (NVRTC of CUDA 12.9 and cuda-core), so it is a system test.
"""

import time
from pathlib import Path

import pytest

from harness.kernels.bench.plan import read_plan
from harness.kernels.bench.reasons import Reason
from harness.kernels.building import BuiltArm, build
from harness.kernels.confine import Way, best_way
from harness.kernels.cubin import kernels_of
from harness.kernels.folder import read_folder
from harness.kernels.pack import pack
from harness.kernels.run import Asked, run_pack
from tests.harness.kernels.tasks import SAXPY_CUDA, copied

pytestmark = pytest.mark.system
CHECK_S = 3.0


def built(folder: Path, into: Path) -> dict[str, BuiltArm]:
    """Every arm of a folder."""
    way = best_way()
    assert isinstance(way, Way)
    return {one.arm.name: one for one in build(read_folder(folder), into, way)}


def test_the_example_is_built_for_every_architecture_within_its_time(tmp_path: Path) -> None:
    began = time.monotonic()
    arms = built(SAXPY_CUDA, tmp_path)
    seconds = time.monotonic() - began
    plain = arms["plain"]
    assert [one.architecture for one in plain.built] == ["sm_70", "sm_90"]
    (kernel,) = plain.built[0].kernels
    assert kernel.kernel == "saxpy_rows"
    assert 8 <= kernel.resources.registers <= 32
    assert (kernel.resources.spill_store_bytes, kernel.resources.shared_bytes, kernel.threads) == (0, 0, 256)
    assert kernel.occupancy is not None
    assert kernel.occupancy.share == 1
    assert arms["memo_pointer"].built[0].kernels[0].resources.state_bytes > 4 * 4_194_304  # what it remembers shows
    reasons = {name: one.refused.reason for name, one in arms.items() if one.refused}
    assert reasons == {
        "five_parameters": Reason.SIGNATURE_CHANGED,
        "four_arguments": Reason.SIGNATURE_CHANGED,
        "too_much_shared": Reason.SHARED_OVER_48_KIB,
        "unknown_intrinsic": Reason.INTRINSIC_MISSING,
        "wrong_header": Reason.HEADER_MISSING,
    }
    assert seconds < 4 * CHECK_S  # other tests run beside this one; alone it takes about 2 s


SOURCE, TARGETS = "arms/plain.cu", 'architectures = ["sm_70"'
CHANGES = [
    ((SOURCE, "saxpy_rows", "other"), Reason.ENTRY_MISSING, "no kernel 'saxpy_rows' (there are: other)"),
    ((SOURCE, "int rows, int n", "int rows, long long n"), Reason.SIGNATURE_CHANGED, "[8, 8, 8, 8, 4, 8] bytes"),
    ((SOURCE, "out[i] =", 'asm("cp.async.wait_all;"); out[i] ='), Reason.INTRINSIC_MISSING, "requires .target sm_80"),
    ((SOURCE, "out[i] =", "oops"), Reason.COMPILE_ERROR, 'identifier "oops" is undefined'),
    (("task.toml", TARGETS, f'flags = ["-rdc=true"]\n{TARGETS}'), Reason.COMPILE_ERROR, "'-rdc=true' is not allowed"),
]


@pytest.mark.parametrize(("change", "reason", "said"), CHANGES)
def test_what_cannot_be_built_has_its_reason(
    tmp_path: Path, change: tuple[str, str, str], reason: Reason, said: str
) -> None:
    arm = built(copied(tmp_path, change, task=SAXPY_CUDA), tmp_path)["plain"]
    assert arm.refused is not None
    assert arm.refused.reason is reason
    assert said in arm.refused.sentence


def test_arms_that_share_source_and_flags_are_compiled_once(tmp_path: Path) -> None:
    folder = copied(tmp_path, task=SAXPY_CUDA)
    settings = 'source = "plain.cu"\n[launch]\ngrid = ["ceil_div(rows * n, 128)"]\nblock = [128]\n'
    (folder / "arms" / "narrow.toml").write_text(settings, encoding="utf-8")
    (folder / "arms" / "plain.toml").write_text('summary = "256 threads a block"', encoding="utf-8")
    arms = built(folder, tmp_path)
    cubins = [(tmp_path / arms[name].objects["sm_70"]).read_bytes() for name in ("plain", "narrow")]
    assert cubins[0] == cubins[1]
    assert [arms[name].built[0].kernels[0].threads for name in ("plain", "narrow")] == [256, 128]


def test_half_precision_headers_come_with_the_extra(tmp_path: Path) -> None:
    text = "out[i] = __half2float(__float2half("
    folder = copied(
        tmp_path,
        ("arms/plain.cu", "// One element a thread.", "#include <cuda_fp16.h>\n#include <stdint.h>"),
        ("arms/plain.cu", "out[i] = a[i / n] * x[i] + y[i]", f"{text}a[i / n])) * x[i] + (uint8_t)y[i]"),
        task=SAXPY_CUDA,
    )
    assert built(folder, tmp_path)["plain"].refused is None


def test_a_cubin_says_what_its_kernels_take(tmp_path: Path) -> None:
    arm = built(copied(tmp_path, task=SAXPY_CUDA), tmp_path)["plain"]
    (kernel,) = kernels_of((tmp_path / arm.objects["sm_70"]).read_bytes())
    assert (kernel.name, kernel.parameter_bytes) == ("saxpy_rows", (8, 8, 8, 8, 4, 4))


def test_a_pack_runs_by_itself_and_says_where_there_is_no_card(tmp_path: Path) -> None:
    made = pack(read_folder(copied(tmp_path, task=SAXPY_CUDA)), tmp_path / "pack")
    plan = read_plan(tmp_path / "pack")
    assert plan == made.plan
    assert plan.arm("four_each").calls["large"][0].grid == [64 * 65536 // 1024, 1, 1]
    report = run_pack(made, Asked(seed=1))
    if Path("/dev/nvidiactl").exists():
        assert report.arms[0].reason == ""
    else:
        assert report.arms[0].reason == Reason.LOAD_FAILED
        assert "driver" in report.arms[0].detail


def test_the_task_of_a_new_proposal_passes(tmp_path: Path) -> None:
    template = Path(__file__).resolve().parents[3] / "committee" / "templates" / "kernel" / "kernel"
    arms = built(template, tmp_path)
    assert {name: arm.refused for name, arm in arms.items()} == {"baseline": None, "no_op": None}
