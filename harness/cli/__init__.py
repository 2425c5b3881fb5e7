"""`harness`: measure, look and restore, without the front office. Signals are handled here and nowhere below."""

from importlib import import_module

from harness.cli.interrupt import silently_interruptible

__all__ = ["main"]


def main() -> None:
    """Entry point of the console script."""
    with silently_interruptible():
        app = import_module("harness.cli.app")
    app.main()
