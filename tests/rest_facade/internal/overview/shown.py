"""What /overview.json shows of the organizations of a token, for tests that compare two ways to the database."""

from typing import Any

from rest_facade.settings import Settings
from tests.rest_facade.graphql.client import GraphQLClient, varied

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
