"""Time slices: CPU-bound work over many items runs in parts, and the event loop serves other requests between them.

A lock lets only one part of the whole process run in PASSES passes of the event loop. Without it, twenty reports with
parts of a millisecond would each run one in every pass: other requests would wait for twenty milliseconds a pass.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar
from weakref import WeakValueDictionary

Item = TypeVar("Item")
T = TypeVar("T")

PASSES = 4
"""Passes of the event loop for each part. A request takes about eight of them, so it waits for two parts."""

# A lock refers to its event loop. Weak values: a lock lives while a task uses it, and does not keep the loop alive.
_locks: WeakValueDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakValueDictionary()


@asynccontextmanager
async def time_slice() -> AsyncIterator[None]:
    """Wait for this task's turn, run one part (about a millisecond), then let the event loop make PASSES passes."""
    loop = asyncio.get_running_loop()
    lock = _locks.get(loop)
    if lock is None:
        lock = _locks[loop] = asyncio.Lock()
    async with lock:
        yield
        # Within the lock: otherwise the next task would run its part in the same pass.
        for _ in range(PASSES):
            await asyncio.sleep(0)


async def in_time_slices(function: Callable[[Sequence[Item]], list[T]], items: Sequence[Item], size: int) -> list[T]:
    """`function(items)`, in parts of `size` items. Up to `size` items are one part, which runs without waiting."""
    if len(items) <= size:
        return function(items)
    results: list[T] = []
    for start in range(0, len(items), size):
        async with time_slice():
            results += function(items[start : start + size])
    return results
