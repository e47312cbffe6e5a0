"""Reader: reads of one turn of the event loop share one transaction."""

import asyncio
from uuid import UUID

import psycopg
import pytest

from db.reading.reader import Reader
from tests.db.reading import recording
from tests.db.reading.recording import NUMBER, SLEEP, TRANSACTION, UNKNOWN_ORGANIZATION, RecordingDatabase, opened
from tests.factories.rows import Rows


async def test_reads_of_one_turn_share_a_transaction(database: RecordingDatabase) -> None:
    reader = Reader(database, UNKNOWN_ORGANIZATION)
    numbered = [reader.fetch_together(NUMBER, {"number": number}) for number in range(10)]
    *first, numbers = await asyncio.gather(
        *(reader.fetch_together(TRANSACTION, {}) for _ in range(3)), asyncio.gather(*numbered)
    )
    assert len({(row.started, row.pid) for ((row),) in first}) == 1
    assert [rows[0].number for rows in numbers] == list(range(10)), "each has its own rows"
    ((later,),) = await asyncio.gather(reader.fetch_together(TRANSACTION, {}))
    assert later.started > first[0][0].started
    assert database.transactions == [13, 1]


async def test_later_read_does_not_wait_for_earlier_one(database: RecordingDatabase) -> None:
    reader = Reader(database, UNKNOWN_ORGANIZATION)
    slow = asyncio.create_task(reader.fetch_together(SLEEP, {"seconds": 60.0}))
    while not database.transactions:
        await asyncio.sleep(0)
    assert await reader.fetch_together(NUMBER, {"number": 1}) == [(1,)]
    assert not slow.done()
    slow.cancel()


async def test_heavy_reads_of_a_request_run_one_after_another(owner_url: str) -> None:
    # Of three connections one is for heavy reads. A read that waited for it would fail.
    async with opened(owner_url, size=3, pool_timeout=0.2) as database:
        reader = Reader(database, UNKNOWN_ORGANIZATION, is_heavy=True)
        reads = []
        for _ in range(3):
            reads.append(asyncio.create_task(reader.fetch_together(SLEEP, {"seconds": 0.5})))
            # Three turns of the event loop: no read joins another one.
            for _ in range(3):
                await asyncio.sleep(0)
        assert await asyncio.gather(*reads) == [[("",)]] * 3
        assert database.transactions == [1, 1, 1]


async def test_error_reaches_the_whole_batch_only(single: RecordingDatabase) -> None:
    reader = Reader(single, UNKNOWN_ORGANIZATION)
    calls = [(NUMBER, {"number": 1}), (recording.INVERSE, {"number": 0}), (NUMBER, {"number": 2})]
    outcomes = await asyncio.gather(*(reader.fetch_together(*call) for call in calls), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [psycopg.errors.DivisionByZero] * 3
    assert await reader.fetch_together(NUMBER, {"number": 3}) == [(3,)]


async def test_cancelled_read_keeps_rows_of_others(database: RecordingDatabase) -> None:
    reader = Reader(database, UNKNOWN_ORGANIZATION)
    first, second = (asyncio.create_task(reader.fetch_together(NUMBER, {"number": number})) for number in (1, 2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == [(2,)]
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_reader_ignores_organization_among_values(database: RecordingDatabase, rows: Rows) -> None:
    own: UUID = rows.organization()
    rows.team(own, name="Own")
    reader = Reader(database, own)
    found = await reader.fetch_together(recording.TEAMS, {"organization_id": rows.organization()})
    assert [row.name for row in found] == ["Own"]
