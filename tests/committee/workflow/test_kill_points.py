"""Kill -9 beside every transaction of a run, for 1, 3 and 8 reviewers: nothing finished is sent again.

The brief is the undisturbed run's to the byte. What is counted is what the real server was asked.
"""

import asyncio
import json
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path

import pytest

from committee.score.read import calls
from committee.testing.misbehaving import Misbehaving
from ledger.entries import Attempt, Brief, Response, ReviewRun, Verdict
from ledger.store import Ledger
from ledger.verify import verify
from tests.committee.workflow.kill_server import Job
from tests.committee.workflow.office import PROPOSAL

pytestmark = pytest.mark.system
ROOT = Path(__file__).parents[3]
PATIENCE_S = 60
MODES = {
    1: ("good",),
    3: ("good+a", "empty+b", "good+c"),
    8: ("good+a", "empty+b", "good+c", "cut-json+d", "good+e", "other-count+f", "good+g", "good+h"),
}
RUNS_TO_ITS_END = 0
Run = Callable[[Job], "asyncio.Future[int]"]


def points(reviewers: int) -> list[tuple[str, str, int]]:
    """Beside the first and the last entry of every kind that a run writes; with several, of those that are several."""
    good = sum(mode.startswith("good") for mode in MODES[reviewers])
    several = {"attempt": reviewers, "response": reviewers, "review": good, "exclusion": reviewers - good}
    kinds = [kind for kind, times in several.items() if times]
    if reviewers == 1:
        kinds += ["revision", "review_run", "brief", "arm", "verdict"]
    sides = ("before", "after") if reviewers < max(MODES) else ("after",)
    first = [(when, kind, 1) for kind in kinds for when in sides]
    return [*first, *(("after", kind, times) for kind, times in several.items() if times > 1)]


@asynccontextmanager
async def forking() -> AsyncIterator[Callable[[Job], asyncio.Future[int]]]:
    """Statuses of jobs, each run by a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.committee.workflow.kill_server", cwd=ROOT, stdin=-1, stdout=-1
    )
    assert process.stdin is not None and process.stdout is not None
    into, out = process.stdin, process.stdout

    async def status(job: Job) -> int:
        into.write(json.dumps(asdict(job)).encode() + b"\n")
        async with asyncio.timeout(PATIENCE_S):
            return int(await out.readline())

    try:
        yield lambda job: asyncio.ensure_future(status(job))
    finally:
        into.close()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def brief_of(folder: Path) -> tuple[bytes, bytes]:
    place = folder / "proposals" / PROPOSAL
    return (place / "brief.md").read_bytes(), (place / "brief.html").read_bytes()


@pytest.mark.parametrize("reviewers", MODES)
async def test_killed_beside_any_transaction(server: Misbehaving, tmp_path: Path, reviewers: int) -> None:
    modes = MODES[reviewers]
    async with forking() as run:
        whole = tmp_path / "undisturbed"
        whole.mkdir()
        assert await run(Job(str(whole), server.base_url, modes)) == RUNS_TO_ITS_END
        assert Counter(server.models) == dict.fromkeys(modes, 1)
        for number, (when, kind, nth) in enumerate(points(reviewers)):
            folder = tmp_path / f"{when}-{kind}-{nth}"
            folder.mkdir()
            server.models.clear()
            job = Job(str(folder), server.base_url, modes, "new", when, kind, nth)
            assert await run(job) == -signal.SIGKILL, job
            await taken_up(server, run, job, checkpoint_lost=number % 2 == 1)
            assert brief_of(folder) == brief_of(whole), job


async def taken_up(server: Misbehaving, run: Run, job: Job, *, checkpoint_lost: bool) -> None:
    """Resume, and hold what the server was asked against what was on record at the kill."""
    folder, asked = Path(job.folder), Counter(server.models)
    with Ledger.open(folder / "records.db", actor="test") as ledger:
        begun = ledger.of(ReviewRun)
        answered = {response.attempt for _, response in ledger.of(Response)}
        flying = [attempt for _, attempt in ledger.of(Attempt) if attempt.attempt not in answered]
    if checkpoint_lost:
        for file in (folder / ".committee").glob("checkpoints.db*"):
            file.unlink()
    again = begun[0][1].run if begun else "new"
    assert await run(Job(job.folder, server.base_url, job.modes, again)) == RUNS_TO_ITS_END, job
    for attempt in answered:
        mode = job.modes[int(attempt.split("/")[1].removeprefix("r"))]
        assert server.models.count(mode) == asked[mode] == 1, (job, attempt)
    assert sum(Counter(server.models).values()) <= len(job.modes) + len(flying), job
    with Ledger.open(folder / "records.db", actor="test") as ledger:
        unknown = [
            f"{call.run}/{call.reviewer}/{call.number}" for call in calls(ledger) if call.ended == "outcome_unknown"
        ]
        assert sorted(unknown) == sorted(attempt.attempt for attempt in flying), job
        assert (len(ledger.of(Brief)), len(ledger.of(ReviewRun))) == (1, 1), job
        assert len(ledger.of(Verdict)) == 2, job
    assert verify(folder / "records.db").ok, job
