"""Fixtures of the review tests."""

from committee.testing.fixtures import server

__all__ = ["server"]
