"""Every refusal has one mutation that makes its test fail; the list fits the code, and the page fits the list."""

from pathlib import Path

import pytest

from tests.mutations.mutate import run
from tests.mutations.page import PAGE, page
from tests.mutations.refusals import Refusal, faults, mutated, read_refusals

REFUSALS = read_refusals()
GOOD = Refusal("a", "s", "x.py", "if bad:", "if False:", "tests/test_x.py::test_it")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree of one source file and one test."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "x.py").write_text("if bad:\n    pass\n")
    (tmp_path / "tests" / "test_x.py").write_text("def test_it() -> None: ...\n")
    return tmp_path


def test_every_text_stands_once_and_every_test_is_there() -> None:
    assert faults(REFUSALS) == ()
    assert len(REFUSALS) >= 100


def test_the_page_is_not_stale() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.mutations.page` and commit"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"find": "if good:"}, "stands 0 times"),
        ({"find": "a"}, "stands 2 times"),
        ({"file": "gone.py"}, "No such file"),
        ({"replace": "if (:"}, "invalid syntax"),
        ({"replace": "if bad:"}, "changes nothing"),
        ({"test": "tests/test_y.py::test_it"}, "test_y.py does not exist"),
        ({"test": "tests/test_x.py::test_other[1]"}, "has no test_other"),
    ],
)
def test_a_wrong_list_is_told(tree: Path, changed: dict[str, str], words: str) -> None:
    assert faults((GOOD,), tree) == ()
    (said,) = faults((Refusal(**(vars(GOOD) | changed)),), tree)
    assert words in said
    assert faults((GOOD, GOOD), tree) == ("a: stands twice",)


def test_a_mutation_changes_one_place() -> None:
    assert mutated("if bad:\n    pass\n", GOOD) == "if False:\n    pass\n"
    assert Refusal(**(vars(GOOD) | {"test": "tests/t.py -k 'a or b'"})).arguments == ("tests/t.py", "-k", "'a or b'")


@pytest.mark.mutations
def test_no_mutation_survives() -> None:
    results = list(run(REFUSALS))
    assert [result for result in results if not result.good] == []
    assert len({result.id for result in results}) == len(REFUSALS) + 1
