"""/versions.json: what runs, without a token, also while the database is away."""

from platform import python_version

import httpx2 as httpx
import psycopg

from db.admin.migrate import head
from rest_facade.composition import Service
from rest_facade.version import service_version
from tests.conftest import BASE_URL
from tests.rest_facade.conftest import Vary


async def versions_of(service: Service) -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(service.internal), base_url=BASE_URL) as http:
        return await http.get("/versions.json")


async def test_versions_are_those_that_run(service: Service, owner_url: str) -> None:
    with psycopg.connect(owner_url) as connection:
        server = connection.execute("SHOW server_version").fetchall()[0][0]
    response = await versions_of(service)
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    assert response.json() == {
        "service": service_version(),
        "python": python_version(),
        "postgresql": server,
        "migration": {"database": head(), "service": head()},
    }


async def test_unreachable_database_has_no_versions(vary: Vary) -> None:
    async with vary(url="postgresql://nobody@127.0.0.1:1/none") as unreachable:
        found = (await versions_of(unreachable)).json()
    assert found["postgresql"] is None
    assert found["migration"] == {"database": None, "service": head()}
    assert found["service"] == service_version()
