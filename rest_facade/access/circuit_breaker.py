"""How long the answers of a store of counts are waited for, and what happens while it says nothing.

A store that refuses or is gone says so at once. One that hangs says nothing, and every request would wait for it: so
after one wait in vain it is left alone for a moment, and then asked by one request at a time, until it answers.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

log = structlog.get_logger()

TICK = 0.05
"""Seconds between two looks at who is waiting."""

TICKS = 5
"""Looks after which an answer is no longer waited for. Looks are counted, not seconds: when the event loop is late,
answers may have come and only not been read, and a busy service must not take that for a store that hangs."""

PAUSE = 0.1
"""Seconds for which a store that hangs is left alone."""

MOST_QUESTIONS = 32
"""Questions at a time, each of which has a connection to itself."""

QUIET = 10.0
"""Seconds between two lines in the log, however many questions fail."""

Result = TypeVar("Result")


class OpenCircuit(Exception):
    """The store has not answered, and is not asked again for a moment."""


class CircuitBreaker:
    """What all who ask one store share: who waits, and since when the store says nothing."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._turns = asyncio.Semaphore(MOST_QUESTIONS)
        self._waiting: dict[asyncio.Timeout, int] = {}
        self._looking = self._silent = self._trying = False
        self._ask_again_at = self._tell_again_at = 0.0

    async def ask(self, question: Callable[[str], Awaitable[Result]], key: str) -> Result:
        """What the store answers. Raises Silence, TimeoutError where this is who waited in vain, or what it raises."""
        async with self._turns:
            trying = self._silent
            if trying:
                if self._trying or self._now() < self._ask_again_at:
                    raise OpenCircuit
                self._trying = True
            try:
                answer = await self._wait(question, key)
            except Exception as error:
                self._silent = isinstance(error, TimeoutError)
                self._ask_again_at = self._now() + PAUSE
                self._tell(error)
                raise
            finally:
                if trying:
                    self._trying = False
            self._silent = False
            return answer

    async def _wait(self, question: Callable[[str], Awaitable[Result]], key: str) -> Result:
        async with asyncio.timeout(None) as limit:
            self._waiting[limit] = 0
            if not self._looking:
                self._looking = True
                asyncio.get_running_loop().call_later(TICK, self._look)
            try:
                return await question(key)
            finally:
                del self._waiting[limit]

    def _look(self) -> None:
        """Give up on what has been waited for too long, and look again while anybody waits."""
        for limit, looks in self._waiting.items():
            self._waiting[limit] = looks + 1
            if looks + 1 == TICKS:
                limit.reschedule(self._now())
        self._looking = bool(self._waiting)
        if self._looking:
            asyncio.get_running_loop().call_later(TICK, self._look)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _tell(self, error: Exception) -> None:
        if self._now() >= self._tell_again_at:
            self._tell_again_at = self._now() + QUIET
            cause = error.__cause__ or error
            log.error("store fails", store=self._name, reason=f"{type(cause).__name__}: {cause}".removesuffix(": "))
