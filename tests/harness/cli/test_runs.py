"""A run detached, looked at, watched, stopped, taken up again and fetched by command line, each as a real process."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from harness import procfs
from harness.workflow.run_files import RunFiles
from ledger.entries import Launch, RunEnd
from ledger.store import Ledger
from tests.committee.cli.yard import CRITERIA, PATIENCE_S, Said, arm_toml, make, on_record, production, typed, value

SHORT = CRITERIA.replace("tokens = 24", "tokens = 16").replace("steps = [1, 2, 1]", "steps = [2]")


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Path]:
    """A workspace with short criteria and one arm; no process of a run is left."""
    place = make(tmp_path / "ws")
    (place / "criteria.toml").write_text(SHORT)
    (place / "arm.toml").write_text(arm_toml("arm"))
    try:
        yield place
    finally:
        for folder in (place / ".committee" / "runs").glob("*"):
            runner = RunFiles(folder).runner()
            ours = runner is None or runner.pid == os.getpid()  # a command that was typed in this very process
            if runner is not None and not ours and procfs.send(runner.pid, runner.start_time, signal.SIGTERM):
                until(lambda pid=runner.pid, at=runner.start_time: not procfs.same(pid, at), "it ends")  # type: ignore[misc]


def until(holds: Callable[[], bool], what: str) -> None:
    """Look often until something holds; bounded."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def detached(ws: Path, *words: str) -> dict[str, Any]:
    """A detached run of one arm: what the command said."""
    files = ("--arm", str(ws / "arm.toml"), "--criteria", str(ws / "criteria.toml"))
    said = typed(ws, "harness", "measure", "small", *files, "--detach", "--json", "--yes", *words)
    assert said.code == 0, said
    told: dict[str, Any] = json.loads(said.out)
    return told


def status(ws: Path, run: str) -> dict[str, Any]:
    """How the run is doing."""
    told: dict[str, Any] = value(typed(ws, "harness", "status", run, "--json"))
    return told


def test_a_detached_run_goes_on_alone_to_its_verdicts(ws: Path) -> None:
    with production(ws):
        told = detached(ws)
        run, pid = told["run"], told["pid"]
        found = procfs.stat(pid)
        assert found is not None and found.session == pid != os.getsid(0)
        assert status(ws, run)["state"] in ("measuring", "ended")
        watched = typed(ws, "harness", "attach", run, "--json")
        assert watched.code == 0, watched
        kinds = [json.loads(line)["what"] for line in watched.out.splitlines()]
        assert kinds[0] == "plan" and kinds[-1] == "end" and kinds.count("launch_done") == 6
        assert value(typed(ws, "harness", "attest", "small", "--json"))["as_described"]
        assert status(ws, run)["state"] == "ended"
        got = value(typed(ws, "harness", "fetch", run[:-3], "--json"))
        assert got["end"]["outcome"] in ("completed", "void") and Path(got["ledger"]) == ws / "records.db"
        assert len(got["verdicts"]) >= 1 and got["entries"] == got["last_seq"] - got["first_seq"] + 1
        assert {"events", "words", "order"} <= got.keys()
        (seen,) = value(typed(ws, "harness", "status", "small", "--json"))
        assert seen["production"].startswith("up, pid ") and seen["measured_by"] == ""
        assert [each["run"] for each in seen["runs"]] == [run]


@pytest.mark.system
def test_a_run_is_stopped_from_anywhere_and_goes_on(ws: Path) -> None:
    with production(ws):
        run = detached(ws)["run"]
        until(lambda: status(ws, run)["total"] > 0, "it begins")
        said = typed(ws, "harness", "stop", run, "--now")
        assert said.code == 0 and "breaks its block off and brings production back" in said.out
        watched = typed(ws, "harness", "attach", run)
        assert watched.code == 1 and "stopped by a person" in watched.out
        assert value(typed(ws, "harness", "attest", "small", "--json"))["as_described"]
        seen = status(ws, run)
        assert seen["state"] == "stopped" and seen["pid"] is None
        again = typed(ws, "harness", "stop", run)
        assert again.code == 1 and "is not under way here" in again.err
        order = str(RunFiles.of(ws, run).order)
        on = typed(ws, "harness", "measure", "--order", order, "--detach", "--yes", "--json")
        assert on.code == 0, on
        assert typed(ws, "harness", "attach", run, "--json").code == 0
    assert len(on_record(ws, RunEnd)) == 1


@pytest.mark.system
def test_leaving_a_watched_run_does_not_touch_it(ws: Path) -> None:
    target = ws / "targets" / "small.toml"
    target.write_text(target.read_text().replace("token-s = 0.005", "token-s = 0.05"))
    with production(ws):
        run = detached(ws)["run"]
        with subprocess.Popen(
            [sys.executable, "-m", "harness", "attach", run, "--json"],
            cwd=ws,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as watching:
            assert watching.stdout is not None and watching.stdout.readline()
            watching.send_signal(signal.SIGINT)
            _, err = watching.communicate(timeout=PATIENCE_S)
        assert watching.returncode == 0 and f"You left; run {run} goes on." in err and "Traceback" not in err
        assert status(ws, run)["state"] == "measuring"
        assert typed(ws, "harness", "stop", run, "--now").code == 0
        assert "stopped by a person" in typed(ws, "harness", "attach", run).out, "nothing is left running"


def test_a_run_that_was_killed_is_lost_and_production_is_back(ws: Path) -> None:
    with production(ws):
        told = detached(ws)
        run = told["run"]
        until(lambda: bool(on_record(ws, Launch)), "the first launch is on record")
        os.kill(told["pid"], signal.SIGKILL)
        until(lambda: status(ws, run)["state"] == "lost", "its process is gone")
        assert "gone without a word" in status(ws, run)["sentence"]
        until(lambda: typed(ws, "harness", "attest", "small", "--json").code == 0, "production is back")


def test_a_window_in_the_future_leaves_production_alone(ws: Path) -> None:
    hour = (time.localtime().tm_hour + 12) % 24
    with production(ws):
        run = detached(ws, "--window", f"{hour:02d}:00-{(hour + 1) % 24:02d}:00")["run"]
        until(lambda: status(ws, run)["state"] == "waiting", "it waits")
        seen = status(ws, run)
        assert seen["window"].startswith(f"{hour:02d}:00") and "left alone until" in seen["sentence"]
        assert value(typed(ws, "harness", "attest", "small", "--json"))["as_described"]
        assert typed(ws, "harness", "stop", run).code == 0
        until(lambda: status(ws, run)["state"] == "stopped", "it ends")
    assert on_record(ws, Launch) == []


@pytest.fixture
def known(ws: Path) -> Path:
    """The workspace with two runs that nobody began."""
    for run in ("measure-20260101-000000-aaaa", "measure-20260101-000000-aabb"):
        RunFiles.of(ws, run).folder.mkdir(parents=True)
    return ws


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("status measure-2026", 2, "several runs begin with 'measure-2026'"),
        ("status nobody", 2, "there is no run or target 'nobody' here"),
        ("attach ''", 2, "a word is empty"),
        ("fetch measure-20260101-000000-aaaa", 1, "has recorded nothing yet"),
        ("stop measure-20260101-000000-aaaa", 1, "is not under way here"),
        ("stop small --now", 2, "--now is for runs"),
    ],
)
def test_what_cannot_be_looked_at(known: Path, words: str, code: int, said: str) -> None:
    outcome = typed(known, "harness", *(word.strip("'") for word in words.split()))
    assert outcome.code == code and said in outcome.err and len(outcome.err.splitlines()) == 1


def test_a_run_that_has_ended_is_not_stopped_although_its_process_still_prints(known: Path) -> None:
    run = "measure-20260101-000000-aaaa"
    with subprocess.Popen(["sleep", "60"]) as process:
        me = RunFiles.of(known, run).enter(run, "small", "")
        theirs = replace(me, pid=process.pid, start_time=procfs.start_time(process.pid))
        procfs.write_atomically(RunFiles.of(known, run).folder / "runner.json", asdict(theirs))
        with Ledger.open(known / "records.db", actor="test", create=True) as ledger:
            ledger.append(RunEnd(run=run, outcome="completed", reason=None, detail="2 complete blocks", downtime_s=1))
        said = typed(known, "harness", "stop", run)
        process.kill()
    assert said.code == 1 and "is not under way here: it ended (completed: 2 complete blocks)" in said.err
    assert RunFiles.of(known, run).wish() is None


def test_a_run_that_nobody_began(known: Path) -> None:
    assert status(known, "measure-20260101-000000-aabb")["state"] == "ordered"
    assert not (known / "records.db").exists()  # looking makes nothing


def refused(ws: Path, *words: str) -> Said:
    """The same run, not detached, without a yes."""
    files = ("--arm", str(ws / "arm.toml"), "--criteria", str(ws / "criteria.toml"))
    return typed(ws, "harness", "measure", "small", *files, *words)


def test_nothing_stops_without_a_yes(ws: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nobody, production(ws), monkeypatch.context() as patched:
        patched.setattr("sys.stdin", nobody)
        said = refused(ws)
        assert said.code == 2 and "say --yes if that may be" in said.err
        assert "minutes a block, 2 blocks" in said.out and "in total" in said.out
        assert value(typed(ws, "harness", "attest", "small", "--json"))["as_described"]
    assert on_record(ws, Launch) == []


def test_a_production_without_counters_needs_a_word(ws: Path) -> None:
    target = ws / "targets" / "small.toml"
    target.write_text(
        target.read_text()
        .replace('values = ["good"', 'values = ["uncounted", "good"')
        .replace('mode = "good"', 'mode = "uncounted"')
    )
    with production(ws):
        said = refused(ws, "--yes")
        assert said.code == 1 and "say --users-accept" in said.err
    assert on_record(ws, Launch) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--window", "2-6"), "write it like 02:00-06:00"),
        (("--once",), "name one with --window"),
        (("--window", "02:00-02:01"), "name a longer one"),
    ],
)
def test_windows_that_cannot_be(ws: Path, words: tuple[str, ...], said: str) -> None:
    target = ws / "targets" / "small.toml"
    target.write_text(target.read_text().replace("start_s = 0.3", "start_s = 90"))
    outcome = refused(ws, "--dry-run", *words)
    assert outcome.code == 2 and said in outcome.err


def test_a_dry_run_shows_downtime_by_block_and_windows(ws: Path) -> None:
    said = refused(ws, "--dry-run", "--window", "02:00-06:00")
    assert said.code == 0 and "minutes a block, 2 blocks" in said.out
    assert "fits into one window of 02:00-06:00" in said.out
