"""Ctrl-C while modules are loaded ends the process as it ends any program: no traceback, and nothing was begun yet."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silently_interruptible() -> Iterator[None]:
    """Give SIGINT its system default for a while; only the main thread can, and in others nothing changes.

    An exception from a signal would not do: libraries catch it in the middle of their own loading.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
