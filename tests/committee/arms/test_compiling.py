"""Patched kernels are really compiled for the target's architecture, and a control says whose fault a failure is."""

import sys
from pathlib import Path

import pytest

from committee.arms.admit import admitted
from committee.arms.compiling import NO_COMPILER, compiled
from tests.committee.arms.sample import BROKEN, KERNEL, SOURCE, arm, fetched, listing


@pytest.mark.system
def test_a_patch_that_compiles_and_one_that_does_not() -> None:
    target = listing(architectures=["sm_70"])
    good, bad = admitted(arm(), target, fetched()), admitted(arm(BROKEN), target, fetched())
    assert good.arm is not None and good.patch is not None
    assert good.patch.compiled == f"{KERNEL} for sm_70"
    assert bad.arm is None and bad.patch is not None and bad.patch.launched is None
    assert 'identifier "y" is undefined' in str(bad.not_runnable)
    assert str(bad.not_runnable).startswith(f"the patch does not compile: {KERNEL} for sm_70: ")


@pytest.mark.system
def test_where_the_unpatched_source_does_not_compile_either_the_patch_is_not_blamed() -> None:
    before = {KERNEL: SOURCE.replace(b"float *x", b"wrong_t *x")}
    found = compiled(before, before, ["sm_70"], [])
    assert (found.failed, found.words) == (
        False,
        f"not checked: {KERNEL} does not compile for sm_70 without the patch either",
    )


@pytest.mark.system
def test_without_a_compiler_nothing_is_known_and_the_arm_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", str(Path(sys.base_prefix) / "bin" / "python3"))  # it has no cuda-core
    found = admitted(arm(), listing(architectures=["sm_70"]), fetched())
    assert found.arm is not None and found.patch is not None
    assert found.patch.compiled == NO_COMPILER == "not checked: no compiler installed"


@pytest.mark.parametrize(
    ("files", "architectures", "words"),
    [
        ({"kernel/a.py": b""}, ["sm_70"], "not checked: no .cu file"),
        ({KERNEL: SOURCE}, [], "not checked: the target's file names no architectures"),
    ],
)
def test_what_cannot_be_compiled_is_said(files: dict[str, bytes], architectures: list[str], words: str) -> None:
    found = compiled(files, files, architectures, [])
    assert not found.failed and found.words.startswith(words)


@pytest.mark.system
def test_only_what_the_patch_can_have_changed_is_compiled() -> None:
    other = SOURCE.replace(b"scale", b"other")
    files = {KERNEL: SOURCE, "kernel/other.cu": b'#include "size.cuh"\n' + other, "kernel/size.cuh": b"// 1\n"}
    one = compiled(files, {**files, KERNEL: SOURCE.replace(b"2.0f", b"3.0f")}, ["sm_70"], [])
    assert one.words == f"{KERNEL} for sm_70"
    header = compiled(files, {**files, "kernel/size.cuh": b"#define SIZE 2\n"}, ["sm_70"], [])
    assert header.words == f"kernel/other.cu for sm_70; {KERNEL} for sm_70"
