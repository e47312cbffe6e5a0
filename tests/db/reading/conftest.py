"""Databases for the tests of `db/reading`."""

from collections.abc import AsyncIterator

import pytest

from tests.db.reading.recording import RecordingDatabase, opened


@pytest.fixture
async def database(owner_url: str) -> AsyncIterator[RecordingDatabase]:
    async with opened(owner_url) as database:
        yield database


@pytest.fixture
async def single(owner_url: str) -> AsyncIterator[RecordingDatabase]:
    """A pool of one connection: a connection that is not released blocks the next read."""
    async with opened(owner_url, size=1, pool_timeout=1.0) as database:
        yield database
