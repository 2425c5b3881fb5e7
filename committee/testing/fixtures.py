"""The pytest fixture `server`: a misbehaving endpoint for the length of one test."""

from collections.abc import AsyncIterator

import pytest_asyncio

from committee.testing.misbehaving import Misbehaving, misbehaving


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Misbehaving]:
    """A running misbehaving server."""
    async with misbehaving() as running:
        yield running
