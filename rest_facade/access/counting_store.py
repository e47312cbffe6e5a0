"""Counting store: where requests and failed authentications are counted, in this process or in a shared Redis."""

from rest_facade.access.circuit_breaker import CircuitBreaker
from rest_facade.access.failure_window import FailureWindow, MemoryWindow, SharedWindow
from rest_facade.access.rate_counter import RateCounter, close_redis_store, memory_store, redis_store
from rest_facade.settings import MEMORY


class CountingStore:
    """Makes counters that use one store. The counters of a Redis share a circuit breaker.

    `address` is MEMORY, or the URL of a Redis or Valkey, such as `redis://host:port/0`.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._circuit_breaker = CircuitBreaker("quota store")
        self._redis = None if address == MEMORY else redis_store(address)
        self._windows: list[SharedWindow] = []

    def counter(self, name: str, window: int) -> RateCounter:
        """A counter in fixed windows of `window` seconds. Counters of different names do not share keys."""
        if self._redis is None:
            return RateCounter(memory_store(), prefix=name, window=window)
        return RateCounter(self._redis, prefix=f"orgdata:{name}", window=window, circuit_breaker=self._circuit_breaker)

    def failure_window(self, name: str) -> FailureWindow:
        """Moving windows of failed authentications. Windows of different names do not share keys."""
        if self._redis is None:
            return MemoryWindow()
        window = SharedWindow(self._address, f"orgdata:{name}", self._circuit_breaker)
        self._windows.append(window)
        return window

    async def close(self) -> None:
        """Close all connections to the Redis."""
        for window in self._windows:
            await window.close()
        if self._redis is not None:
            await close_redis_store(self._redis)
