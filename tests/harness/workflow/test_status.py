"""How a run is doing, from what its process left behind."""

import json
import socket
from pathlib import Path

from harness import procfs
from harness.workflow.events import MeasureEvent
from harness.workflow.run_files import RunFiles, Runner
from harness.workflow.status import RunState, run_status

RUN = "measure-000001"


def left_behind(folder: Path, *events: MeasureEvent) -> None:
    """The files of a run whose process is gone."""
    files = RunFiles.of(folder, RUN)
    files.folder.mkdir(parents=True)
    gone = Runner(
        RUN, "small", pid=2**22 + 1, start_time=1, boot=procfs.boot_id(), host=socket.gethostname(), since=1.0
    )
    (files.folder / "runner.json").write_text(json.dumps(vars(gone)))
    files.events.write_text("".join(json.dumps(vars(event)) + "\n" for event in events))


def test_a_run_that_was_refused_before_it_began_is_not_lost(tmp_path: Path) -> None:
    left_behind(tmp_path)
    found = run_status(tmp_path, RUN, None)
    assert found is not None and (found.state, found.target) == (RunState.ORDERED, "small")
    assert found.sentence == "its process ended before it began, and nothing was touched"


def test_a_run_that_ended_without_a_word_after_it_began_is_lost(tmp_path: Path) -> None:
    left_behind(tmp_path, MeasureEvent("launch", RUN, "baseline is loaded", 1, 6, 60.0))
    found = run_status(tmp_path, RUN, None)
    assert found is not None and found.state is RunState.LOST
    assert "go on with 'harness measure --order" in found.sentence
