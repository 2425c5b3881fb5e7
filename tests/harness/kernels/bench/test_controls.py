"""A task that cannot tell right from wrong is refused before any arm is judged by it: INPUT_WRONG."""

from pathlib import Path

import numpy as np
import pytest

from harness.kernels.bench.controls import negative_controls, task_fault
from harness.kernels.bench.drawing import FIRST, SECOND, Arrays, Source, TaskWrong, alter
from tests.harness.kernels.tasks import SAXPY, copied, unbuilt_pack


def fault_of(folder: Path, into: Path) -> str | None:
    """What the runner says about a task, its first shape."""
    pack, plan = unbuilt_pack(folder, into)
    source, shape = Source(pack, plan, 7), plan.shapes[0]
    return task_fault(plan, shape, source, source.draw(shape, FIRST), source.draw(shape, SECOND))


def test_the_example_task_is_sound(tmp_path: Path) -> None:
    assert fault_of(SAXPY, tmp_path / "pack") is None


def test_every_negative_control_differs_from_the_right_answer(tmp_path: Path) -> None:
    pack, plan = unbuilt_pack(SAXPY, tmp_path / "pack")
    source, shape = Source(pack, plan, 7), plan.shapes[0]
    first, second = source.draw(shape, FIRST), source.draw(shape, SECOND)
    perfect: Arrays = {"out": first.expected["out"].astype(np.float32)}
    controls = negative_controls(perfect, first, second, {"out": np.dtype(np.float32)})
    assert set(controls) == {
        "'out' as zeros",
        "'out' as it was before",
        "the output of other inputs in 'out'",
        "a copy of input 'a' in 'out'",
        "a copy of input 'x' in 'out'",
        "a copy of input 'y' in 'out'",
        "'out' with one wrong element",
    }
    differing = {name: int(np.sum(one["out"] != perfect["out"])) for name, one in controls.items()}
    assert differing.pop("'out' with one wrong element") == 1
    assert min(differing.values()) > 2000


FAULTS = [
    (("reference.py", "a[:, None] * x + y", "a[:, None] * x"), "does not react to input 'y'"),
    (("reference.py", "a[:, None] * x + y", "0 * a[:, None] * x + 0 * y"), "is all zeros"),
    (("reference.py", "a[:, None] * x + y", "np.nan * a[:, None] * x + y"), "has no finite element"),
    (("reference.py", '"out"', '"result"'), "reference.py must return a dictionary with exactly: out"),
    (("reference.py", "a[:, None] * x + y}", "y.T}"), "'out' is [1001, 3] at shape 'odd', not [3, 1001]"),
    (("reference.py", "a[:, None] * x + y", "a * x + y"), "reference.py failed: ValueError"),
    (
        ("inputs.py", "uniform(0.5, 2.0, rows).astype(np.float32)", "uniform(0.5, 2.0, rows)"),
        "'a' is float64, but task",
    ),
    (("inputs.py", "import numpy as np", "import numpy as np\n\nnp.nothing()"), "inputs.py failed: AttributeError"),
    (("inputs.py", "def make", "def made"), "inputs.py has no function 'make'"),
    (("task.toml", "norm = 1e-7\nworst = 2e-6", "norm = 2\nworst = 50"), "would pass as right"),
    (
        ("task.toml", "norm = 1e-7\nworst = 2e-6", "norm = 0.3\nworst = 100"),
        "with one wrong element would pass as right",
    ),
    (("task.toml", "norm = 1e-7\nworst = 2e-6", "norm = 0\nworst = 0"), "even the reference, rounded"),
]


@pytest.mark.parametrize(("change", "said"), FAULTS)
def test_a_task_that_judges_nothing_is_refused(tmp_path: Path, change: tuple[str, str, str], said: str) -> None:
    folder = copied(tmp_path, change)
    try:
        fault = fault_of(folder, tmp_path / "pack")
    except TaskWrong as wrong:
        fault = str(wrong)
    assert fault is not None
    assert said in fault


def test_an_element_is_altered_by_the_root_mean_square_at_least() -> None:
    floats, integers = np.array([1.0, 0.0, -1.0], dtype=np.float16), np.array([3, 5], dtype=np.uint8)
    alter(floats, 1)
    alter(floats, 2)
    alter(integers, 1)
    assert floats[1] == pytest.approx(np.sqrt(2 / 3), rel=1e-3)
    assert floats[2] == 1
    assert list(integers) == [3, 5 ^ 0x55]
