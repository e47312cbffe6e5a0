"""Quota use: counts by minute, organization and resource group; the last 15 minutes; sums over workers."""

from collections.abc import Mapping, Sequence
from uuid import UUID, uuid4

import pytest

from rest_facade.access.quota import MINUTES, QuotaUse
from rest_facade.internal.overview.instance_use import UseByMinute, request_for, summed
from tests.rest_facade.access.clock import Clock

OWN, OTHER = UUID(int=1), UUID(int=2)
MINUTE = 29_000_000


@pytest.fixture
def clock() -> Clock:
    return Clock(MINUTE * 60.0)


@pytest.fixture
def use(clock: Clock) -> QuotaUse:
    return QuotaUse(clock)


def counted(*workers: QuotaUse, ids: Sequence[UUID] = (OWN,)) -> Mapping[UUID, UseByMinute]:
    """The counts of workers together."""
    return summed([worker.answer(request_for(ids)) for worker in workers], ids)


def test_requests_and_refusals_are_counted_by_group(use: QuotaUse, clock: Clock) -> None:
    for is_refused in (False, False, True):
        use.add(OWN, "members", is_refused=is_refused)
    use.add(OWN, "teams", is_refused=False)
    use.add(OTHER, "teams", is_refused=True)
    worker = QuotaUse(clock)
    worker.add(OWN, "teams", is_refused=True)
    assert counted(use) == {OWN: {"members": {MINUTE: (3, 1)}, "teams": {MINUTE: (1, 0)}}}
    both = {OWN: {"members": {MINUTE: (3, 1)}, "teams": {MINUTE: (2, 1)}}, OTHER: {"teams": {MINUTE: (1, 1)}}}
    assert counted(use, worker, ids=[OWN, OTHER]) == both
    assert counted(use, ids=[UUID(int=3)]) == {UUID(int=3): {}}
    assert use.answer(request_for([])) == b'{"started_at":1740000000.0,"use":[]}'


def test_a_minute_begins_at_the_full_minute(use: QuotaUse, clock: Clock) -> None:
    for seconds in (0, 59.9, 60):
        clock.now = MINUTE * 60.0 + seconds
        use.add(OWN, "teams", is_refused=False)
    assert counted(use) == {OWN: {"teams": {MINUTE: (2, 0), MINUTE + 1: (1, 0)}}}


def test_counts_are_dropped_after_15_minutes(use: QuotaUse, clock: Clock) -> None:
    use.add(OWN, "teams", is_refused=False)
    clock.now += (MINUTES - 1) * 60
    assert counted(use) == {OWN: {"teams": {MINUTE: (1, 0)}}}
    clock.now += 60
    assert counted(use) == {OWN: {}}
    for _ in range(100):
        use.add(uuid4(), "teams", is_refused=False)
        clock.now += 60
    assert len(use._by_minute) <= MINUTES


def test_a_clock_that_steps_back_counts_on(use: QuotaUse, clock: Clock) -> None:
    use.add(OWN, "teams", is_refused=False)
    clock.now += 120
    use.add(OWN, "teams", is_refused=False)
    clock.now -= 120
    use.add(OWN, "teams", is_refused=True)
    assert counted(use) == {OWN: {"teams": {MINUTE: (2, 1)}}}
