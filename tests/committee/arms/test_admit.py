"""What becomes of a patched arm: overlays that the target lists, one fingerprint for one change, the tool's words."""

from importlib.util import find_spec
from typing import Any

import pytest

from committee.arms.admit import admitted, patched
from committee.arms.compiling import NO_COMPILER
from committee.pull.knobs import patchable
from harness.confinement import CannotConfine
from harness.kernels.confine import best_way
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from ledger.canonical import sha256_hex
from tests.committee.arms.sample import COMMENT, KERNEL, ON_HOST, PATCH, SOURCE, STYLED, arm, fetched, listing
from tests.committee.proposals.sample import TARGET, make_target

MADE = SOURCE.replace(b"x[i] = x[i] * 2.0f;", b"x[i] += x[i];")


def test_a_patch_becomes_an_overlay_of_the_file_on_the_host() -> None:
    found = admitted(arm(flags={"n-parallel": 4}), listing(), fetched())
    assert found.not_runnable is None and found.arm is not None and found.patch is not None
    (overlay,) = found.arm.overlay
    assert (overlay.path, overlay.sha256) == (ON_HOST, sha256_hex(MADE))
    assert overlay.source == f"/var/lib/arms/committee/{sha256_hex(MADE)}/scale.cu"
    assert found.arm.is_code and found.arm.flags == {"n-parallel": 4}
    assert found.patch.compiled == "not checked: the target's file names no architectures in [sources]"
    assert patched(arm(), listing(), fetched()) == {KERNEL: MADE}


def test_style_is_not_a_change_and_two_styles_are_one_change() -> None:
    plain, styled = (admitted(arm(patch), listing(), fetched()) for patch in (PATCH, STYLED))
    assert plain.patch and styled.patch and plain.arm and styled.arm
    assert plain.patch.change == styled.patch.change
    assert plain.arm.fingerprint != styled.arm.fingerprint  # what is launched is the very text
    other = admitted(arm(flags={"n-parallel": 4}), listing(), fetched())
    assert other.patch and other.patch.change != plain.patch.change
    nothing = admitted(arm(COMMENT), listing(), fetched())
    assert nothing.not_runnable == "the patch changes nothing but comments and formatting"


@pytest.mark.parametrize(
    ("written", "target", "files", "words"),
    [
        (arm(), make_target(), fetched(), "lists no overlay of a file that was fetched"),
        (arm(), listing(), {KERNEL: SOURCE}, "lists no overlay of a file that was fetched"),
        (arm("no diff"), listing(), fetched(), "is no unified diff"),
        (arm(flags={"host": "0.0.0.0"}), listing(), fetched(), "flag 'host' = '0.0.0.0' is not listed"),
        (arm(env={"LD_PRELOAD": "/x.so"}), listing(), fetched(), "variable 'LD_PRELOAD' = '/x.so' is not listed"),
        (arm(flags={"n-parallel": 99}), listing(), fetched(), "must be between 1 and 8"),
        (arm(witness=[{"source": "log"}]), listing(), fetched(), "a log witness needs a pattern"),
    ],
)
def test_what_is_not_listed_or_does_not_hold_is_kept_with_the_words(
    written: dict[str, Any], target: Target, files: dict[str, bytes], words: str
) -> None:
    found = admitted(written, target, files)
    assert found.arm is None and words in str(found.not_runnable)


def test_an_arm_without_a_patch_goes_the_old_way() -> None:
    found = admitted(arm("", flags={"n-parallel": 4}), Target.model_validate(TARGET), {})
    assert found.arm and found.arm.flags == {"n-parallel": 4} and found.patch is None
    assert admitted(arm("", flags={"host": "x"}), Target.model_validate(TARGET), {}).not_runnable


def test_what_is_no_patch_cannot_be_put_on_a_host() -> None:
    with pytest.raises(BadFileError, match="is no unified diff"):
        patched(arm(""), listing(), fetched())


def compiled_here() -> str:
    """What becomes of a right patch for sm_70 on this machine, by what is installed on it."""
    if isinstance(way := best_way(), CannotConfine):
        return f"not checked, as no compiler can be shut in here: {way.sentence}"
    return f"{KERNEL} for sm_70" if find_spec("cuda") and find_spec("cuda.core") else NO_COMPILER


def test_a_patch_of_a_kernel_task_is_tried_and_sent_to_the_kernel_bench() -> None:
    files = {KERNEL: SOURCE, "kernel/task.toml": b'architectures = ["sm_70"]\nflags = []\n', "arms/x.toml": b""}
    assert patchable(files, make_target()) == (KERNEL,)
    found = admitted(arm(), make_target(), files)
    assert found.arm is None and found.patch is not None and [file.path for file in found.patch.files] == [KERNEL]
    assert "the kernel bench can build and measure it" in str(found.not_runnable)
    assert found.patch.compiled == compiled_here()
    broken = {**files, "kernel/task.toml": b"architectures = "}
    assert "no architectures" in str(admitted(arm(), make_target(), broken).patch)
