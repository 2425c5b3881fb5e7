"""Reading a task folder: what it holds, and one sentence for what is wrong with it."""

from pathlib import Path

import pytest

from harness.kernels.folder import read_folder
from harness.vocabulary.base import BadFileError
from tests.harness.kernels.tasks import SAXPY, SAXPY_CUDA, copied, planned


def test_the_example_is_read_whole() -> None:
    folder = read_folder(SAXPY)
    right = [arm.name for arm in folder.arms if not arm.wrong]
    assert right == ["plain", "vectors"]
    reasons = {arm.name: arm.arm.reason for arm in folder.arms if arm.wrong}
    assert reasons["later_thread"] == "deferred"
    assert reasons["already_there"] == "impossible_speed"
    assert "arms/plain.c" in folder.files
    assert "inputs.py" not in folder.files  # only what compilers may read


def test_every_formula_is_worked_out_for_the_runner() -> None:
    plan = planned(SAXPY)
    shape = plan.shape("odd")
    assert shape.extents == {"out": [3, 1001], "a": [3], "x": [3, 1001], "y": [3, 1001]}
    assert shape.scalars == {"rows": 3, "n": 1001}
    assert shape.bytes == 4 * (3 * 3003 + 3)
    assert shape.operations == 6006
    assert plan.arm("plain").calls["odd"][0].arguments == ["out", "a", "x", "y", "rows", "n"]


def test_a_changed_source_is_another_task(tmp_path: Path) -> None:
    folder = copied(tmp_path, ("arms/plain.c", "row++", "++row"))
    again = copied(tmp_path / "again")
    assert read_folder(folder).sha256 != read_folder(again).sha256


FAULTS = [
    (("task.toml", 'baseline = "plain"', 'baseline = "fast"'), "baseline 'fast' is no arm"),
    (("task.toml", 'language = "c"', 'language = "cuda"'), "architectures are named"),
    (("task.toml", 'role = "output"', 'role = "scratch"'), "no argument has the role 'output'"),
    (("task.toml", 'shape = ["rows", "n"]', 'shape = ["rows", "q"]'), "'q' is no name of the shape"),
    (("task.toml", 'value = "n"', 'value = "n"\nshape = ["n"]'), "a scalar has a value and no shape"),
    (("task.toml", "norm = 1e-7", "norm = -1"), "must be at least 0"),
    (("task.toml", 'name = "a"', 'name = "x"'), "two arguments have one name"),
    (("task.toml", "bytes = ", "byte = "), "'cost.byte': unknown key"),
    (("task.toml", 'title = "', 'titel = "'), "titel"),
]


@pytest.mark.parametrize(("change", "said"), FAULTS)
def test_a_fault_of_the_task_is_one_sentence(tmp_path: Path, change: tuple[str, str, str], said: str) -> None:
    folder = copied(tmp_path, change)
    with pytest.raises(BadFileError) as refused:
        read_folder(folder)
    assert said in str(refused.value)


EARLY = '[[step]]\nentry = "f"\narguments = ["x"]\n[[step]]\nentry = "f"\narguments = ["x"]\noverlaps = true'
BETWEEN = EARLY.replace("\n[[step]]", '\n[[step]]\nentry = "f"\narguments = ["x"]\nside_stream = true\n[[step]]')
ARM_FAULTS = [
    ("arms/plain.toml", 'reason = "no_op"', "only arms in wrong/ name a reason"),
    ("arms/plain.toml", 'source = "../x.c"', "does not exist; it lies beside the arm's file"),
    ("arms/plain.toml", '[[step]]\nentry = "f"\narguments = ["z"]', "'z' is no argument of the task"),
    ("arms/plain.toml", '[[step]]\narguments = ["x"]', "a step names an entry or a library call"),
    ("arms/plain.toml", '[[step]]\nlibrary = "gemm_f16"\narguments = ["x"]', "belong to language"),
    ("arms/plain.toml", EARLY, "overlaps belong to language"),
    ("arms/plain.toml", EARLY + "\nside_stream = true", "overlaps is for an entry on the usual stream"),
    ("arms/plain.toml", EARLY.partition("\n[[step]]")[2].join(("[[step]]", "")), "would overlap the call before"),
    (
        "arms/plain.toml",
        EARLY.replace("\n[[step]]", "\nside_stream = true\n[[step]]"),
        "step 2 overlaps a step that is not",
    ),
    ("arms/plain.toml", BETWEEN, "step 3 overlaps a step that is not directly before it on the usual stream"),
    ("arms/Fast.c", "", "is no name of an arm"),
    ("wrong/plain.c", "", "reason '' is none of"),
    ("wrong/odd.toml", 'reason = "lazy"\nsource = "odd.c"', "does not exist"),
]


@pytest.mark.parametrize(("file", "text", "said"), ARM_FAULTS)
def test_a_fault_of_an_arm_is_one_sentence(tmp_path: Path, file: str, text: str, said: str) -> None:
    folder = copied(tmp_path)
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(BadFileError) as refused:
        read_folder(folder)
    assert said in str(refused.value)


def test_a_folder_without_a_task_names_those_that_there_are(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / "kernels" / name).mkdir(parents=True)
        (tmp_path / "kernels" / name / "task.toml").touch()
    there = f"in '{tmp_path / 'kernels'}' there are: a, b"
    for wrong in ("kernels/saxpy", "kernels"):
        with pytest.raises(BadFileError, match=f"'{tmp_path / wrong}' holds no task.toml, so .*; {there}"):
            read_folder(tmp_path / wrong)
    with pytest.raises(BadFileError, match="a clone of Committee has examples in kernels/"):
        read_folder(tmp_path / "nowhere" / "at-all")


def test_a_launch_may_overlap_only_where_the_architecture_knows_how(tmp_path: Path) -> None:
    folder = copied(tmp_path, task=SAXPY_CUDA)
    settings = folder / "arms" / "plain.toml"
    settings.write_text('architectures = ["sm_70", "sm_90"]\n' + EARLY, encoding="utf-8")
    with pytest.raises(BadFileError, match="overlaps needs sm_90 or later, and the arm is built for sm_70"):
        read_folder(folder)
    settings.write_text('architectures = ["sm_90a"]\n' + EARLY, encoding="utf-8")
    calls = planned(folder).arm("plain").calls
    assert {tuple(call.overlaps for call in listed) for listed in calls.values()} == {(False, True)}


def test_two_arms_of_one_name_are_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "wrong").mkdir()
    (folder / "wrong" / "plain.c").touch()
    (folder / "wrong" / "plain.toml").write_text('reason = "no_op"', encoding="utf-8")
    with pytest.raises(BadFileError, match="two arms are called 'plain'"):
        read_folder(folder)


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (tmp_path / "secret.h").write_text("secret", encoding="utf-8")
    (folder / "arms" / "rows.h").symlink_to(tmp_path / "secret.h")
    with pytest.raises(BadFileError, match="leads out of the task folder"):
        read_folder(folder)


def test_a_missing_reference_is_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "reference.py").unlink()
    with pytest.raises(BadFileError, match=r"needs inputs\.py and reference\.py"):
        read_folder(folder)


def test_arms_may_share_a_source(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    for width in (2, 4):
        (folder / "arms" / f"wide{width}.toml").write_text(
            f'source = "vectors.c"\nflags = ["-DWIDTH={width}"]\napplies = "rows >= {width}"', encoding="utf-8"
        )
    read = read_folder(folder)
    assert [arm.name for arm in read.arms] == ["plain", "wide2", "wide4"]  # the shared source is no arm of its own
    plan = planned(folder)
    assert list(plan.arm("wide4").calls) == ["cached"]  # 3 rows are too few for it
    assert list(plan.arm("wide2").calls) == ["odd", "cached"]
