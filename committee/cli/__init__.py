"""`committee`: the whole loop at a terminal. Reads settings once, passes them down, and turns outcomes into words."""

from committee.cli.app import app, main

__all__ = ["app", "main"]
