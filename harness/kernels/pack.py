"""A pack: everything built, the plan, the task's Python files and the runner, for a machine with Python and NumPy."""

import compileall
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import harness
from harness.confinement import CannotConfine
from harness.kernels.bench.plan import FILES, PLAN, Plan
from harness.kernels.building import BuiltArm, build, build_ceilings
from harness.kernels.confine import Way, best_way
from harness.kernels.cubin_cache import CubinCache
from harness.kernels.folder import ArmSource, Folder
from harness.kernels.planned import Made, plan_of
from harness.vocabulary.base import BadFileError

RUNNER = """\
\"\"\"Proves and times the kernels of this pack: `python runner.py PACK OUT.json --time`.\"\"\"

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from harness.kernels.bench.runner import main

sys.exit(main())
"""


@dataclass(frozen=True)
class Packed:
    """A pack that was made."""

    path: Path
    plan: Plan
    way: Way  # how the compilers were shut in
    built: tuple[BuiltArm, ...]


@dataclass(frozen=True)
class Beside:
    """An arm whose source is not the task's: the folder as a patch leaves it, and the arm under a name of its own."""

    folder: Folder
    arm: ArmSource


def pack(
    folder: Folder,
    into: Path,
    *,
    unconfined: bool = False,
    cache: CubinCache | None = None,
    beside: Sequence[Beside] = (),
) -> Packed:
    """Build every arm and write the pack into an empty folder; arms `beside` are judged as the task's own are.

    Raises BadFileError with one sentence.
    """
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise BadFileError(f"{str(into)!r} is not empty; name a new or an empty folder")
    way = best_way(unconfined)
    if isinstance(way, CannotConfine):
        raise BadFileError(unshut(way))
    into.mkdir(parents=True, exist_ok=True)
    into = into.resolve()
    built = build(folder, into, way, cache)
    for one in beside:
        built = (*built, *build(replace(one.folder, arms=(one.arm,)), into, way, cache))
    made = {one.arm.name: Made(one.objects, None if one.objects else one.refused) for one in built}
    whole = replace(folder, arms=(*folder.arms, *(one.arm for one in beside)))
    plan = plan_of(whole, made, build_ceilings(folder, into, way, cache))
    (into / PLAN).write_text(plan.to_json(), encoding="utf-8")
    (into / "runner.py").write_text(RUNNER, encoding="utf-8")
    copy_bench(into)
    (into / FILES).mkdir()
    for file in folder.path.glob("*.py"):
        shutil.copy(file, into / FILES)
    return Packed(into, plan, way, built)


def unshut(found: CannotConfine) -> str:
    """The sentence where compilers and kernels cannot be shut in."""
    refused = f"compilers and kernels cannot be shut in here: {found.sentence}"
    return f"{refused}, or say --unconfined for sources that you trust"


def copy_bench(into: Path) -> None:
    """The runner's own files, as a package of the pack."""
    package = Path(harness.__file__).parent
    for inside in ("", "kernels"):
        (into / "harness" / inside).mkdir(parents=True, exist_ok=True)
        (into / "harness" / inside / "__init__.py").touch()
    ignored = shutil.ignore_patterns("__pycache__", "*.c", "*.cu")
    shutil.copytree(package / "kernels" / "bench", into / "harness" / "kernels" / "bench", ignore=ignored)
    compileall.compile_dir(into / "harness", quiet=2)  # every worker is a new process and may not write there
