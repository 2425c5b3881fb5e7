"""Forks a process for each review to be killed: what every one would load is loaded once.

Reads a JSON job a line, {folder, base_url, modes, run, when, kind, nth}, and answers with the child's status. The child
kills itself (SIGKILL) just before or just after the transaction that holds the nth entry of a kind; without a kind it
runs to its end. No thread runs here when it forks.
"""

import asyncio
import json
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from committee.workflow.desk import Desk
from committee.workflow.graph import resume, start
from committee.workflow.state import Stage
from ledger.entries import Payload
from ledger.store import Entry, Ledger
from tests.committee.review.sitting import config, openai
from tests.committee.workflow.office import PROPOSAL, Bench, office


@dataclass(frozen=True)
class Job:
    """One run and where it ends."""

    folder: str
    base_url: str
    modes: tuple[str, ...]
    run: str = "new"
    when: str = "before"
    kind: str = ""
    nth: int = 1


class Killing(Ledger):
    """A ledger whose process dies beside a transaction."""

    job: Job
    seen = 0

    def append_all(self, payloads: Sequence[Payload], contents: Sequence[bytes] = ()) -> tuple[Entry, ...]:
        """As always, or the end."""
        with_it = self._reached(payloads)
        self._die("before", with_it)
        entries = super().append_all(payloads, contents)
        self._die("after", with_it)
        return entries

    def append_after(
        self, seq: int, payloads: Sequence[Payload], contents: Sequence[bytes] = ()
    ) -> tuple[Entry, ...] | None:
        """As always, or the end."""
        with_it = self._reached(payloads)
        self._die("before", with_it)
        entries = super().append_after(seq, payloads, contents)
        self._die("after", with_it)
        return entries

    def _reached(self, payloads: Sequence[Payload]) -> bool:
        before, self.seen = self.seen, self.seen + sum(one.kind == self.job.kind for one in payloads)
        return before < self.job.nth <= self.seen

    def _die(self, when: str, with_it: bool) -> None:
        if with_it and when == self.job.when:
            os.kill(os.getpid(), signal.SIGKILL)


def desk_of(job: Job, ledger: Ledger, desk: Desk) -> Desk:
    """The office's desk over the ledger given."""
    return replace(desk, ledger=ledger, measure=Bench(ledger))


async def reviewed(job: Job) -> None:
    """The run to a waiting person, or as far as it lives."""
    folder = Path(job.folder)
    settings = config(*(openai(f"r{number}", mode, job.base_url) for number, mode in enumerate(job.modes)))
    with (
        office(folder, settings) as plain,
        Killing.open(folder / "records.db", actor="test", create=True) as ledger,
    ):
        assert isinstance(ledger, Killing)
        ledger.job = job
        desk = desk_of(job, ledger, plain)
        new = job.run == "new"
        result = await (start(desk, PROPOSAL, Stage.ACCEPT) if new else resume(desk, job.run, Stage.ACCEPT))
        assert result.waiting, result


def child(job: Job) -> None:
    """Never returns."""
    status = 1
    try:
        asyncio.run(reviewed(job))
        status = 0
    except BaseException:  # noqa: BLE001 - a fork ends here, whatever happened
        traceback.print_exc()
    finally:
        os._exit(status)


def main() -> None:
    """Answer until standard input ends."""
    for line in sys.stdin:
        value = json.loads(line)
        job = Job(**{**value, "modes": tuple(value["modes"])})
        pid = os.fork()
        if pid == 0:
            child(job)
        _, how = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(how)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
