"""bench/full_pages.py: an organization in which every list has its largest page."""

from contextlib import AsyncExitStack
from datetime import UTC, datetime

import httpx2 as httpx
from sqlalchemy import select

from bench.data import BenchDatabase
from bench.full_pages import full_pages
from bench.parts.operations import largest_pages, longest_range
from db.admin.engine import connect
from db.sample.demo.examples import example_parameters
from db.sample.embedded.database import OWNER
from db.sample.embedded.server import Server
from db.sample.seed.build import seed
from db.tables.activity import screenshots
from rest_facade.composition import build_service
from rest_facade.rest.envelopes import STANDARD
from rest_facade.settings import load
from rest_facade.v1 import ENDPOINTS

MEMBERS, FILLED = 100, 23


async def test_every_list_fills_its_largest_page(own_url: str, server: Server) -> None:
    today = datetime.now(UTC).date()
    with connect(own_url).connect() as connection:
        [organization_id] = seed(connection, organizations=1, members=MEMBERS, days=4, today=today)
        connection.commit()
        values = example_parameters(connection, organization_id, today)
        # The examples lack a person, because no one is paid for so few days.
        user_id = connection.execute(select(screenshots.c.user_id).limit(1)).scalar_one()
    values = longest_range({**values, "user_id": str(user_id), "date": str(today), "end_date": str(today)})
    data = BenchDatabase(own_url, own_url.replace(f"//{OWNER}@", "//postgres@", 1), server, [])
    data.run(full_pages(organization_id, values))
    organization = data.with_key(organization_id)
    settings = load({"signing_keys": "a signing key of the tests", "quota_limit": 1000})
    service = build_service(settings, url=own_url, base_url="http://test")
    standard = {endpoint.operation for endpoint in ENDPOINTS if endpoint.envelope is STANDARD}
    lengths = {}
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(service.running())
        transport = httpx.ASGITransport(service.public)
        client = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://test"))
        for operation, path in largest_pages(values).items():
            answer = await client.get(path, headers={"X-SERVICE-API-KEY": organization.key})
            assert answer.status_code == 200, (operation, answer.text)
            if operation in standard:
                lengths[operation] = len(answer.json()["results"])
    # A list that is new is empty until bench/full_pages.py fills it.
    assert set(lengths.values()) - {0} == {STANDARD.maximum}, lengths
    assert sum(map(bool, lengths.values())) >= FILLED, lengths
