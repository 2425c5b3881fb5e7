"""Writing for many branches at once: what several want on record goes to disk together, in one transaction.

What a branch wants is decided under the books as they are at that very moment: a budget that was read before somebody
else wrote is read again. A branch goes on when its entries are on disk, as if it had written alone.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from committee.review.books import Books
from ledger.entries import Payload
from ledger.store import Ledger, LedgerError

MAX_RACES = 200  # another process that writes between every reading and writing of ours is not to be expected


@dataclass(frozen=True)
class Wanted:
    """Entries for the ledger, and the contents of blobs that they name; nothing where nothing is left to record."""

    payloads: tuple[Payload, ...] = ()
    contents: tuple[bytes, ...] = ()


Decide = Callable[[Books], Wanted]


@dataclass(frozen=True)
class _Request:
    decide: Decide
    done: asyncio.Future[Wanted]


class Scribe:
    """One for all branches of a process."""

    def __init__(self, ledger: Ledger, books: Books) -> None:
        self.ledger, self.books = ledger, books
        self._waiting: list[_Request] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, decide: Decide) -> Wanted:
        """Record what `decide` wants under the books of this moment, and say what that was.

        It may be called more than once and must only read. Raises what it raises, and LedgerError.
        """
        request = _Request(decide, asyncio.get_running_loop().create_future())
        self._waiting.append(request)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        return await request.done

    async def settle(self) -> None:
        """Wait until nothing is being written, also when told to stop meanwhile: the ledger is closed after this."""
        while self._writing is not None and not self._writing.done():
            try:
                await asyncio.shield(self._writing)
            except asyncio.CancelledError:
                if self._writing.done():
                    raise

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            for request, outcome in zip(batch, await asyncio.to_thread(self._commit, batch), strict=True):
                if request.done.done():
                    continue  # its branch was stopped; what it wanted is on record all the same
                if isinstance(outcome, Wanted):
                    request.done.set_result(outcome)
                else:
                    request.done.set_exception(outcome)

    def _commit(self, batch: Sequence[_Request]) -> list[Wanted | Exception]:
        """All together; where the ledger refuses, each alone, so that only the one at fault fails."""
        try:
            return self._together(batch)
        except Exception as error:  # noqa: BLE001 - handed to the branch that waits for it
            if len(batch) == 1:
                return [error]
        return [outcome for request in batch for outcome in self._commit([request])]

    def _together(self, batch: Sequence[_Request]) -> list[Wanted | Exception]:
        for _ in range(MAX_RACES):
            draft = self.books.draft()
            wanted = [_decided(request.decide, draft) for request in batch]
            payloads = [payload for one in wanted if isinstance(one, Wanted) for payload in one.payloads]
            contents = [content for one in wanted if isinstance(one, Wanted) for content in one.contents]
            entries = self.ledger.append_after(draft.seq, payloads, contents)
            if entries is not None:
                for entry in entries:
                    self.books.take(entry.payload)
                    self.books.seq = entry.seq
                return wanted
            self.books.catch_up(self.ledger)
        raise LedgerError(f"{self.ledger.path} is written by others all the time; end them and try again")


def _decided(decide: Decide, draft: Books) -> Wanted | Exception:
    try:
        wanted = decide(draft)
    except Exception as error:  # noqa: BLE001 - handed to the branch that waits for it
        return error
    for payload in wanted.payloads:
        draft.take(payload)
    return wanted


@asynccontextmanager
async def scribe_at(ledger: Ledger, books: Books) -> AsyncIterator[Scribe]:
    """A scribe that has written everything when the block ends, however it ends."""
    books.catch_up(ledger)
    scribe = Scribe(ledger, books)
    try:
        yield scribe
    finally:
        await scribe.settle()
