"""Which patches are for the bench, what an approved one becomes, and what none may change."""

import difflib
from collections.abc import Mapping
from pathlib import Path

import pytest

from committee.arms.admit import admitted
from committee.measure.kernel_patches import Around, BenchPatch, as_arms, bench_name, bench_patches, not_read
from committee.measure.kernel_task import KernelTask
from harness.kernels.folder import read_folder
from harness.vocabulary.base import BadFileError
from ledger.entries import Hypothesis, Prediction
from tests.committee.proposals.sample import make_target
from tests.harness.kernels.tasks import SAXPY, copied

PLAIN = "kernel/arms/plain.c"


def task(into: Path, *, carried: bool = True) -> KernelTask:
    folder = copied(into, wrong=True)
    (folder / "unused.h").write_text("#define UNUSED 1\n")
    return KernelTask(read_folder(folder), carried, "kernels/saxpy_c")


def around(into: Path, *, carried: bool = True) -> Around:
    found = task(into, carried=carried)
    files = {f"kernel/{path}": content for path, content in found.folder.files.items()}
    if carried:
        files["kernel/task.toml"] = (SAXPY / "task.toml").read_bytes()
    else:
        files = {"kernel/plain.c": found.folder.files["arms/plain.c"], "kernel/other.c": b"int other;\n"}
        files["proposal.toml"] = b'kind = "kernel"\ntask = "saxpy_c"\n'
    return Around(found, files, make_target())


def told(files: Mapping[str, bytes], path: str, name: str = "Two-Rows", **more: object) -> Hypothesis:
    """A hypothesis whose arm is a patch that adds a line to a file."""
    before = files[path].decode()
    lines = difflib.unified_diff(
        before.splitlines(True), (before + "int added;\n").splitlines(True), f"a/{path}", f"b/{path}"
    )
    written = {"name": name, "patch": "".join(lines), **more}
    found = admitted(written, make_target(), files)
    prediction = Prediction(metric="total_tok_s", load=1, direction="up", low_pct=1, high_pct=2)
    return Hypothesis(
        hypothesis=f"review-000001/first/{name}", run="review-000001", reviewer="first", mechanism="m",
        prediction=prediction, prediction_sha256="a" * 64, falsifier="f", citations=(), arm=written,
        arm_fingerprint=None, not_runnable=found.not_runnable, patch=found.patch,
    )  # fmt: skip


def only(files: Mapping[str, bytes], path: str) -> BenchPatch:
    (found,) = bench_patches([told(files, path)])
    return found


def test_a_name_is_brought_into_the_benchs_spelling() -> None:
    assert [bench_name(name) for name in ("Two-Rows", "8 columns", "", "a" * 50)] == [
        "two_rows", "p_8_columns", "unnamed", "a" * 40,
    ]  # fmt: skip


def test_a_patch_of_a_task_is_the_benchs_unless_it_turns_knobs_too(tmp_path: Path) -> None:
    files = around(tmp_path).files
    assert [one.name for one in bench_patches([told(files, PLAIN)])] == ["two_rows"]
    assert bench_patches([told(files, PLAIN, flags={"token-s": 1})]) == ()
    twice = bench_patches([told(files, PLAIN), told(files, "kernel/arms/vectors.c")])
    assert len({one.name for one in twice}) == 2 and all(one.name.startswith("two_rows_") for one in twice)


def test_an_approved_patch_becomes_an_arm_beside_the_tasks_own(tmp_path: Path) -> None:
    found = around(tmp_path)
    (arm,) = as_arms(only(found.files, PLAIN), "Ada", found, tmp_path / "copy")
    assert (arm.told.arm_name, arm.told.source_of, arm.told.person) == ("two_rows", "plain", "Ada")
    assert (tmp_path / "copy" / "arms" / "plain.c").read_bytes().endswith(b"int added;\n")
    assert not (found.task.folder.path / "arms" / "plain.c").read_bytes().endswith(b"int added;\n")


def test_a_task_of_the_workspace_is_patched_where_the_proposal_carries_the_same_bytes(tmp_path: Path) -> None:
    found = around(tmp_path, carried=False)
    (arm,) = as_arms(only(found.files, "kernel/plain.c"), "Ada", found, tmp_path / "copy")
    assert arm.told.source_of == "plain"
    with pytest.raises(BadFileError, match=r"'kernel/other\.c', which is no file of 'kernels/saxpy_c'"):
        as_arms(only(found.files, "kernel/other.c"), "Ada", found, tmp_path / "other")


def test_what_judges_arms_is_not_a_patchs_to_change(tmp_path: Path) -> None:
    found = around(tmp_path)
    with pytest.raises(BadFileError, match="which judges arms; a patch may change sources of arms only"):
        as_arms(only(found.files, "kernel/wrong/no_op.c"), "Ada", found, tmp_path / "copy")


def test_a_patch_from_which_no_arm_is_built_is_refused(tmp_path: Path) -> None:
    found = around(tmp_path)
    with pytest.raises(BadFileError, match="from which no arm of the task is built"):
        as_arms(only(found.files, "kernel/unused.h"), "Ada", found, tmp_path / "copy")


def test_a_patch_that_nobody_read_is_not_measured(tmp_path: Path) -> None:
    patches = bench_patches([told(around(tmp_path).files, PLAIN)])
    said = not_read(patches, ("plain",), ("two-rows",), "0001-quick")
    assert said is not None and "`committee approve 0001-quick two-rows`" in said
    assert not_read(patches, ("plain", "two_rows"), ("two-rows",), "0001-quick") is None
