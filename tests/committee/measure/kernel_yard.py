"""A workspace with one kernel proposal that carries a small task in C; nothing of it is about a server."""

import difflib
import json
import shutil
from pathlib import Path

from tests.committee.cli import yard
from tests.harness.kernels.tasks import SAXPY

WRONG = ("no_op", "one_wrong_sign")  # cheap to catch: no limit has to run out for them
LOOP = "        for (int32_t i = 0; i < n; i++)\n"  # of the baseline
SHORT = "[timing]\nsmallest_effect_pct = 10\nblocks = 2\nseconds = 0.02\ninput_sets = 2"


def make(folder: Path, *wrong: str, task: Path = SAXPY, named: str = "") -> Path:
    """The workspace; the task lies in the proposal's kernel/, or in kernels/NAMED with the proposal naming it."""
    workspace = yard.make(folder)
    proposal = workspace / "proposals" / yard.PROPOSAL
    shutil.rmtree(proposal / "arms")
    header = (proposal / "proposal.toml").read_text().replace('kind = "config"', 'kind = "kernel"')
    place = workspace / "kernels" / named if named else proposal / "kernel"
    shutil.copytree(task, place, ignore=shutil.ignore_patterns("wrong", "results", "__pycache__"))
    (place / "wrong").mkdir()
    for file in (path for name in wrong or WRONG for path in (task / "wrong").glob(f"{name}.*")):
        shutil.copy(file, place / "wrong")
    settings = (place / "task.toml").read_text().replace("[timing]\nsmallest_effect_pct = 10", SHORT)
    (place / "task.toml").write_text(settings)
    if named:
        header = header.replace('target = "small"\n', f'target = "small"\ntask = "{named}"\n')
        (proposal / "kernel").mkdir()
        for source in (place / "arms").glob("*.c*"):
            shutil.copy(source, proposal / "kernel")
    (proposal / "proposal.toml").write_text(header)
    return workspace


def review_of(name: str, before: str, after: str, file: str = "kernel/arms/plain.c") -> str:
    """A recorded review that proposes one patch of a file of the task."""
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{file}", f"b/{file}")
    review = json.loads(yard.recording(name, 0.0005))
    (told,) = review["answer"]["hypotheses"]
    told["arm"] = {"name": name, "title": "", "flags": {}, "env": {}, "patch": "".join(lines), "witness": []}
    told["mechanism"] = f"the loop of {file} is not written as the compiler wants it ({name})"
    return json.dumps(review)


def with_patches(workspace: Path, first: str, second: str) -> None:
    """Both recorded reviewers propose another patch of the baseline; `first` and `second` are its new inner loops."""
    file = workspace / "proposals" / yard.PROPOSAL / "kernel" / "arms" / "plain.c"
    for seat, name, loop in (("first", "two-rows", first), ("second", "half", second)):
        before = file.read_text()
        assert LOOP in before
        (workspace / "recordings" / f"{seat}.json").write_text(review_of(name, before, before.replace(LOOP, loop)))
