"""Kill -9 of a review: finished attempts are never sent again, one in flight is sent once more and then left out."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from committee.testing.misbehaving import Misbehaving
from committee.workflow.graph import resume
from ledger.entries import Attempt, Exclusion, Response, Review, ReviewRun
from ledger.store import Ledger
from ledger.verify import verify
from tests.committee.review.sitting import config, openai
from tests.committee.workflow.office import office

ROOT = Path(__file__).parents[3]
PATIENCE_S = 60


@asynccontextmanager
async def reviewing(folder: Path, server: Misbehaving, run: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.committee.workflow.run_review", str(folder), server.base_url, run, cwd=ROOT
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.wait()


async def until_in_flight(folder: Path, server: Misbehaving, held: int, ended: int) -> str:
    """Wait until the slow reviewer is asked for the n-th time and the others have their end on record."""
    while server.count("hold") < held or _ends(folder) < ended:
        server.arrived.clear()
        try:
            async with asyncio.timeout(0.1):
                await server.arrived.wait()
        except TimeoutError:
            continue
    with Ledger.open(folder / "records.db", actor="test") as ledger:
        return ledger.of(ReviewRun)[0][1].run


def _ends(folder: Path) -> int:
    if not (folder / "records.db").exists():
        return 0
    with Ledger.open(folder / "records.db", actor="test") as ledger:
        return len(ledger.of(Review)) + len(ledger.of(Exclusion))


@pytest.mark.parametrize("checkpoint", ["kept", pytest.param("lost", marks=pytest.mark.system)])
async def test_a_killed_review_is_taken_up(server: Misbehaving, tmp_path: Path, checkpoint: str) -> None:
    async with reviewing(tmp_path, server, "new") as process:
        run = await until_in_flight(tmp_path, server, held=1, ended=2)
        process.kill()
        assert await process.wait() == -signal.SIGKILL
    assert verify(tmp_path / "records.db").ok
    if checkpoint == "lost":
        for file in (tmp_path / ".committee").iterdir():
            file.unlink()
    server.released.set()
    settings = config(
        openai("quick", "good", server.base_url),
        openai("slow", "hold", server.base_url),
        openai("odd", "empty", server.base_url),
    )
    with office(tmp_path, settings) as desk:
        result = await resume(desk, run)
        assert result.seats == {"quick": "complete", "slow": "complete", "odd": "empty"}
        attempts = [attempt.attempt for _, attempt in desk.ledger.of(Attempt, run=run)]
        assert sorted(attempts) == sorted(f"{run}/{name}" for name in ("quick/1", "slow/1", "slow/2", "odd/1"))
        assert len(desk.ledger.of(Response)) == 3
    assert (server.count("good"), server.count("empty"), server.count("hold")) == (1, 1, 2)


@pytest.mark.system
async def test_killed_twice_in_flight_the_slow_reviewer_is_left_out(server: Misbehaving, tmp_path: Path) -> None:
    run = "new"
    for number in (1, 2):
        async with reviewing(tmp_path, server, run):
            run = await until_in_flight(tmp_path, server, held=number, ended=2)
    server.released.set()
    async with reviewing(tmp_path, server, run) as process:
        assert await process.wait() == 0
    with Ledger.open(tmp_path / "records.db", actor="test") as ledger:
        reasons = {left.reviewer: left.reason for _, left in ledger.of(Exclusion, run=run)}
    assert reasons == {"odd": "empty", "slow": "outcome_unknown"}
    assert (server.count("good"), server.count("empty"), server.count("hold")) == (1, 1, 2)
