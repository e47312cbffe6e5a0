"""The moment up to which reads saw every change, and sums of statements. `tests/replicas` has moments of replicas.

Covers `db/reading/query_stats.py`.
"""

import asyncio
from math import inf

import pytest

from db.reading.connection import Connection
from db.reading.data_as_of import UNKNOWN
from db.reading.query_stats import start_request_stats
from tests.db.reading.recording import NUMBER, TRANSACTION, UNKNOWN_ORGANIZATION, RecordingDatabase


async def test_earliest_transaction_of_a_request_counts(database: RecordingDatabase) -> None:
    stats = start_request_stats()
    reads = [database.read_rows(UNKNOWN_ORGANIZATION, [(TRANSACTION, {})]) for _ in range(3)]
    started = [row.started for ((row,),) in await asyncio.gather(*reads)]
    assert len(set(started)) == 3
    assert stats.data_as_of == min(started)


async def test_moment_on_a_primary_is_the_start_of_the_transaction(database: RecordingDatabase) -> None:
    # Prepared after some of them.
    for _ in range(12):
        stats = start_request_stats()
        ((row,),) = await database.read_rows(UNKNOWN_ORGANIZATION, [(TRANSACTION, {})])
        assert stats.data_as_of == row.started


async def test_key_lookup_has_no_moment(database: RecordingDatabase) -> None:
    stats = start_request_stats()
    await database.read_rows(UNKNOWN_ORGANIZATION, [(TRANSACTION, {})])
    moment = stats.data_as_of
    await database.read_key("abcdefgh", [])
    await database.ping()
    assert (stats.data_as_of, stats.round_trips) == (moment, 3)


async def test_replica_that_replayed_no_commit_has_an_unknown_moment(
    database: RecordingDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Connection, "is_primary", False)
    monkeypatch.setattr("db.reading.database.DATA_AS_OF", "NULL::timestamptz")
    stats = start_request_stats()
    await database.read_rows(UNKNOWN_ORGANIZATION, [(TRANSACTION, {})])
    assert (stats.data_as_of, database.hosts.all[0].lag_seconds) == (UNKNOWN, inf)


async def test_tasks_count_for_the_request_that_starts_them(database: RecordingDatabase) -> None:
    stats = start_request_stats()
    await asyncio.create_task(database.read_rows(UNKNOWN_ORGANIZATION, [(NUMBER, {"number": 1})]))
    assert (stats.statements, stats.round_trips) == (1, 1)
