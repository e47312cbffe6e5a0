"""The moment up to which reads saw every change. `tests/replicas` has the moments of replicas."""

import asyncio
from datetime import UTC, datetime

import pytest

from db.reading.data_as_of import UNKNOWN, parse_data_as_of
from db.reading.query_stats import start_request_stats
from tests.db.reading.recording import TRANSACTION, UNKNOWN_ORGANIZATION, RecordingDatabase


async def test_moment_on_a_primary_is_the_start_of_the_transaction(database: RecordingDatabase) -> None:
    stats = start_request_stats()
    ((row,),) = await database.read(UNKNOWN_ORGANIZATION, [(TRANSACTION, {})])
    assert stats.data_as_of == row.started


async def test_earliest_transaction_of_a_request_counts(database: RecordingDatabase) -> None:
    stats = start_request_stats()
    reads = [database.read(UNKNOWN_ORGANIZATION, [(TRANSACTION, {})]) for _ in range(3)]
    started = [row.started for ((row,),) in await asyncio.gather(*reads)]
    assert len(set(started)) == 3
    assert stats.data_as_of == min(started)


async def test_prepared_start_returns_the_moment_too(database: RecordingDatabase) -> None:
    for _ in range(12):
        stats = start_request_stats()
        ((row,),) = await database.read(UNKNOWN_ORGANIZATION, [(TRANSACTION, {})])
        assert stats.data_as_of == row.started


async def test_key_lookup_has_no_moment(database: RecordingDatabase) -> None:
    stats = start_request_stats()
    await database.read(UNKNOWN_ORGANIZATION, [(TRANSACTION, {})])
    moment = stats.data_as_of
    await database.read_key("abcdefgh", [])
    await database.ping()
    assert (stats.data_as_of, stats.round_trips) == (moment, 3)


@pytest.mark.parametrize(
    ("microseconds", "moment"),
    [
        (825_757_200_123_456, datetime(2026, 3, 2, 9, 0, 0, 123456, tzinfo=UTC)),
        (0, datetime(2000, 1, 1, tzinfo=UTC)),
        (-1, datetime(1999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
        (-(2**63), UNKNOWN),
    ],
)
def test_moment_is_microseconds_since_2000(microseconds: int, moment: datetime) -> None:
    assert parse_data_as_of(microseconds.to_bytes(8, signed=True)) == moment
