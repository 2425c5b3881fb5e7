"""Ctrl-C and kill -9 at every stage, on real processes: production is back, what was finished is kept, runs go on."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from committee.testing.misbehaving import Misbehaving
from ledger.entries import Attempt, Launch, MeasuringRun, RunEnd, Verdict
from ledger.store import Ledger
from ledger.verify import verify
from tests.committee.cli.yard import PATIENCE_S, PROPOSAL, recording, servers

pytestmark = pytest.mark.system
SEATS = """schema = 1
[review]
quorum = 1
[[reviewer]]
name = "quick"
kind = "recorded"
recording = "recordings/first.json"
timeout_s = 30
[[reviewer]]
name = "slow"
kind = "openai"
base_url = "{0}"
model = "hold"
timeout_s = 60
price_in_per_mtok = 0
price_out_per_mtok = 0
"""


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    out: str
    err: str


async def ran(ws: Path, program: str, *words: str) -> Ended:
    """A command to its end."""
    async with under_way(ws, program, *words) as process:
        return await ended(process)


async def ended(process: asyncio.subprocess.Process) -> Ended:
    """Wait for the end; bounded."""
    async with asyncio.timeout(PATIENCE_S):
        out, err = await process.communicate()
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())


@asynccontextmanager
async def under_way(ws: Path, program: str, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A command in a process group of its own, as a terminal starts it; killed if the test leaves it running."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", program, *words),
        cwd=ws,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        process_group=0,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def production(ws: Path) -> AsyncIterator[None]:
    """Production up, stopped afterwards."""
    assert (await ran(ws, "harness", "start", "small")).code == 0
    try:
        yield
    finally:
        await ran(ws, "harness", "stop", "small")


async def until(true: Callable[[], bool]) -> None:
    """Wait for something on disk; bounded."""
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110 - another process writes the file
            await asyncio.sleep(0.02)


def events(ws: Path) -> list[dict[str, Any]]:
    """The whole events of the one measuring run's progress file."""
    found: list[dict[str, Any]] = []
    for path in (ws / ".committee" / "runs").glob("*/progress.jsonl"):
        found += [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return found


async def production_answers(ws: Path) -> None:
    """It runs as its file describes it, and no other server of this workspace does."""
    seen = await ran(ws, "harness", "attest", "small", "--json")
    told = json.loads(seen.out)
    assert told["as_described"], told
    assert servers(ws) == [told["pid"]]


def interrupt(process: asyncio.subprocess.Process, whom: str) -> None:
    """SIGINT to the process, or to its whole group as a terminal does."""
    if whom == "group":
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)


LOADS = "the ladder loads"
STAGES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "an arm starts": lambda e: e["what"] == "phase" and e["text"] == "starting fast",
    LOADS: lambda e: e["what"] == "phase" and e["text"].startswith("loading"),
    "the second block": lambda e: e["what"] == "launch" and e["text"].startswith("block 2"),
    "production comes back": lambda e: e["text"] == "bringing production back",
}


@pytest.mark.parametrize(("stage", "whom"), [*((stage, "group") for stage in STAGES), (LOADS, "process")])
async def test_ctrl_c_while_measuring(ws: Path, stage: str, whom: str) -> None:
    async with production(ws):
        async with under_way(ws, "committee", "measure", "0001", "--yes") as process:
            await until(lambda: any(STAGES[stage](event) for event in events(ws)))
            interrupt(process, whom)
            stopped = await ended(process)
        assert stopped.code == 130, stopped
        assert "Traceback" not in stopped.err
        await production_answers(ws)
        if stage == "production comes back":
            assert "production of 'small' is back" in stopped.err
        kept = finished(ws)
        assert len(kept) >= (3 if stage in ("the second block", "production comes back") else 0)
        go_on = re.search(r"go on with `committee (measure \S+ --run \S+)`", stopped.err)
        assert go_on, stopped.err
        again = await ran(ws, "committee", *go_on[1].split(), "--yes")
        assert concluded(again), again
        await production_answers(ws)
    assert kept <= finished(ws)
    one_whole_run(ws)


async def test_ctrl_c_while_reviewers_are_asked(ws: Path, server: Misbehaving) -> None:
    (ws / "committee.toml").write_text(SEATS.format(server.base_url))
    async with production(ws):
        async with under_way(ws, "committee", "run", "0001", "--yes") as process:
            async with asyncio.timeout(PATIENCE_S):
                await server.arrived.wait()
            await until(lambda: (ws / "records.db").exists() and "review" in kinds(ws))
            interrupt(process, "group")
            stopped = await ended(process)
        assert stopped.code == 130 and "Traceback" not in stopped.err
        assert "production was not touched" in stopped.err
        await production_answers(ws)
        run = re.search(r"`committee resume (\S+)`", stopped.err)
        assert run, stopped.err
        server.released.set()
        again = await ran(ws, "committee", "resume", run[1], "--yes")
        assert concluded(again), again
        assert f"committee accept {PROPOSAL} ARM" in again.out
        await production_answers(ws)
    with Ledger.open(ws / "records.db", actor="test") as ledger:
        asked = sorted(attempt.attempt.removeprefix(run[1]) for _, attempt in ledger.of(Attempt))
    assert asked == ["/quick/1", "/slow/1", "/slow/2"], "the quick answer was kept, the one in flight asked once more"
    one_whole_run(ws)


async def test_kill_9_of_the_front_office_while_measuring(ws: Path) -> None:
    (ws / "recordings" / "second.json").write_text(recording("long-pause", 0.02))
    async with production(ws):
        async with under_way(ws, "committee", "run", "0001", "--yes") as process:
            await until(lambda: any(event["what"] == "launch" for event in events(ws)))
            os.killpg(process.pid, signal.SIGKILL)
            assert await process.wait() == -signal.SIGKILL
        (plan,) = plans(ws)
        again = await ran(ws, "committee", "resume", plan.run.replace("measure-", "review-"), "--yes")
        assert concluded(again), again
        assert "plan" not in again.err
        assert [event["what"] for event in events(ws)].count("plan") == 1, "one process measured from start to end"
        await production_answers(ws)
    one_whole_run(ws)


def kinds(ws: Path) -> set[str]:
    """Kinds on record."""
    with Ledger.open(ws / "records.db", actor="test") as ledger:
        return {entry.kind for entry in ledger.entries()}


def plans(ws: Path) -> list[MeasuringRun]:
    """The measuring runs on record."""
    with Ledger.open(ws / "records.db", actor="test") as ledger:
        return [plan for _, plan in ledger.of(MeasuringRun)]


def finished(ws: Path) -> set[str]:
    """Launches of blocks of which every slot is on record."""
    with Ledger.open(ws / "records.db", actor="test") as ledger:
        launches = [launch for _, launch in ledger.of(Launch)]
    width = len(plans(ws)[0].slots) // plans(ws)[0].blocks
    tries = [(launch.block, launch.attempt) for launch in launches]
    return {launch.launch for launch in launches if tries.count((launch.block, launch.attempt)) == width}


def concluded(said: Ended) -> bool:
    """Whether a run came to its end: verdicts, or the machine's noise named as what voids them."""
    return said.code == 0 or "although both are the same configuration" in said.err + said.out


def one_whole_run(ws: Path) -> None:
    """One measuring run, ended once, with verdicts, every block finished once, in a whole ledger."""
    (plan,) = plans(ws)
    assert len(finished(ws)) == len(plan.slots), "no finished block was measured again"
    with Ledger.open(ws / "records.db", actor="test") as ledger:
        assert [end.outcome for _, end in ledger.of(RunEnd)] in (["completed"], ["void"])  # void: noise, not the stop
        assert ledger.of(Verdict, run=plan.run, primary=True)
    assert verify(ws / "records.db").ok
