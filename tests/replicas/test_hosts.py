"""Choice of a replica: connections spread again after a return, and recovery conflicts are repeated elsewhere."""

import asyncio
from uuid import uuid4

import pytest

from db.reading import pool
from db.reading.database import Database, RepeatCause
from tests.db.reading.recording import NUMBER, SLEEP, opened
from tests.helpers.waiting import becomes
from tests.replicas.cluster import ReplicationCluster

pytestmark = pytest.mark.replicas

SIZE = 4


async def read_at_once(database: Database) -> None:
    """As many reads as there are connections."""
    await asyncio.gather(*(database.read_rows(uuid4(), [(NUMBER, {"number": n})]) for n in range(SIZE)))


async def read_until_connections_are(database: Database, *numbers: int) -> None:
    """Read until there are so many connections to each host, in the order of the address."""
    async with asyncio.timeout(30):
        while list(database.connections_by_host().values()) != list(numbers):
            await read_at_once(database)
            await asyncio.sleep(0.02)


async def test_connections_spread_after_a_return(cluster: ReplicationCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "SPREAD_SECONDS", 0.5)
    killed, other = cluster.replicas
    async with opened(cluster.url(killed, other), size=SIZE, tenant_share=1.0) as database:
        await read_until_connections_are(database, 2, 2)
        killed.kill()
        try:
            await read_until_connections_are(database, 0, 4)
        finally:
            killed.server.start()
        await read_until_connections_are(database, 2, 2)


async def test_recovery_conflict_is_repeated_on_the_other_replica(cluster: ReplicationCluster) -> None:
    strict, other = cluster.replicas
    with cluster.primary.session() as primary:
        primary.execute("CREATE TABLE removed AS SELECT generate_series(1, 1000) AS number")
        strict.set(max_standby_streaming_delay="0")
        try:
            async with opened(cluster.url(strict, other), size=SIZE, tenant_share=1.0) as database:
                await read_until_connections_are(database, 2, 2)
                slow = [(SLEEP, {"seconds": 2.0})]
                reading = [asyncio.create_task(database.read_rows(uuid4(), slow)) for _ in range(SIZE)]
                sleeping = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(%'"
                await becomes(lambda: strict.run(f"{sleeping} AND pid <> pg_backend_pid()") == [(2,)])
                primary.execute("DELETE FROM removed")
                primary.execute("VACUUM removed")
                await asyncio.gather(*reading)
                assert database.repeated == {**dict.fromkeys(RepeatCause, 0), RepeatCause.recovery_conflict: 2}
        finally:
            strict.set(max_standby_streaming_delay="")
            primary.execute("DROP TABLE removed")
