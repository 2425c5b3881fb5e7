"""One connection to a guardian, or to the far end of an ssh link: requests out, answers in, in any order.

A guardian that is gone raises at once.
"""

import asyncio
import itertools
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, Self

from harness.procfs import json_of

LARGEST_ANSWER = 1 << 22  # bytes; answers hold a specification at most


class GuardianError(Exception):
    """The guardian cannot be reached, is gone, or does not answer in time; the message says what to do."""


class RefusedError(GuardianError):
    """The guardian answered that the request cannot be met."""


class Lines(Protocol):
    """Where answers come from."""

    async def readline(self) -> bytes:
        """One line; empty, or without its end, when there will be no more."""


class Words(Protocol):
    """Where requests go."""

    def write(self, data: bytes, /) -> None:
        """Send it, or drop it when nobody is there any more."""

    def close(self) -> None:
        """Begin to close."""

    async def wait_closed(self) -> None:
        """Until it is closed."""


class Connection:
    """Requests and answers over one unix socket, or over one channel of an ssh connection."""

    def __init__(self, reader: Lines, writer: Words, who: str = "the guardian") -> None:
        """`who` is how the other side is called in messages."""
        self._reader, self._writer, self._who = reader, writer, who
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def open(cls, state_dir: Path) -> Self:
        """Connect through the directory's descriptor, because a socket's path must be short. Raises OSError."""
        directory = os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY)
        try:
            path = f"/proc/self/fd/{directory}/guardian.sock"
            return cls(*await asyncio.open_unix_connection(path, limit=LARGEST_ANSWER))
        finally:
            os.close(directory)

    @property
    def lost(self) -> bool:
        """Whether the guardian is gone."""
        return self._listening.done()

    async def ask(self, op: str, timeout_s: float, **body: Any) -> Any:
        """The result of one request. Raises RefusedError or GuardianError."""
        if self.lost:
            raise GuardianError(f"{self._who} is gone, {op!r} was not done; open the host again to start a new one")
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(json.dumps({"id": number, "op": op, **body}).encode() + b"\n")
            async with asyncio.timeout(timeout_s):
                message = await answer
        except TimeoutError as error:
            raise GuardianError(f"{self._who} did not answer {op!r} in {timeout_s:g} s; see guardian.log") from error
        finally:
            self._waiting.pop(number, None)
        if message is None:
            raise GuardianError(f"{self._who} went away during {op!r}; open the host again to start a new one")
        if "error" in message:
            raise RefusedError(message["error"])
        return message["result"]

    async def _listen(self) -> None:
        """Hand every answer to who waits for it; when the guardian is gone, tell all of them."""
        try:
            while line := await self._reader.readline():
                message = json_of(line)
                if (waiting := self._waiting.get(message["id"])) and not waiting.done():
                    waiting.set_result(message)
        except (OSError, ValueError):
            pass  # a broken connection or half a line: the guardian is gone
        finally:
            self._writer.close()
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_result(None)

    async def close(self) -> None:
        """Close the connection; the guardian goes on."""
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()
