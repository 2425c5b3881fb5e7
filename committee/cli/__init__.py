"""`committee`: the whole loop at a terminal. Reads settings once, passes them down, and turns outcomes into words."""

from importlib import import_module

from harness.cli.interrupt import silently_interruptible

__all__ = ["main"]


def main() -> None:
    """Entry point of the console script."""
    with silently_interruptible():
        app = import_module("committee.cli.app")
    app.main()
