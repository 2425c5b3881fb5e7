"""Reports of a pack that was run on another machine: read whole, held to the task as it is here, never edited.

They are as trustworthy as whoever brings them; the entry says that they were brought.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.kernels.bench.plan import Plan
from harness.kernels.bench.results import Report, report_from
from harness.kernels.folder import Folder
from harness.kernels.planned import Made, plan_of
from harness.vocabulary.base import BadFileError

MOST_BYTES = 64_000_000  # as much as a runner may say
HOW = "run the pack there with --time and with --wrong, each into a file of its own, and give both"


@dataclass(frozen=True)
class Elsewhere:
    """What two runs of a pack said: of the known-wrong arms, and of the others."""

    wrong: Report | None  # none for a task without known-wrong arms
    timed: Report


def read_reports(files: Sequence[Path], task: Folder) -> Elsewhere:
    """Both reports of a pack of this very task. Raises BadFileError with one sentence."""
    reports = [_read(file, task) for file in files]
    timed = [one for one in reports if one.slots or one.fault]
    wrong = [one for one in reports if any(arm.expected for arm in one.arms)]
    if len(timed) != 1 or len(reports) != len(timed) + len(wrong):
        raise BadFileError(f"{len(timed)} of {len(reports)} reports hold times, and one must; {HOW}")
    expected = {arm.name for arm in task.arms if arm.wrong}
    tried = {arm.arm for one in wrong for arm in one.arms if arm.expected}
    missing = sorted(expected - tried)
    if missing:
        raise BadFileError(
            f"no report tried the known-wrong arm {missing[0]!r}, so nothing shows that the bench sees; {HOW}"
        )
    return Elsewhere(wrong[0] if wrong else None, timed[0])


def plan_here(task: Folder) -> Plan:
    """The plan that a pack of the task has, without its objects."""
    return plan_of(task, {arm.name: Made({}) for arm in task.arms}, {})


def _read(file: Path, task: Folder) -> Report:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BadFileError(f"{str(file)!r} is larger than {MOST_BYTES} bytes; a report of the runner never is")
        found = report_from(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        if isinstance(error, BadFileError):
            raise
        raise BadFileError(f"{str(file)!r} cannot be read as a report of the runner: {error}") from error
    if found.sha256 != task.sha256:
        raise BadFileError(
            f"{str(file)!r} is about task {found.task!r} in another state ({found.sha256[:12]}, "
            f"here {task.sha256[:12]}); pack the task as it is here and run that pack"
        )
    return found
