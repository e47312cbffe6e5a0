"""Time slices: CPU-bound work over many items runs in parts, and the event loop serves other requests between them.

A lock lets one part of the whole process run in some passes of the event loop. Without it, twenty reports that each
yield after a millisecond would still delay every pass of a neighbour's request by twenty.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar
from weakref import WeakKeyDictionary

Item = TypeVar("Item")
Result = TypeVar("Result")

PASSES = 4
"""Passes of the event loop for each part. A request takes about eight of them, so it waits for two parts."""

_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


@asynccontextmanager
async def time_slice() -> AsyncIterator[None]:
    """Run a part of about a millisecond when it is this task's turn; then let the event loop make some passes."""
    loop = asyncio.get_running_loop()
    lock = _locks.get(loop)
    if lock is None:
        lock = _locks[loop] = asyncio.Lock()
    async with lock:
        yield
        # Within the lock: otherwise the next task would run its part in the same pass.
        for _ in range(PASSES):
            await asyncio.sleep(0)


async def in_time_slices(
    function: Callable[[Sequence[Item]], list[Result]], items: Sequence[Item], size: int
) -> list[Result]:
    """`function(items)`, in parts of `size` items. At most one part: at once, without a turn of the event loop."""
    if len(items) <= size:
        return function(items)
    results: list[Result] = []
    for start in range(0, len(items), size):
        async with time_slice():
            results += function(items[start : start + size])
    return results
