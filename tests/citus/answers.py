"""What a service answers: every operation for each world, with the default limit and with limit=2; /overview.json."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import httpx2 as httpx
import pytest

from rest_facade.rest.envelopes import Unpaged
from rest_facade.settings import Settings
from rest_facade.v1 import ENDPOINTS
from tests.conftest import BASE_URL
from tests.helpers.endpoint_calls import url_of
from tests.rest_facade.graphql.client import GraphQLClient, varied
from tests.world import World

Answers = Mapping[tuple[str, str], tuple[int, str]]
"""Status and body by the operation with its query, and the tag of the world."""


async def answers_of(url: str, settings: Settings, worlds: Sequence[World], now: datetime) -> Answers:
    """The answers of a service over the database at `url`, whose clock stands at `now`."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("resolvers.context.clock", lambda: now)
        async with varied(settings, url) as service:
            transport = httpx.ASGITransport(service.public, client=("10.0.0.1", 1))
            async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
                for endpoint in ENDPOINTS:
                    for query in ("", "limit=2") if not isinstance(endpoint.envelope, Unpaged) else ("",):
                        for world in worlds:
                            headers = {"X-SERVICE-API-KEY": world.key}
                            response = await http.get(url_of(endpoint, world, query), headers=headers)
                            found[f"{endpoint.operation} {query}", world.tag] = (response.status_code, response.text)
    return found


MOMENTS = {"read_at", "quota"}
"""Keys of an organization that are other ones at another time."""


async def overview_of(url: str, settings: Settings, key: str) -> list[dict[str, Any]]:
    """The organizations in the order of the page, without MOMENTS. Two per page, so that there are several pages."""
    found: list[dict[str, Any]] = []
    address: str | None = "/overview.json?limit=2"
    async with varied(settings, url) as service:
        client = GraphQLClient(service, {"X-SERVICE-API-KEY": key})
        while address is not None:
            response = await client.request("GET", address)
            assert response.status_code == 200, response.text
            body = response.json()
            found += [{name: each[name] for name in each if name not in MOMENTS} for each in body["results"]]
            address = body["next"] and f"/{body['next'].removeprefix('/')}"
    return found
