"""Fair queue: which waiter gets a free slot, and that no slot is lost or used twice."""

import asyncio
import random
from collections import Counter
from collections.abc import Hashable

import pytest

from db.reading.fair_queue import FairQueue, Ticket


async def settle() -> None:
    """Let the event loop run all tasks that are ready."""
    for _ in range(10):
        await asyncio.sleep(0)


class Waiters:
    """Tasks that wait for slots, and the tenants in the order in which they got one."""

    def __init__(self, queue: FairQueue) -> None:
        self.queue = queue
        self.served: list[Hashable] = []
        self.tickets: list[Ticket] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def add(self, tenant: Hashable, count: int = 1, *, is_heavy: bool = False) -> None:
        for _ in range(count):
            self.tasks.append(asyncio.create_task(self._wait(tenant, is_heavy)))
        await settle()

    async def _wait(self, tenant: Hashable, is_heavy: bool) -> None:
        ticket = Ticket(tenant, is_heavy)
        await self.queue.acquire(ticket)
        self.tickets.append(ticket)
        self.served.append(tenant)

    async def release(self, count: int = 1) -> None:
        for _ in range(count):
            self.queue.release(self.tickets.pop(0))
            await settle()


async def test_lone_tenant_uses_every_slot() -> None:
    waiters = Waiters(FairQueue(4, share=2, heavy=4, timeout=1.0))
    await waiters.add("noisy", 6)
    assert (waiters.served, waiters.queue.in_use, waiters.queue.waiting) == (["noisy"] * 4, 4, 2)
    await waiters.release(4)
    assert (waiters.queue.in_use, waiters.queue.waiting) == (2, 0)
    await waiters.release(2)
    assert waiters.queue.in_use == 0


async def test_second_tenant_gets_the_next_slot() -> None:
    waiters = Waiters(FairQueue(4, share=2, heavy=4, timeout=1.0))
    await waiters.add("noisy", 100)
    await waiters.add("quiet")
    await waiters.release()
    assert waiters.served == ["noisy"] * 4 + ["quiet"]
    await waiters.release(100)
    assert waiters.queue.in_use == 0


async def test_tenants_that_wait_are_served_in_turn() -> None:
    waiters = Waiters(FairQueue(1, share=1, heavy=1, timeout=1.0))
    await waiters.add("a", 3)
    await waiters.add("b", 2)
    await waiters.add("c", 1)
    await waiters.release(6)
    assert waiters.served == ["a", "a", "b", "c", "a", "b"]


async def test_tenant_at_its_share_yields_to_others() -> None:
    waiters = Waiters(FairQueue(4, share=2, heavy=4, timeout=1.0))
    await waiters.add("noisy", 10)
    await waiters.add("b", 3)
    await waiters.add("c", 3)
    await waiters.release(2)
    # The first in the round is "noisy", which holds more than its share.
    assert waiters.served[4:] == ["b", "c"]
    await waiters.release(14)
    assert waiters.queue.in_use == 0


async def test_tenant_at_its_share_gets_slots_that_others_cannot_use() -> None:
    waiters = Waiters(FairQueue(4, share=1, heavy=1, timeout=1.0))
    await waiters.add("reports", 1, is_heavy=True)
    await waiters.add("others", 1, is_heavy=True)
    await waiters.add("reports", 3)
    assert waiters.served == ["reports"] * 4
    await waiters.release(5)
    assert waiters.queue.in_use == 0


async def test_heavy_reads_leave_slots_for_cheap_ones() -> None:
    waiters = Waiters(FairQueue(4, share=4, heavy=3, timeout=1.0))
    await waiters.add("reports", 10, is_heavy=True)
    assert waiters.queue.in_use == 3
    await waiters.add("reports")
    assert (waiters.queue.in_use, waiters.queue.waiting) == (4, 7)
    await waiters.release(11)
    assert waiters.queue.in_use == 0


async def test_waiter_stays_while_reads_succeed() -> None:
    queue = FairQueue(2, share=2, heavy=1, timeout=0.1)
    held, wanted, other = Ticket("a", is_heavy=True), Ticket("b", is_heavy=True), Ticket("c")
    await queue.acquire(held)
    waiting = asyncio.create_task(queue.acquire(wanted))
    until = asyncio.get_running_loop().time() + 0.3
    while asyncio.get_running_loop().time() < until:
        await queue.acquire(other)
        queue.release(other)
        await asyncio.sleep(0.01)
    assert not waiting.done()
    queue.release(held)
    await waiting
    queue.release(wanted)
    assert (queue.in_use, queue.waiting) == (0, 0)


@pytest.mark.parametrize("seed", range(2))
async def test_no_slot_is_lost_by_cancelled_waiters(seed: int) -> None:
    draw = random.Random(seed)
    queue = FairQueue(3, share=2, heavy=2, timeout=5.0)
    in_use: Counter[str] = Counter()

    async def read(tenant: str, is_heavy: bool) -> None:
        ticket = Ticket(tenant, is_heavy)
        await queue.acquire(ticket)
        in_use.update(["all", "heavy"] if is_heavy else ["all"])
        try:
            assert in_use["all"] <= 3
            assert in_use["heavy"] <= 2
            await asyncio.sleep(0)
        finally:
            in_use.subtract(["all", "heavy"] if is_heavy else ["all"])
            queue.release(ticket)

    tasks = []
    for _ in range(2_000):
        tasks.append(asyncio.create_task(read(draw.choice("abc"), draw.random() < 0.5)))
        if draw.random() < 0.3:
            draw.choice(tasks).cancel()
        if draw.random() < 0.3:
            await asyncio.sleep(0)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(result) for result in results} <= {type(None), asyncio.CancelledError}
    assert (queue.in_use, queue.waiting, in_use["all"]) == (0, 0, 0)
    assert not queue._lines
    assert not queue._held
