"""Ctrl-C while modules are loaded ends the process as it ends any program: no traceback, and nothing was begun yet.

Where --json was asked for, the one JSON value says so first.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SENTENCE = "interrupted before it had an answer"


@contextmanager
def silently_interruptible() -> Iterator[None]:
    """Give SIGINT its system default for a while; only the main thread can, and in others nothing changes.

    An exception from a signal would not do: libraries catch it in the middle of their own loading.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _say_and_end if "--json" in sys.argv[1:] else signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _say_and_end(number: int, _: FrameType | None) -> None:
    """Past the buffers of standard output, which nothing was written to yet; then the system's default ends it."""
    with suppress(OSError):
        os.write(1, json.dumps({"error": SENTENCE}).encode() + b"\n")
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
