"""Quota use: counts by minute, organization and resource group; the last 15 minutes; sums over workers."""

from collections.abc import Mapping, Sequence
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rest_facade.access.quota import MINUTES, QuotaUse
from rest_facade.internal.overview.instance_use import UseByMinute, request_for, summed
from tests.property_tests import examples
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


def test_requests_and_refusals_are_counted_by_group(use: QuotaUse) -> None:
    for is_refused in (False, False, True):
        use.add(OWN, "members", is_refused=is_refused)
    use.add(OWN, "teams", is_refused=False)
    use.add(OTHER, "teams", is_refused=True)
    assert counted(use) == {OWN: {"members": {MINUTE: (3, 1)}, "teams": {MINUTE: (1, 0)}}}
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


@settings(max_examples=examples(25), deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-20, 20), st.integers(0, 2), st.integers(1, 3), st.sampled_from("ab"), st.booleans())
    )
)
def test_counts_equal_a_list_of_all_requests(events: list[tuple[int, int, int, str, bool]]) -> None:
    """The clock steps by any number of minutes, but minutes that were dropped do not come back."""
    clock = Clock(MINUTE * 60.0)
    workers = [QuotaUse(clock) for _ in range(3)]
    log: list[tuple[int, UUID, str, bool]] = []
    for step, worker, number, group, is_refused in events:
        clock.now += max(0, step) * 60
        workers[worker].add(UUID(int=number), group, is_refused=is_refused)
        log.append((int(clock.now // 60), UUID(int=number), group, is_refused))
    ids = [UUID(int=number) for number in range(1, 4)]
    expected: dict[UUID, dict[str, dict[int, tuple[int, int]]]] = {each: {} for each in ids}
    for minute, id_, group, is_refused in log:
        if minute > int(clock.now // 60) - MINUTES:
            before = expected[id_].setdefault(group, {}).get(minute, (0, 0))
            expected[id_][group][minute] = before[0] + 1, before[1] + is_refused
    assert counted(*workers, ids=ids) == expected
