"""`harness`: measure, look and restore, without the front office. Signals are handled here and nowhere below."""

from harness.cli.app import app, main

__all__ = ["app", "main"]
