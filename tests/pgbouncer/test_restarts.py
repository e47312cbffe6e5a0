"""Reads while PgBouncer stops, restarts, or replaces its connections to the server."""

import asyncio
import time
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Integer, Text, cast, func, select

from db.reading.database import Database
from db.reading.pool import PoolTimeout
from db.reading.statement import Statement
from db.sample.embedded.server import Server
from db.tables.columns import bind
from tests.pgbouncer.conftest import SIZE, UNKNOWN_ORGANIZATION, Opened, missing, settings_of
from tests.pgbouncer.pooler import Pooler

pytestmark = [pytest.mark.pgbouncer, missing]

PID = Statement(
    select(
        bind("number", Integer()).label("number"),
        func.pg_backend_pid().label("pid"),
        cast(func.pg_sleep(0.005), Text).label("pause"),
    )
)


async def pid_of(database: Database, number: int) -> int:
    """The session that returned the number."""
    ((row,),) = await database.read_rows(UNKNOWN_ORGANIZATION, [(PID, {"number": number})])
    assert row.number == number
    return int(row.pid)


@pytest.mark.parametrize("pause", [0.0, 0.5], ids=["at once", "after a while"])
async def test_reads_resume_after_pgbouncer_restart(opened: Opened, pooler: Pooler, pause: float) -> None:
    async with opened(pool_timeout=0.5) as database:
        await asyncio.gather(*(settings_of(database) for _ in range(20)))
        pooler.kill()
        if pause:
            with pytest.raises((psycopg.OperationalError, PoolTimeout)):
                await settings_of(database)
            await asyncio.sleep(pause)
        pooler.start()
        async with asyncio.timeout(15):
            while True:
                try:
                    assert await settings_of(database) == ("orgdata_service", "on", "UTC", "5s", "off", "1s")
                    break
                except (psycopg.OperationalError, PoolTimeout):
                    await asyncio.sleep(0.05)
        answers = await asyncio.gather(*(pid_of(database, number) for number in range(20)))
        assert len(answers) == 20


async def test_replaced_sessions_fail_no_read(server: Server, folder: Path, own_url: str) -> None:
    with Pooler(server, folder, size=2, lifetime=1) as pooler:
        database = Database(pooler.url(own_url), prepare_threshold=None)
        await database.open()
        pids, number, ends = set[int](), 0, time.monotonic() + 30
        while len(pids) < 4 and time.monotonic() < ends:
            found = await asyncio.gather(*(pid_of(database, number + at) for at in range(4)))
            pids |= set(found)
            number += 4
        await database.close()
    assert len(pids) >= 4, "two at a time, so each was replaced"


async def test_reconnect_fails_no_read(opened: Opened, pooler: Pooler) -> None:
    met = set()
    async with opened() as database:
        for _ in range(3):
            async with asyncio.timeout(10):
                # After RECONNECT, PgBouncer counts a connection that it is opening as failed.
                while len(found := await pids_of(database)) < SIZE:
                    pass
            met |= found
            reading = asyncio.create_task(pids_of(database))
            await asyncio.to_thread(pooler.ask, "RECONNECT")
            met |= await reading
    assert len(met) >= 3 * SIZE


async def pids_of(database: Database) -> set[int]:
    """The sessions that many concurrent reads used."""
    return set(await asyncio.gather(*(pid_of(database, number) for number in range(50))))
