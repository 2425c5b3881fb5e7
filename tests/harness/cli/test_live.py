"""The events file is bounded, and everybody who should be told is told once."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from harness.cli.live import LineWatcher, LiveWatcher, watching
from harness.workflow.events import EventKind, MeasureEvent
from harness.workflow.status import events_in, tail_start


def event(what: EventKind, text: str = "x") -> MeasureEvent:
    return MeasureEvent(what, "measure-abcdef", text, 1, 10, None)


def kinds(path: Path) -> list[str]:
    """What was told, in order."""
    return [json.loads(line)["what"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_near_its_limit_only_turning_points_are_written(tmp_path: Path) -> None:
    path, one = tmp_path / "events.jsonl", len(json.dumps(event("phase").as_json())) + 1
    with LineWatcher(path, most_bytes=20 * one) as watcher:
        for _ in range(30):
            watcher.tell(event("phase"))
        phases = kinds(path).count("phase")
        assert phases == 19  # the last one begins at nine tenths
        for _ in range(30):
            watcher.tell(event("launch_done"))
        assert path.stat().st_size < 22 * one
        watcher.tell(event("production"))
        watcher.tell(event("end"))
    assert kinds(path)[-2:] == ["production", "end"] and kinds(path).count("phase") == phases
    with LineWatcher(path, most_bytes=20 * one) as later:  # the size counts over every start of the run
        later.tell(event("phase"))
    assert kinds(path).count("phase") == phases


def test_a_file_that_is_named_twice_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = tmp_path / "progress.jsonl"
    with watching(events, events, json_lines=False) as told:
        told.tell(event("plan"))
    with watching(events, tmp_path / "other.jsonl", json_lines=True) as told:
        told.tell(event("end"))
    assert kinds(events) == ["plan", "end"] and kinds(tmp_path / "other.jsonl") == ["end"]
    assert json.loads(capsys.readouterr().out)["what"] == "end"


def test_a_launch_that_fails_as_an_earlier_one_did_is_told_in_few_words() -> None:
    said, stream = "block {}/4: v-cache: bad_value: '0.00.{} E V cache needs flash_attn'", io.StringIO()
    with LiveWatcher(Console(file=stream, width=100)) as watcher:
        for text in (said.format(1, "956.307"), "block 1/4: other: bad_value: no such type", said.format(2, "775.912")):
            watcher.tell(event("launch_done", text))
        watcher.tell(event("launch_done", "block 2/4: baseline: measured"))
    assert stream.getvalue().splitlines()[:4] == [
        "  block 1/4: v-cache: bad_value: '0.00.956.307 E V cache needs flash_attn'",
        "  block 1/4: other: bad_value: no such type",
        "  block 2: v-cache: bad_value, as in block 1",
        "  block 2/4: baseline: measured",
    ]


def test_the_end_is_left_to_the_command_that_says_it(tmp_path: Path) -> None:
    stream = io.StringIO()
    with LiveWatcher(Console(file=stream, width=100)) as watcher:
        watcher.tell(event("production", "production is NOT back"))
        watcher.tell(event("end", "production of 'small' did not come up"))
    assert "production is NOT back" in stream.getvalue() and "did not come up" not in stream.getvalue()


def test_events_are_read_whole_and_from_a_place(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    assert list(events_in(path)) == [] and tail_start(path) == 0
    with LineWatcher(path) as watcher:
        for number in range(2000):
            watcher.tell(event("phase", f"number {number}"))
    with path.open("a") as file:
        file.write('no event\n{"half": ')
    start = tail_start(path)
    assert start == path.stat().st_size - 65536
    found = list(events_in(path, start))
    assert found[-1][1].text == "number 1999" and 300 < len(found) < 1000
    assert list(events_in(path, found[-2][0])) == found[-1:]
