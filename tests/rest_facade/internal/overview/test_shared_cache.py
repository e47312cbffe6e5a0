"""Shared cache: one read for all that wait, values for a time, failures never."""

import asyncio

import pytest

from rest_facade.internal.overview.shared_cache import SharedCache


class Source:
    """Counts its reads, each of which waits until it is released."""

    def __init__(self) -> None:
        self.reads = 0
        self.error: Exception | None = None
        self.released = asyncio.Event()

    async def read(self) -> int:
        self.reads += 1
        await self.released.wait()
        if self.error is not None:
            raise self.error
        return self.reads


@pytest.fixture
async def source() -> Source:
    return Source()


def cache(now: list[float] | None = None, *, size: int = 2, timeout: float = 10.0) -> SharedCache[str, int]:
    times = now or [0.0]
    return SharedCache(size, seconds=60.0, timeout=timeout, clock=lambda: times[0])


async def test_concurrent_requests_share_a_read(source: Source) -> None:
    shared = cache()
    waiting = [asyncio.create_task(shared.get("a", source.read)) for _ in range(5)]
    await asyncio.sleep(0)
    source.released.set()
    assert await asyncio.gather(*waiting) == [1] * 5
    assert await shared.get("a", source.read) == 1
    assert await shared.get("b", source.read) == 2


async def test_value_is_read_again_after_its_time(source: Source) -> None:
    now = [0.0]
    shared = cache(now)
    source.released.set()
    for at, expected in ((0.0, 1), (59.9, 1), (60.0, 2), (119.0, 2)):
        now[0] = at
        assert await shared.get("a", source.read) == expected


async def test_failure_is_not_kept(source: Source) -> None:
    shared = cache()
    source.released.set()
    source.error = ValueError("broken")
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            await shared.get("a", source.read)
    source.error = None
    assert await shared.get("a", source.read) == 3


async def test_cancelled_request_leaves_its_read_to_the_next(source: Source) -> None:
    shared = cache()
    first = asyncio.create_task(shared.get("a", source.read))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    second = asyncio.create_task(shared.get("a", source.read))
    await asyncio.sleep(0)
    source.released.set()
    assert await second == 1


async def test_read_without_end_times_out(source: Source) -> None:
    with pytest.raises(TimeoutError):
        await cache(timeout=0.01).get("a", source.read)


async def test_size_is_bounded(source: Source) -> None:
    shared = cache(size=2)
    source.released.set()
    for key in "abc":
        await shared.get(key, source.read)
    assert await shared.get("c", source.read) == 3
    assert await shared.get("a", source.read) == 4
