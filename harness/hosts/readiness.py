"""Waiting for a server's own ready line, in its own log only: nobody is asked over the network (lesson S2)."""

import asyncio
import re
import time

from harness.hosts.base import GuardedHost, Held, NotReady, ReadyLine
from harness.procfs import ready_line

POLL_S = 0.05
SHOWN_LINES = 5  # of the log, when it never got ready
COMPLAINT = re.compile(r"error|exception|fail|fatal|refus|invalid|cannot|unable|not supported|out of memory", re.I)


async def await_ready(host: GuardedHost, held: Held, pattern: str, timeout_s: float) -> ReadyLine | NotReady:
    """Poll the log of `held` until it says ready, the process ends or the time is up."""
    began = time.monotonic()
    while True:
        alive = await host.alive(held)  # before the log is read, so that last words are not missed
        text = await host.read_log(held)
        seconds = time.monotonic() - began
        if alive and (found := ready_line(text, pattern)):
            return ReadyLine(url=found[1], line=found[0], seconds=seconds)
        if not alive or seconds > timeout_s:
            return NotReady(detail=last_complaints(text), ended=not alive)
        await asyncio.sleep(POLL_S)


def last_complaints(text: str) -> str:
    """The last lines that look like errors, or else simply the last lines."""
    lines = [line for line in text.splitlines() if line.strip()]
    complaints = [line for line in lines if COMPLAINT.search(line)]
    return "\n".join((complaints or lines)[-SHOWN_LINES:])
