"""Writing for many: together, in order, under books that nobody wrote past, and each fault with its owner."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from committee.review.books import Books
from committee.review.scribe import Scribe, Wanted, scribe_at
from ledger.entries import Exclusion, Parked
from ledger.store import Ledger, LedgerError
from tests.committee.review.sitting import RUN, config, openai

SETTINGS = config(openai("glm", "good", "http://127.0.0.1:9/v1"))
BAD = "half of a pair: \ud800"


def parked(subject: str) -> Parked:
    return Parked(subject=subject, proposal=None, reason="not understood", person="Ada")


def subjects(ledger: Ledger) -> list[str]:
    return [found.subject for _, found in ledger.of(Parked)]


@asynccontextmanager
async def writing(folder: Path) -> AsyncIterator[Scribe]:
    with Ledger.open(folder / "records.db", actor="test", create=True) as ledger:
        async with scribe_at(ledger, Books(SETTINGS)) as scribe:
            yield scribe


async def test_what_many_want_goes_in_as_asked_and_is_there_when_they_go_on(tmp_path: Path) -> None:
    async def one(scribe: Scribe, number: int) -> None:
        await scribe.write(lambda _books: Wanted((parked(f"{number}"), parked(f"{number} too"))))
        assert f"{number} too" in subjects(scribe.ledger)

    async with writing(tmp_path) as scribe:
        await asyncio.gather(*(one(scribe, number) for number in range(20)))
        said = subjects(scribe.ledger)
        assert said == [word for number in range(20) for word in (f"{number}", f"{number} too")]


async def test_a_fault_is_its_owners_alone(tmp_path: Path) -> None:
    def broken(_books: Books) -> Wanted:
        raise ValueError("a bug")

    async with writing(tmp_path) as scribe:
        asked = [
            scribe.write(lambda _books: Wanted((parked("one"),))),
            scribe.write(lambda _books: Wanted((parked(BAD),))),
            scribe.write(broken),
            scribe.write(lambda _books: Wanted((parked("two"),))),
        ]
        one, bad, bug, two = await asyncio.gather(*asked, return_exceptions=True)
        assert isinstance(one, Wanted) and isinstance(two, Wanted)
        assert isinstance(bad, Exception) and isinstance(bug, ValueError)
        assert subjects(scribe.ledger) == ["one", "two"]


async def test_what_another_wrote_meanwhile_is_read_before_deciding(tmp_path: Path) -> None:
    seen: list[str | None] = []
    async with writing(tmp_path) as scribe:
        with Ledger.open(tmp_path / "records.db", actor="another") as other:

            def decide(books: Books) -> Wanted:
                seen.append(books.ended(RUN, "glm"))
                if len(seen) == 1:
                    other.append(Exclusion(run=RUN, attempt=None, reviewer="glm", reason="empty", detail=""))
                return Wanted() if seen[-1] else Wanted((parked("mine"),))

            assert await scribe.write(decide) == Wanted()
        assert seen == [None, "empty"] and subjects(scribe.ledger) == []


async def test_within_one_batch_the_later_sees_the_earlier(tmp_path: Path) -> None:
    end = Exclusion(run=RUN, attempt=None, reviewer="glm", reason="empty", detail="")

    def once(books: Books) -> Wanted:
        return Wanted() if books.ended(RUN, "glm") else Wanted((end,))

    async with writing(tmp_path) as scribe:
        said = await asyncio.gather(scribe.write(once), scribe.write(once))
        assert [len(wanted.payloads) for wanted in said] == [1, 0]
        assert len(scribe.ledger.of(Exclusion)) == 1


async def test_what_a_stopped_branch_wanted_is_on_record_before_the_ledger_closes(tmp_path: Path) -> None:
    async with writing(tmp_path) as scribe:
        asking = asyncio.ensure_future(scribe.write(lambda _books: Wanted((parked("late"),))))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    with Ledger.open(tmp_path / "records.db", actor="test") as ledger:
        assert subjects(ledger) == ["late"]


async def test_a_ledger_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    async with writing(tmp_path) as scribe:
        scribe.ledger.close()
        with pytest.raises(LedgerError, match="is closed"):
            await scribe.write(lambda _books: Wanted((parked("one"),)))
