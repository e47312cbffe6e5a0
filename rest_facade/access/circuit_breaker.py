"""Circuit breaker for a store of counts: a time limit for each call, and an open circuit while the store hangs.

A store that is down refuses connections, and calls fail at once. A store that hangs would delay every request by the
time limit. So a call that times out opens the circuit: calls fail with OpenCircuit at once, except one trial call at a
time, the first after PAUSE seconds. The first call that succeeds, or fails otherwise, closes the circuit.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

import structlog

log = structlog.get_logger()

TICK = 0.05
"""Seconds between two checks of the calls in progress."""

TIMEOUT_TICKS = 5
"""Checks after which a call times out. Checks are counted instead of seconds: while the event loop is late, answers may
have arrived without having been read, and a busy service must not take that for a store that hangs."""

PAUSE = 0.1
"""Seconds between a timeout and the next trial call."""

MAX_CALLS = 32
"""Concurrent calls. Each has a connection of its own."""

LOG_INTERVAL = 10.0
"""Seconds between two log lines, however many calls fail."""

P = ParamSpec("P")
T = TypeVar("T")


class OpenCircuit(Exception):
    """The store hangs, and was not called."""


class CircuitBreaker:
    """The state of one store, shared by all who call it."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._slots = asyncio.Semaphore(MAX_CALLS)
        self._ticks: dict[asyncio.Timeout, int] = {}
        self._is_ticking = self._is_open = self._is_trial_running = False
        self._next_trial_at = self._next_log_at = 0.0

    async def call(self, operation: Callable[P, Awaitable[T]], *values: P.args, **named: P.kwargs) -> T:
        """The result of the operation. Raises OpenCircuit, TimeoutError, or the operation's exception."""
        async with self._slots:
            is_trial = self._is_open
            if is_trial:
                if self._is_trial_running or self._now() < self._next_trial_at:
                    raise OpenCircuit
                self._is_trial_running = True
            try:
                result = await self._within_limit(operation(*values, **named))
            except Exception as error:
                self._is_open = isinstance(error, TimeoutError)
                self._next_trial_at = self._now() + PAUSE
                self._log(error)
                raise
            finally:
                if is_trial:
                    self._is_trial_running = False
            self._is_open = False
            return result

    async def _within_limit(self, result: Awaitable[T]) -> T:
        async with asyncio.timeout(None) as timeout:
            self._ticks[timeout] = 0
            if not self._is_ticking:
                self._is_ticking = True
                asyncio.get_running_loop().call_later(TICK, self._tick)
            try:
                return await result
            finally:
                del self._ticks[timeout]

    def _tick(self) -> None:
        """Time out the calls that have used up their ticks; tick again while calls are in progress."""
        for timeout, ticks in self._ticks.items():
            self._ticks[timeout] = ticks + 1
            if ticks + 1 == TIMEOUT_TICKS:
                timeout.reschedule(self._now())
        self._is_ticking = bool(self._ticks)
        if self._is_ticking:
            asyncio.get_running_loop().call_later(TICK, self._tick)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _log(self, error: Exception) -> None:
        if self._now() >= self._next_log_at:
            self._next_log_at = self._now() + LOG_INTERVAL
            log.error("store failed", store=self._store, reason=f"{type(error).__name__}: {error}".removesuffix(": "))
