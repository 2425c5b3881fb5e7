"""`harness kernel`: tables, exit codes, and one sentence for what cannot be done."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.app import app
from tests.harness.kernels.tasks import SAXPY, copied

COMMAND = CliRunner()


def test_check_shows_every_arm_and_the_compilers_words(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "wrong").mkdir()
    for name in ("four_arguments.c", "four_arguments.toml", "wrong_header.c", "wrong_header.toml"):
        shutil.copy(SAXPY / "wrong" / name, folder / "wrong")
    done = COMMAND.invoke(app, ["kernel", "check", str(folder)])
    assert done.exit_code == 0, done.output
    assert (
        "four_arguments (c): signature_changed: wrong/four_arguments.c:12:41: error: too many arguments" in done.output
    )
    assert "all as they should be" in done.output
    assert "header_missing (as it must be)" in done.output


def test_check_says_what_the_reference_needs_beyond_numpy(tmp_path: Path) -> None:
    folder = copied(tmp_path, ("reference.py", "import numpy as np", "import numpy as np\nimport no_such_module.part"))
    done = COMMAND.invoke(app, ["kernel", "check", str(folder)])
    assert done.exit_code == 0, done.output
    said = "imports 'no_such_module', which is not installed here: it must be where the task is run"
    assert f"reference.py line 4 {said}" in done.output


def test_check_fails_where_an_arm_cannot_be_built(tmp_path: Path) -> None:
    folder = copied(tmp_path, ("arms/vectors.c", "int32_t n)", "int32_t n, int32_t more)"))
    done = COMMAND.invoke(app, ["kernel", "check", str(folder), "--json"])
    assert done.exit_code == 1
    arms = {arm["name"]: arm["built"][0] for arm in json.loads(done.output)["arms"]}
    assert arms["plain"]["refused"] is None
    assert arms["vectors"]["refused"]["reason"] == "signature_changed"
    assert "too few arguments to function" in arms["vectors"]["refused"]["sentence"]


def test_run_proves_and_says_why_not(tmp_path: Path) -> None:
    folder = copied(tmp_path, ("arms/vectors.c", "a[row] * px[i]", "px[i]"))
    done = COMMAND.invoke(app, ["kernel", "run", str(folder), "--arm", "vectors", "--seed", "1"])
    assert done.exit_code == 1
    assert "vectors at shape 'odd': wrong_values: out[" in done.output
    assert "the reference says" in done.output


def test_a_task_that_judges_nothing_is_said_to_be_wrong(tmp_path: Path) -> None:
    folder = copied(tmp_path, ("reference.py", "* x + y", "* x"))
    done = COMMAND.invoke(app, ["kernel", "run", str(folder)])
    assert done.exit_code == 1
    assert "INPUT_WRONG: the reference at shape 'odd' does not react to input 'y'" in done.output


@pytest.mark.system
def test_compare_gives_a_verdict_and_the_machines_ceilings(tmp_path: Path) -> None:
    folder = copied(tmp_path, ("task.toml", "pct = 10", "pct = 10\nseconds = 0.02\nblocks = 2"))
    done = COMMAND.invoke(app, ["kernel", "compare", str(folder), "--arm", "vectors"])
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines() if line.strip().startswith("cached")]
    assert {(line[1], line[2]) for line in lines} == {(m, a) for m in ("warm", "cold") for a in ("plain", "vectors")}
    assert "ceilings of this run: memory " in done.output
    assert len(list((folder / "results").glob("kernel-*.json"))) == 1
    assert "no workspace holds this task" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["kernel", "run", str(SAXPY), "--arm", "no_op"], "has no arm 'no_op' there; choose from: plain, vectors"),
        (["kernel", "run", str(SAXPY), "--wrong", "--arm", "plain"], "has no arm 'plain' there"),
    ],
)
def test_an_unknown_arm_is_refused(words: list[str], said: str) -> None:
    done = COMMAND.invoke(app, words)
    assert done.exit_code == 2
    assert said in done.output
