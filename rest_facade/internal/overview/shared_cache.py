"""Cache of values that are read once for all requests that need them at the same time, and kept for some seconds."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from cachetools import TTLCache

Key = TypeVar("Key")
Value = TypeVar("Value")


class SharedCache(Generic[Key, Value]):
    """At most `size` values, each kept for `seconds`. A read that fails is not kept, and is repeated when asked again.

    A read goes on when the request that started it is cancelled: the next one finds its value. `timeout` ends it.
    """

    def __init__(
        self, size: int, *, seconds: float, timeout: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._timeout = timeout
        self._values: TTLCache[Key, Value] = TTLCache(size, seconds, clock)
        self._pending: dict[Key, asyncio.Task[Value]] = {}

    async def get(self, key: Key, read: Callable[[], Awaitable[Value]]) -> Value:
        """The value of `key`, from the cache or from `read`. Raises what `read` raises, and TimeoutError."""
        try:
            return self._values[key]
        except KeyError:
            pass
        task = self._pending.get(key)
        if task is None:
            task = self._pending[key] = asyncio.create_task(self._read(key, read))
            task.add_done_callback(lambda done: self._end(key, done))
        return await asyncio.shield(task)

    async def _read(self, key: Key, read: Callable[[], Awaitable[Value]]) -> Value:
        async with asyncio.timeout(self._timeout):
            value = self._values[key] = await read()
        return value

    def _end(self, key: Key, task: asyncio.Task[Value]) -> None:
        del self._pending[key]
        if not task.cancelled():
            # Every request may be gone: without this, asyncio would log an exception that none has seen.
            task.exception()
