"""A review run has one process at a time, and a lock that nobody has to clear away."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from committee.testing.misbehaving import Misbehaving
from committee.workflow.graph import decide, resume
from committee.workflow.lock import held, held_everywhere
from ledger.entries import Attempt, Review
from ledger.store import Ledger
from tests.committee.review.sitting import config, openai
from tests.committee.workflow.office import office
from tests.committee.workflow.test_kill import reviewing, until_in_flight


async def test_a_second_resume_is_refused_while_another_process_works(server: Misbehaving, tmp_path: Path) -> None:
    settings = config(
        openai("quick", "good", server.base_url),
        openai("slow", "hold", server.base_url),
        openai("odd", "empty", server.base_url),
    )
    async with reviewing(tmp_path, server, "new") as process:
        run = await until_in_flight(tmp_path, server, held=1, ended=2)
        with office(tmp_path, settings) as desk:
            for second in (await resume(desk, run), await decide(desk, run, {})):
                assert second.exit_code == 1
                assert second.ended == (
                    f"process {process.pid} is at work on this run; "
                    f"wait for its end or stop it, then `committee resume {run}`"
                )
        server.released.set()
        assert await process.wait() == 0
    with Ledger.open(tmp_path / "records.db", actor="test") as ledger:
        assert sorted(review.reviewer for _, review in ledger.of(Review)) == ["quick", "slow"]
        assert len(ledger.of(Attempt)) == 3
    assert (server.count("good"), server.count("empty"), server.count("hold")) == (1, 1, 1)


async def test_two_tasks_of_one_process_ask_once(server: Misbehaving, tmp_path: Path) -> None:
    async with reviewing(tmp_path, server, "new"):
        run = await until_in_flight(tmp_path, server, held=1, ended=2)
    settings = config(
        openai("quick", "good", server.base_url),
        openai("slow", "hold", server.base_url),
        openai("odd", "empty", server.base_url),
    )
    server.released.set()
    with office(tmp_path, settings) as one, office(tmp_path, settings) as other:
        results = await asyncio.gather(resume(one, run), resume(other, run))
        assert sorted(result.exit_code for result in results) == [0, 1]
        assert [review.attempt for _, review in one.ledger.of(Review, reviewer="slow")] == [f"{run}/slow/2"]
    assert server.count("hold") == 2


@dataclass(frozen=True)
class Shared:
    """A ledger that machines share, on which a name is free or not."""

    free: bool
    path: str = "postgresql://ada@db/records"

    @contextmanager
    def claimed(self, name: str) -> Iterator[bool]:
        yield self.free


def test_a_run_that_another_machine_holds_is_refused(tmp_path: Path) -> None:
    with held_everywhere(Shared(free=True), tmp_path, "review-000001") as first:
        assert first == ""
        with held_everywhere(Shared(free=True), tmp_path, "review-000001") as second:
            assert second.startswith(f"process {os.getpid()} is at work on this run;")
    with held_everywhere(Shared(free=False), tmp_path, "review-000001") as elsewhere:
        assert elsewhere == (
            "another machine is at work on this run, by the ledger that it shares (postgresql://ada@db/records); wait "
            "for its end or stop it there, then `committee resume review-000001`"
        )
    path = tmp_path / "records.db"
    with Ledger.open(path, actor="test", create=True) as ledger, ledger.claimed("review-000001") as free:
        assert free, "a file is one machine's"


def test_who_holds_a_run_is_said(tmp_path: Path) -> None:
    with held(tmp_path, "review-000001") as first, held(tmp_path, "review-000001") as second:
        assert first == ""
        assert second.startswith(f"process {os.getpid()} is at work on this run;")
        with held(tmp_path, "review-000002") as other:
            assert other == ""
    with held(tmp_path, "review-000001") as again:
        assert again == ""
