"""Counters of database use, of the pool and of the request."""

import asyncio

from db.reading.query_stats import request_stats, start_request_stats
from tests.db.reading.recording import NUMBER, UNKNOWN_ORGANIZATION, RecordingDatabase


async def test_reads_count_for_pool_and_request(database: RecordingDatabase) -> None:
    stats = start_request_stats()
    await database.read_rows(UNKNOWN_ORGANIZATION, [(NUMBER, {"number": 1}), (NUMBER, {"number": 2})])
    for counted in (stats, database.query_stats):
        assert (counted.statements, counted.round_trips) == (2, 1)
        assert counted.seconds > 0


async def test_tasks_count_for_the_request_that_starts_them(database: RecordingDatabase) -> None:
    stats = start_request_stats()
    await asyncio.create_task(database.read_rows(UNKNOWN_ORGANIZATION, [(NUMBER, {"number": 1})]))
    assert (stats.statements, stats.round_trips) == (1, 1)


async def test_new_request_has_counters_of_its_own(database: RecordingDatabase) -> None:
    outer = start_request_stats()
    inner = start_request_stats()
    assert request_stats.get() is inner
    await database.read_rows(UNKNOWN_ORGANIZATION, [(NUMBER, {"number": 1})])
    assert (outer.round_trips, inner.round_trips) == (0, 1)
