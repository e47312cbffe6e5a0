"""Counting store: what counters share, within a process and between two that use one Redis."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import redis

from rest_facade.access.counting_store import CountingStore
from tests.faults.store import Store
from tests.helpers.waiting import becomes


@pytest.fixture(params=["memory", "redis"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[CountingStore, CountingStore]]:
    """The counting stores of two processes."""
    if request.param == "memory":
        yield CountingStore("memory"), CountingStore("memory")
        return
    with Store(tmp_path) as redis:
        both = CountingStore(redis.url), CountingStore(redis.url)
        yield both
        for store in both:
            await store.close()


async def test_counters_of_different_names_count_apart(stores: tuple[CountingStore, CountingStore]) -> None:
    store, _ = stores
    assert (await store.counter("quota", 60).consume("key", 5)).remaining == 4
    assert (await store.counter("other", 60).consume("key", 5)).remaining == 4
    failed, other = store.failure_window("throttle"), store.failure_window("other")
    assert await failed.add("192.0.2.1")
    assert ((await failed.failures("192.0.2.1")).total, (await other.failures("192.0.2.1")).total) == (1, 0)


async def test_only_redis_shares(stores: tuple[CountingStore, CountingStore], request: pytest.FixtureRequest) -> None:
    one, other = stores
    await one.counter("quota", 60).consume("key", 5)
    await one.failure_window("throttle").add("192.0.2.1")
    is_shared = "memory" not in request.node.name
    assert (await other.counter("quota", 60).consume("key", 5)).remaining == (3 if is_shared else 4)
    assert (await other.failure_window("throttle").failures("192.0.2.1")).total == int(is_shared)


async def test_uses_are_reserved_whole_or_not_and_given_back(stores: tuple[CountingStore, CountingStore]) -> None:
    counter = stores[0].counter("points", 86_400)
    first = await counter.reserve("key", 100, 70)
    assert (first.limit, first.remaining, first.over) == (100, 30, False)
    refused = await counter.reserve("key", 100, 31)
    assert (refused.remaining, refused.over) == (30, True)
    assert (await counter.reserve("key", 100, 30)).remaining == 0
    assert (await counter.give_back("key", first, 65)).remaining == 65
    assert (await counter.reserve("other", 100, 1)).remaining == 99
    assert (await counter.reserve("key", 100, 66)).over
    assert (await counter.reserve("key", 100, 65)).remaining == 0


async def test_uses_that_the_store_lost_are_not_given_back(tmp_path: Path) -> None:
    with Store(tmp_path) as server, redis.Redis.from_url(server.url) as administrator:
        store = CountingStore(server.url)
        counter = store.counter("points", 86_400)
        reserved = await counter.reserve("key", 100, 70)
        administrator.flushall()
        assert (await counter.give_back("key", reserved, 65)).remaining == 100
        assert (await counter.consume("key", 100)).remaining == 99
        await store.close()


async def test_store_that_does_not_count_is_down(tmp_path: Path) -> None:
    assert CountingStore("memory").is_up()
    with Store(tmp_path) as server:
        store = CountingStore(server.url, grace=60)
        counter = store.counter("quota", 60)
        await counter.consume("key", 5)
        assert store.is_up()
        server.kill()
        await counter.consume("key", 5)
        assert not store.is_up()
        await store.close()


async def test_close_ends_all_connections(tmp_path: Path) -> None:
    with Store(tmp_path) as server, redis.Redis.from_url(server.url) as observer:
        store = CountingStore(server.url)
        await store.counter("quota", 60).consume("key", 5)
        await store.failure_window("throttle").add("192.0.2.1")
        assert observer.info("clients")["connected_clients"] == 2
        await store.close()
        # The server reads the ends of connections in its own time.
        await becomes(lambda: observer.info("clients")["connected_clients"] == 1)
