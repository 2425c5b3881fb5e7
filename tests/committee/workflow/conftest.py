"""Fixtures of the workflow tests."""

from committee.testing.fixtures import server

__all__ = ["server"]
