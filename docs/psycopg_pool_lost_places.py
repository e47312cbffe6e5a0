"""psycopg_pool: `AsyncConnectionPool` loses a connection when a task is cancelled inside `putconn`.

The program reads through a pool of two connections, in batches of 20 tasks. It cancels 16 of each batch, each at a
random moment. When all tasks of a batch have ended, both connections should be available again.

Expected: `pool_available` returns to 2 after every batch.
Actual: after some hundreds or thousands of cancellations it stays at 1 although no task holds a connection. The pool
still counts the lost connection in `pool_size`, so it opens no other one, and asking for two ends in PoolTimeout.

Cause: `putconn` waits twice, in `_add_to_pool` for `self._lock` and in `WaitingClient.set` for the condition's lock. A
task that is cancelled there leaves its connection neither in `_pool`, nor with a client, nor subtracted from `_nconns`.

Seen with psycopg-pool 3.3.3, psycopg 3.3.9, Python 3.11, PostgreSQL 18. Usage: psycopg_pool_lost_places.py CONNINFO
"""

import asyncio
import random
import sys

from psycopg_pool import AsyncConnectionPool, PoolTimeout


async def read(pool: AsyncConnectionPool) -> None:
    async with pool.connection() as connection:
        await connection.execute("SELECT 1")


async def cancel_some(pool: AsyncConnectionPool, chance: random.Random) -> int:
    """Read in 20 tasks and cancel 16 of them; returns how many had not ended before."""
    tasks = [asyncio.create_task(read(pool)) for _ in range(20)]
    cancelled = 0
    for task in chance.sample(tasks, 16):
        for _ in range(chance.randrange(12)):
            await asyncio.sleep(0)
        cancelled += task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return cancelled


async def main(conninfo: str) -> None:
    chance, cancelled = random.Random(1), 0
    async with AsyncConnectionPool(conninfo, min_size=2, max_size=2, kwargs={"autocommit": True}) as pool:
        await pool.wait()
        while pool.get_stats()["pool_available"] == 2 and cancelled < 100_000:
            cancelled += await cancel_some(pool, chance)
            await asyncio.sleep(0.05)  # the pool's workers return connections in the background
        await asyncio.sleep(5)
        stats = pool.get_stats()
        print(f"{cancelled} cancelled; {stats['pool_available']} of {stats['pool_size']} connections available")
        try:
            async with pool.connection(timeout=5), pool.connection(timeout=5):
                print("Both can be used.")
        except PoolTimeout as error:
            print(f"Two at once: PoolTimeout: {error}")


asyncio.run(main(sys.argv[1]))
