"""Slow clients, disconnecting clients, and too many clients: others are served, and nothing leaks."""

import asyncio
import random
import socket
import struct
import time
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import insert

from db.tables.timesheets import idle_times
from rest_facade.server.listener_protocols import PublicProtocol
from tests.factories.rows import Rows
from tests.faults.clients import (
    connect_with_small_buffer,
    cpu_seconds,
    get,
    memory_mb,
    metric_value,
    open_connections,
    open_descriptors,
    read_response,
    response_times,
    send_byte_by_byte,
    statuses,
)
from tests.faults.much_time import add_time, interval
from tests.faults.service import Serving, serving
from tests.helpers.waiting import until

pytestmark = pytest.mark.fault


@pytest.fixture(scope="module")
def organization(rows: Rows) -> UUID:
    """An organization with large pages: 20 people with 1,000 timesheets, each with three idle times."""
    own = rows.organization()
    rows.quota(own, 1_000_000)
    for number in range(100):
        rows.client(own, name=f"Client {number} " + "x" * 100)
    idle = [
        interval(own, sheet["user_id"], sheet["started_at"] + timedelta(minutes=4 * n), 2, timesheet_id=sheet["id"])
        for sheet in add_time(rows, own, 50, every=20, minutes=20)
        for n in range(3)
    ]
    with rows.transaction(own):
        rows.connection.execute(insert(idle_times), idle)
    return own


SMALL = "/v1/clients/?limit=1"
LARGE = "/v1/timesheet_idle_times/?limit=20&start_date=2026-01-05&end_date=2026-01-25"


def settled(service: Serving) -> int:
    """The number of descriptors of the idle service, without connections of clients."""
    until(lambda: open_connections(service.address) == 0)
    until(lambda: metric_value(service, "orgdata_pool_in_use") == 0, every=0.1)
    return open_descriptors(service.process.pid)


def warm(service: Serving, key: str) -> int:
    """Make the service open all database connections; returns its descriptors."""
    assert asyncio.run(statuses(service.address, [get(LARGE, key)] * 32, clients=16)) == {200: 32}
    return settled(service)


def let_go(service: Serving, before: int, timeout: float = 10.0) -> None:
    """Wait until the service has closed all connections and has, but for four, as many descriptors as before."""
    until(lambda: open_connections(service.address) == 0, timeout, every=0.1)
    until(lambda: open_descriptors(service.process.pid) <= before + 4, every=0.1)


def percentile(took: list[float], share: float) -> float:
    return sorted(took)[int(len(took) * share)]


def test_slow_heads_are_closed_and_delay_nobody(service: Serving, key: str) -> None:
    before = warm(service, key)
    cut = metric_value(service, "orgdata_connections_cut_total", 'why="head"')

    async def both() -> tuple[list[float], list[float]]:
        slow = [asyncio.create_task(send_byte_by_byte(service.address, get(SMALL, key), 5.0)) for _ in range(1000)]
        others = await response_times(service.address, get(SMALL, key), 8.0)
        return await asyncio.gather(*slow), others

    closed, others = asyncio.run(both())
    assert max(closed) <= 10.0 and min(closed) > 2
    assert percentile(others, 0.99) < 0.25
    assert metric_value(service, "orgdata_connections_cut_total", 'why="head"') == cut + 1000
    let_go(service, before)


def test_clients_that_never_read_are_closed(service: Serving, key: str) -> None:
    """With pipelined requests, `Connection: close`, half-closed connections, and one byte read per second."""
    before = warm(service, key)
    memory = memory_mb(service.process.pid)
    cut = metric_value(service, "orgdata_connections_cut_total", 'why="reader"')
    last, many = get(LARGE, key, "Connection: close"), get(LARGE, key) * 20

    async def unread(data: bytes, *, half: bool = False, slowly: bool = False) -> None:
        loop = asyncio.get_running_loop()
        async with turns:  # or some would wait too long for a database connection, or for their turn to send a request
            connection = await connect_with_small_buffer(service.address)
            await loop.sock_sendall(connection, data)
            assert await loop.sock_recv(connection, 12) == b"HTTP/1.1 200"
        with connection:
            if half:  # not before: such a connection has one second for its answer, which a busy machine exceeds
                connection.shutdown(socket.SHUT_WR)
            while slowly:
                if not await loop.sock_recv(connection, 1):
                    break
                await asyncio.sleep(1)
            await gone.wait()

    async def all_of_them() -> None:
        tasks = [asyncio.create_task(unread(data)) for data in (last, many) for _ in range(10)]
        tasks += [asyncio.create_task(unread(data, half=True)) for data in (get(LARGE, key), last) for _ in range(10)]
        tasks += [asyncio.create_task(unread(many, slowly=True)) for _ in range(10)]
        # No response is complete, and no request has a database connection.
        await asyncio.to_thread(until, lambda: open_connections(service.address) == len(tasks), 15)
        await asyncio.to_thread(until, lambda: metric_value(service, "orgdata_pool_in_use") == 0)
        assert percentile(await response_times(service.address, get(SMALL, key), 3.0), 0.99) < 0.25
        assert memory_mb(service.process.pid) - memory < 100
        await asyncio.to_thread(let_go, service, before, PublicProtocol.READ_TIMEOUT + 10)
        gone.set()
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert [each for each in ended if isinstance(each, AssertionError)] == []

    gone, turns = asyncio.Event(), asyncio.Semaphore(4)
    asyncio.run(all_of_them())
    assert metric_value(service, "orgdata_connections_cut_total", 'why="reader"') == cut + 50


def test_disconnecting_clients_leak_nothing(service: Serving, key: str, owner_url: str) -> None:
    """They disconnect while their request waits for a locked table or for a connection."""
    before = warm(service, key)
    memory = memory_mb(service.process.pid)

    async def leave(number: int) -> None:
        _, writer = await asyncio.open_connection(*service.address)
        writer.write(get(SMALL, key))
        await asyncio.sleep(random.Random(number).random())
        if number % 2:
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.close()

    async def all_of_them() -> None:
        await asyncio.gather(*(leave(number) for number in range(500)))

    with psycopg.connect(owner_url) as locking:
        locking.execute("LOCK TABLE clients IN ACCESS EXCLUSIVE MODE")
        asyncio.run(all_of_them())
        # Their requests end with them, although the table is still locked.
        until(lambda: metric_value(service, "orgdata_pool_in_use") == 0, 5.0, every=0.1)
    let_go(service, before, 15.0)
    assert metric_value(service, "orgdata_pool_in_use") == 0
    assert asyncio.run(statuses(service.address, [get(SMALL, key)] * 100)) == {200: 100}
    assert memory_mb(service.process.pid) - memory < 20


def test_concurrent_large_pages_use_bounded_memory(service: Serving, key: str) -> None:
    before = warm(service, key)
    for _ in range(2):
        found = asyncio.run(statuses(service.address, [get(LARGE, key)] * 200, clients=200))
        # Requests that wait too long for a connection are a 500; those above the limit of an organization a 429.
        assert found[200] + found[500] + found[429] == 200 and found[200] > 0
    assert memory_mb(service.process.pid, "VmHWM") < 300
    let_go(service, before)
    assert asyncio.run(statuses(service.address, [get(LARGE, key)] * 20, clients=2)) == {200: 20}


def test_connections_beyond_descriptors_are_refused(owner_url: str, key: str, folder: Path) -> None:
    limit = ("prlimit", "--nofile=128")
    with serving(folder, before=limit, database_url=owner_url, pool_size="4") as service:
        operators = "127.0.0.1", int(service.internal.rpartition(":")[2])
        pid = service.process.pid

        async def crowd(address: tuple[str, int], most: int) -> None:
            """Open far more connections than allowed, while an earlier one is served."""
            reader, writer = await asyncio.open_connection(*service.address)
            writer.write(get(SMALL, key))
            assert (await read_response(reader))[0] == 200
            crowd = [await asyncio.open_connection(*address) for _ in range(300)]
            began = cpu_seconds(pid)
            for _ in range(20):
                writer.write(get(SMALL, key))
                assert (await read_response(reader))[0] == 200
                await asyncio.sleep(0.05)
            assert cpu_seconds(pid) - began < 0.5
            assert service.process.poll() is None
            assert open_descriptors(pid) <= most
            for _, other in (*crowd, (reader, writer)):
                other.close()

        for address, most in ((service.address, 96), (operators, 128)):
            asyncio.run(crowd(address, most))
            until(lambda: open_descriptors(pid) < 60, 15, every=0.1)
            assert asyncio.run(statuses(service.address, [get(SMALL, key)] * 20)) == {200: 20}
        assert metric_value(service, "orgdata_connections_cut_total", 'why="many"') > 200
        began = time.monotonic()
        assert service.stop() == 0 and time.monotonic() - began < 30
