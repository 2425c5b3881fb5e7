"""What a task needs is read from its imports, nothing of it is run, and what cannot be read is one sentence."""

from pathlib import Path

import pytest

from harness.kernels.needed import Need, needed
from harness.vocabulary.base import BadFileError
from tests.harness.kernels.tasks import ROOT, SAXPY, copied

INPUTS = "def make(sizes, rng):\n    import scipy.stats\n    raise RuntimeError('never run')\n"
REFERENCE = "import os, json\nfrom beside import x\nfrom numpy.typing import NDArray\nreference = x\nimport scipy\n"
BESIDE = "try:\n    from gguf_of_nobody import quants\nexcept ImportError:\n    quants = None\n"


def task(folder: Path, inputs: str = INPUTS, reference: str = REFERENCE) -> Path:
    """A folder with the two files and one that they share."""
    for name, text in (("inputs.py", inputs), ("reference.py", reference), ("beside.py", BESIDE)):
        (folder / name).write_text(text)
    return folder


def test_every_module_beyond_numpy_is_named_once_with_its_place(tmp_path: Path) -> None:
    assert needed(task(tmp_path)) == (
        Need("scipy", "inputs.py", 2, here=True),
        Need("gguf_of_nobody", "beside.py", 2, here=False),
    )


@pytest.mark.parametrize("folder", sorted(path.parent for path in (ROOT / "kernels").glob("*/task.toml")))
def test_the_shipped_tasks_need_numpy_only(folder: Path) -> None:
    assert needed(folder) == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"inputs": "def make(:"}, r"inputs.py' is no Python that can be read: .* \(line 1\); correct it there"),
        ({"inputs": "x = '\0'"}, "inputs.py' is no Python that can be read"),
        ({"reference": "def other(): ..."}, "reference.py' has no function 'reference'; the bench calls it"),
    ],
)
def test_what_the_bench_could_not_call_is_refused(tmp_path: Path, change: dict[str, str], said: str) -> None:
    with pytest.raises(BadFileError, match=said):
        needed(task(tmp_path, **change))


def test_a_copy_of_the_example_is_read(tmp_path: Path) -> None:
    assert needed(copied(tmp_path)) == needed(SAXPY)
