"""The bench end to end on this processor: right arms are right, every cheat of the example is caught."""

import socket
from pathlib import Path

import pytest

from harness.kernels.bench.reasons import Reason
from harness.kernels.bench.results import ArmResult, Report
from harness.kernels.confine import Way, best_way
from harness.kernels.folder import read_folder
from harness.kernels.pack import pack
from harness.kernels.run import Asked, run_pack
from tests.harness.kernels.tasks import SAXPY, copied

QUICK = (
    ("task.toml", "wall_s = 4", "wall_s = 8"),
    ("task.toml", "smallest_effect_pct = 10", "smallest_effect_pct = 10\nseconds = 0.02\nblocks = 2"),
)
SEED = 11


def ran(folder: Path, into: Path, asked: Asked) -> Report:
    """Pack and run."""
    return run_pack(pack(read_folder(folder), into), asked)


@pytest.fixture(scope="module")
def caught(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ArmResult]:
    """One run of every known-wrong arm."""
    into = tmp_path_factory.mktemp("cheats")
    report = ran(SAXPY, into / "pack", Asked(wrong=True, seed=SEED))
    assert report.fault == ""
    return {arm.arm: arm for arm in report.arms}


WRONG = {arm.name: arm.arm.reason for arm in read_folder(SAXPY).arms if arm.wrong}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_every_cheat_is_caught_with_its_own_reason(caught: dict[str, ArmResult], name: str) -> None:
    assert caught[name].reason == WRONG[name], caught[name].detail
    assert caught[name].detail


def test_the_baseline_was_right_beside_them(caught: dict[str, ArmResult]) -> None:
    plain = caught["plain"]
    assert plain.reason == ""
    assert plain.deterministic is True
    assert 0 < max(near.norm for near in plain.near["cached"]) < 1e-7


def test_what_is_said_names_places_and_bytes(caught: dict[str, ArmResult]) -> None:
    assert caught["past_the_end"].detail == "it wrote 1 bytes past the end of 'out'"
    assert caught["half_of_the_batch"].detail == "2002 of 3003 elements of 'out' were not written to"
    assert caught["one_wrong_sign"].detail.startswith("out[2, 1000] is ")
    assert caught["changes_input"].detail == "it wrote to input 'x'"
    assert caught["crash"].detail == "its process ended with SIGSEGV"
    assert caught["hang"].detail == "no answer within 4 s; its process was ended"
    assert caught["wrong_header"].detail.startswith("wrong/wrong_header.c:2: 'rows.h' is not in the folder")


def test_every_kind_of_cheat_is_among_them() -> None:
    kinds = {
        *(Reason.NO_OP, Reason.STALE, Reason.NOT_FINITE, Reason.MEMO_POINTER, Reason.MEMO_CONTENTS),
        *(Reason.INCOMPLETE, Reason.DEFERRED, Reason.OUT_OF_BOUNDS, Reason.FORGED_VERDICT, Reason.HUNG),
        *(Reason.CRASHED, Reason.OUT_OF_MEMORY, Reason.INPUT_CHANGED, Reason.IMPOSSIBLE_SPEED),
        *(Reason.WRONG_AFTER_TIMING, Reason.HEADER_MISSING, Reason.SIGNATURE_CHANGED, Reason.INTRINSIC_MISSING),
        Reason.WRONG_VALUES,
    }
    assert {reason.value for reason in kinds} == set(WRONG.values())


@pytest.mark.system
def test_right_arms_are_timed_in_blocks(tmp_path: Path) -> None:
    report = ran(copied(tmp_path, *QUICK), tmp_path / "pack", Asked(time=True, seed=SEED))
    assert [(arm.arm, arm.reason) for arm in report.arms] == [("plain", ""), ("vectors", "")]
    blocks = [[slot.role for slot in report.slots if slot.block == block] for block in (0, 1)]
    assert [sorted(block) for block in blocks] == [["arm", "baseline", "placebo"]] * 2
    for slot in report.slots:
        assert slot.reason == "", slot.detail
        assert [(number.shape, number.mode) for number in slot.numbers] == [("cached", "warm"), ("cached", "cold")]
        assert all(100 < number.median_ns < 1e8 for number in slot.numbers)
    assert report.seed == SEED
    assert report.facts_before["processor"]


HEAVY = """#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float *seen[16], *kept[16];

void saxpy_rows(float *out, const float *a, const float *x, const float *y, int32_t rows, int32_t n)
{
    size_t bytes = sizeof(float) * (size_t)rows * (size_t)n;
    for (int k = 0; k < 16 && seen[k]; k++)
        if (memcmp(seen[k], x, bytes) == 0 && memcmp(seen[k] + (size_t)rows * n, y, bytes) == 0) {
            memcpy(out, kept[k], bytes);
            return;
        }
    volatile float wait = 0;
    for (int32_t i = 0; i < 300000; i++)
        wait += 1;
    for (int32_t row = 0; row < rows; row++)
        for (int32_t i = 0; i < n; i++)
            out[(int64_t)row * n + i] = a[row] * x[(int64_t)row * n + i] + y[(int64_t)row * n + i];
    for (int k = 0; k < 16; k++)
        if (seen[k] == 0) {
            kept[k] = memcpy(malloc(bytes), out, bytes);
            seen[k] = memcpy(malloc(2 * bytes), x, bytes);
            memcpy(seen[k] + (size_t)rows * n, y, bytes);
            return;
        }
}
"""


def test_a_memory_of_whole_contents_is_caught_by_contents_never_seen(tmp_path: Path) -> None:
    folder = copied(tmp_path, *QUICK)
    (folder / "arms" / "heavy.c").write_text(HEAVY, encoding="utf-8")
    report = ran(folder, tmp_path / "pack", Asked(("heavy",), seed=SEED))
    (heavy,) = [arm for arm in report.arms if arm.arm == "heavy"]
    assert heavy.reason == Reason.MEMO_CONTENTS
    assert heavy.detail.startswith("contents it has not seen before take ")


def test_a_reference_that_its_baseline_denies_is_the_tasks_fault(tmp_path: Path) -> None:
    folder = copied(tmp_path, ("reference.py", "* x + y", "* x - y"))
    report = ran(folder, tmp_path / "pack", Asked(seed=SEED))
    assert report.fault.startswith("baseline 'plain' and reference do not agree, so one of them is wrong")
    assert report.slots == []


def test_a_cost_that_no_machine_can_pay_makes_every_time_impossible(tmp_path: Path) -> None:
    folder = copied(tmp_path, *QUICK, ("task.toml", "4 * (3 * rows * n + rows)", "4000000 * rows * n"))
    report = ran(folder, tmp_path / "pack", Asked(("plain",), seed=SEED))
    assert [arm.reason for arm in report.arms] == [Reason.IMPOSSIBLE_SPEED]


CONNECTS = """
static int reaches(unsigned short port)
{
#ifdef __aarch64__
    enum { SOCKET = 198, CONNECT = 203 };
#else
    enum { SOCKET = 41, CONNECT = 42 };
#endif
    struct { unsigned short family, port; unsigned address; char rest[8]; } to = {2, port, 0x0100007f, ""};
    return syscall(CONNECT, syscall(SOCKET, 2, 1, 0), &to, sizeof to) == 0;
}
"""


def test_an_arm_sees_no_file_of_ours_has_no_network_and_is_nobody(tmp_path: Path) -> None:
    """Where bubblewrap is missing, the network alone is taken away: files can be read, by the same account."""
    secret = tmp_path / "secret"
    secret.write_text("x", encoding="utf-8")
    sees = f'fopen("{secret}", "r") ? 4 : geteuid() == 0 ? 5 : fopen("/etc/shadow", "r") ? 6 : '
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = socket.htons(listening.getsockname()[1])
        socket.create_connection(listening.getsockname(), timeout=5).close()  # from here it can be reached
        text = (
            "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
            f"long syscall(long, ...);\n{CONNECTS}"
            "void saxpy_rows(float *out, const float *a, const float *x, const float *y, int32_t rows, int32_t n)\n"
            f"{{ exit({sees if best_way() is Way.BWRAP else ''}reaches({port}) ? 7 : 3); }}\n"
        )
        folder = copied(tmp_path)
        (folder / "arms" / "plain.c").write_text(text, encoding="utf-8")
        report = ran(folder, tmp_path / "pack", Asked(("plain",), seed=SEED))
    assert report.arms[0].detail == "its process ended with status 3"
