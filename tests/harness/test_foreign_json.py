"""What somebody else wrote as JSON and nested without end is refused like what is no JSON, wherever it is read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from committee.accept.baseline import accepted_head
from committee.report.site.write import LIST, Listed, _read_list
from committee.review.loopback_http import HttpRequest
from committee.review.recorded import read_recording
from harness import lease
from harness.hosts import sight
from harness.overlay.steps import read_back
from harness.procfs import json_of
from harness.simulator.http import Request
from harness.vocabulary.base import BadFileError
from harness.workflow.probe import _object
from harness.workflow.profile_tables import read_profile
from harness.workflow.run_files import FarRun, RunFiles
from harness.workflow.status import event_in

DEEP = "[" * 100_000


@pytest.mark.parametrize("text", [DEEP, '{"a":' * 20_000, DEEP.encode(), "9" * 5000, "{"])
def test_what_cannot_be_read_is_one_failure(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"nested too deeply|Exceeds the limit|Expecting"):
        json_of(text)
    assert json_of('{"a": [1]}') == {"a": [1]}


def test_nested_text_is_nothing_where_no_json_is_nothing(tmp_path: Path) -> None:
    (tmp_path / LIST).write_text(DEEP)
    (tmp_path / "far.json").write_text(DEEP)
    (tmp_path / "guardian.json").write_text(DEEP)
    (tmp_path / "lease.json").write_text(DEEP)
    assert event_in(DEEP.encode()) is None
    assert _object(DEEP.encode()) is None
    assert _read_list(tmp_path) == Listed("", {})
    assert HttpRequest("POST", "/", {}, DEEP.encode()).json() == {}
    assert Request("POST", "/", DEEP.encode(), False, "").json() is None
    assert FarRun.of(RunFiles(tmp_path)) is None
    assert sight.serves(tmp_path) is False
    assert lease.read(tmp_path) is None
    assert accepted_head(f"x = {DEEP}") is None


@pytest.mark.parametrize("read", [read_recording, lambda path: read_profile([path], 1), read_back])
def test_nested_text_is_one_sentence_where_no_json_is_one(read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(DEEP)
    with pytest.raises((BadFileError, ValueError), match=r"nested too deeply|cannot be read"):
        read(path)
