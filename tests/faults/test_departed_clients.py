"""Clients that leave before their answers: their requests end with them, and others are served as usual."""

import asyncio
from collections import Counter
from typing import NamedTuple

import pytest

from tests.factories.rows import Rows
from tests.faults.clients import get, metric_value, response_times, statuses
from tests.faults.much_time import add_time
from tests.faults.service import Serving
from tests.helpers.waiting import becomes, until
from tests.rest_facade.graphql.locks import locked, waiting

pytestmark = pytest.mark.fault

REPORT = "/v1/time_activity_reports/?start_date=2026-01-05&end_date=2026-02-04&limit=20"
SMALL = "/v1/clients/?limit=1"

LEAVING = 6
ROUNDS = 50
"""Clients that leave at once, and how often each of them does."""


class Keys(NamedTuple):
    """Those of an organization whose clients leave, and of another one."""

    leaving: str
    other: str


@pytest.fixture(scope="module")
def keys(rows: Rows) -> Keys:
    own, other = rows.organization(), rows.organization()
    for organization_id in (own, other):
        rows.quota(organization_id, 1_000_000)
        rows.client(organization_id)
    add_time(rows, own)
    return Keys(rows.partner_key(own), rows.partner_key(other))


async def leave(service: Serving, request: bytes) -> None:
    """Send a request and close the connection."""
    _, writer = await asyncio.open_connection(*service.address)
    writer.write(request)
    await writer.drain()
    writer.close()


async def test_requests_of_departed_clients_end(service: Serving, keys: Keys) -> None:
    """They waited for the database one behind the other, minutes after their clients had left."""
    assert await statuses(service.address, [get(REPORT, keys.leaving)] * 4) == {200: 4}
    left = metric_value(service, "orgdata_connections_cut_total", 'why="left"')

    async def flood() -> None:
        for _ in range(ROUNDS):
            await leave(service, get(REPORT, keys.leaving))

    others = asyncio.create_task(response_times(service.address, get(SMALL, keys.other), 3.0))
    await asyncio.gather(*(flood() for _ in range(LEAVING)))
    async with asyncio.timeout(10):
        assert await statuses(service.address, [get(REPORT, keys.leaving)], clients=1) in ({200: 1}, {429: 1})
    assert len(await others) > 50
    await asyncio.to_thread(until, lambda: metric_value(service, "orgdata_pool_in_use") == 0, 5)
    counted = metric_value(service, "orgdata_connections_cut_total", 'why="left"') - left
    assert 0 < counted <= LEAVING * ROUNDS
    assert await statuses(service.address, [get(REPORT, keys.leaving)] * 4) == {200: 4}


async def test_statements_of_departed_clients_end(service: Serving, keys: Keys, owner_url: str) -> None:
    """They wait for a locked table, as long as the lock is held."""
    with locked(owner_url, "clients"):
        await asyncio.gather(*(leave(service, get(SMALL, keys.leaving)) for _ in range(40)))
        await becomes(lambda: waiting(owner_url))
        await becomes(lambda: not waiting(owner_url), 3)
        await asyncio.to_thread(until, lambda: metric_value(service, "orgdata_pool_in_use") == 0, 3)
    assert await statuses(service.address, [get(SMALL, keys.leaving)] * 20) == {200: 20}


async def test_requests_of_an_organization_at_once_are_bounded(service: Serving, keys: Keys, owner_url: str) -> None:
    with locked(owner_url, "clients"):
        one = (service.address, [get(SMALL, keys.leaving)], 1)
        asked = [asyncio.create_task(statuses(*one)) for _ in range(150)]
        await becomes(lambda: sum(each.done() for each in asked) >= 50)
    found = sum(await asyncio.gather(*asked), Counter[int]())
    assert found[429] == 50
    assert found[200] + found[500] == 100
