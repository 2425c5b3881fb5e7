"""`harness measure` by command line: JSON lines, servers that fail in their own ways, and going on after a stop."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.app import app
from harness.lease import Lease
from harness.workflow.run_files import RunFiles, Wish
from ledger.entries import Launch, MeasuringRun, RunEnd
from tests.committee.cli.yard import CRITERIA, PATIENCE_S, Said, arm_toml, make, on_record, production, typed, value
from tests.harness.test_lease import leased_elsewhere, taken

SHORT = CRITERIA.replace("tokens = 24", "tokens = 16").replace("steps = [1, 2, 1]", "steps = [2]")


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace with short criteria beside it."""
    place = make(tmp_path / "ws")
    (place / "criteria.toml").write_text(SHORT)
    target = place / "targets" / "small.toml"
    target.write_text(target.read_text().replace("token-s = 0.005", "token-s = 0.001"))  # no speed is judged here
    return place


def measured(ws: Path, flag: str, setting: object, *words: str) -> Said:
    """Measure one arm of one flag."""
    (ws / "arm.toml").write_text(arm_toml("arm", flag, setting))
    files = ("--arm", str(ws / "arm.toml"), "--criteria", str(ws / "criteria.toml"))
    return typed(ws, "harness", "measure", "small", *files, "--yes", *words)


def lines(text: str) -> list[dict[str, Any]]:
    """Every line as the JSON object that it must be."""
    return [json.loads(line) for line in text.splitlines()]


def test_json_is_one_object_a_line_to_the_end(ws: Path) -> None:
    place = ws / ".committee" / "targets" / "small"
    leased_elsewhere(place)
    said = measured(ws, "mode", "refuse", "--take-over-seen")  # as the front office says it, who has not looked there
    assert said.code == 1 and "can only be seen on 'elsewhere.invalid', so look there first" in said.err
    assert (place / "lease.json").exists() and not on_record(ws, MeasuringRun)
    said = measured(ws, "mode", "refuse", "--json", "--take-over")
    assert said.code == 0, said
    told = lines(said.out)
    assert told[0]["what"] == "plan" and told[-2]["what"] == "end"
    assert set(told[-1]) == {"run", "void", "sentence"} and told[-1]["void"] is None
    assert {event["run"] for event in told} == {told[-1]["run"]}
    (end,) = on_record(ws, RunEnd)
    assert isinstance(end, RunEnd) and end.outcome == "completed"


def test_a_gate_that_the_accepted_baseline_has_not_passed_needs_a_persons_word(ws: Path) -> None:
    assert measured(ws, "mode", "refuse", "--json").code == 0
    with (ws / "targets" / "small.toml").open("a") as target:
        target.write('\n[[armed]]\nmarker = "NEVER SAID"\ncount = 1\n')
    said = measured(ws, "mode", "refuse")
    assert said.code == 1 and "'NEVER SAID' stands 0 times, 1 needed" in said.err and "say --stricter" in said.err
    assert len(on_record(ws, MeasuringRun)) == 1, "nothing was planned"


def test_a_dry_run_is_one_line_and_records_nothing(ws: Path) -> None:
    said = measured(ws, "token-s", 0.0005, "--json", "--dry-run")
    assert said.code == 0 and len(said.out.splitlines()) == 1
    assert lines(said.out)[0]["launches"] == 6
    assert on_record(ws, MeasuringRun) == []


def test_a_plan_says_what_becomes_of_a_production_that_does_not_run(ws: Path) -> None:
    said = measured(ws, "token-s", 0.0005, "--dry-run")
    assert said.code == 0 and "The run takes about " in said.out and "is away for" not in said.out
    assert "Production of small is not running (it was never started here): nothing is stopped for this" in said.out


@pytest.mark.parametrize("blocks", ["0", "1", "-3", "100000"])
def test_blocks_that_cannot_be(ws: Path, blocks: str) -> None:
    said = measured(ws, "token-s", 0.0005, "--blocks", blocks)
    assert said.code == 2 and "blocks" in said.err and "Traceback" not in said.err
    assert on_record(ws, MeasuringRun) == []


@pytest.mark.parametrize(
    ("flag", "setting", "words"),
    [
        ("mode", "silent", "ready"),
        pytest.param("die-after", 3, "engine core died of a test", marks=pytest.mark.system),
    ],
)
def test_an_arm_whose_server_fails_carries_no_number(ws: Path, flag: str, setting: object, words: str) -> None:
    target = ws / "targets" / "small.toml"
    target.write_text(target.read_text().replace("timeout_s = 20", "timeout_s = 3"))
    with production(ws):
        said = measured(ws, flag, setting, "--json")
        assert said.code == 0, said
        assert value(typed(ws, "harness", "attest", "small", "--json"))["as_described"]
    failed = [launch for launch in on_record(ws, Launch) if isinstance(launch, Launch) and launch.role == "arm"]
    assert len(failed) == 2
    assert {launch.outcome for launch in failed} == {"invalid"}
    assert all(words in str(launch.as_json()) for launch in failed), failed[0]


def test_beside_a_live_measurement_nobody_is_told_to_take_it_over(ws: Path) -> None:
    with taken(Lease.take(ws / ".committee" / "targets" / "small", "run-1")):
        said = measured(ws, "mode", "refuse", "--take-over")
    assert said.code == 1 and "or `harness stop run-1`; go on with `harness measure --order " in said.err, said
    assert not on_record(ws, MeasuringRun) and "--take-over" not in said.err


def test_a_stopped_run_says_which_order_goes_on(ws: Path) -> None:
    (ws / "arm.toml").write_text(arm_toml("arm"))
    words = ["small", "--arm", "arm.toml", "--criteria", "criteria.toml", "--json", "--yes"]
    with subprocess.Popen(
        [sys.executable, "-m", "harness", "measure", *words],
        cwd=ws,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["what"] == "launch":
                break
        os.kill(process.pid, signal.SIGINT)
        rest, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130 and "Traceback" not in err
    assert lines(rest)[-1]["what"] == "end"
    go_on = re.search(r"go on with `harness measure --order (\S+?)`", err)
    assert go_on, err
    again = typed(ws, "harness", "measure", "--order", go_on[1], "--json", "--yes")
    assert again.code == 0, again
    assert len(on_record(ws, MeasuringRun)) == len(on_record(ws, RunEnd)) == 1


def test_a_run_that_is_told_to_stop_ends_as_stopped_and_not_as_a_negative_answer(ws: Path) -> None:
    """It waits for its window, so no server is started; `harness stop` leaves a wish and sends no signal."""
    (ws / "arm.toml").write_text(arm_toml("arm"))
    hour = time.localtime().tm_hour
    window = f"{(hour + 6) % 24:02}:00-{(hour + 12) % 24:02}:00"
    runs = ws / ".committee" / "runs"

    def wish() -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not (begun := list(runs.glob("*/runner.json"))) and time.monotonic() < deadline:
            time.sleep(0.02)
        RunFiles.of(ws, begun[0].parent.name).ask_to_stop(Wish.AFTER_BLOCK)

    words = ["small", "--arm", str(ws / "arm.toml"), "--criteria", str(ws / "criteria.toml"), "--window", window]
    with ThreadPoolExecutor(1) as person:
        person.submit(wish)
        said = CliRunner().invoke(app, ["measure", *words, "--workspace", str(ws), "--yes", "--json"])
    assert said.exit_code == 130, said.output
    assert "stopped by a person; finished blocks are kept, start the same order to go on; go on with" in said.stderr
