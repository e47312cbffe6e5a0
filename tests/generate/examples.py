"""`make examples`: writes the examples of the OpenAPI document, which are responses of the demo organization."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

import httpx2 as httpx
import orjson

from db.admin.engine import connect
from db.admin.keys import Grant, create_key
from db.sample.demo.build import DEMO_ORGANIZATION_ID, insert_organizations
from db.sample.demo.examples import example_parameters
from db.values.purpose import Purpose
from rest_facade.composition import build_service
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Unpaged
from rest_facade.settings import load
from rest_facade.v1 import ENDPOINTS
from tests.generate.migrated import migrated_database

FILE = Path(__file__).parents[2] / "rest_facade" / "openapi" / "examples.json"
NOW = datetime(2026, 3, 6, 16, 25, 36, tzinfo=UTC)
BASE_URL = "http://127.0.0.1:8000"
LONGEST = 2
"""Items of a list that are kept: an example shows what they look like, not how many there are."""


def main() -> None:
    with migrated_database() as url:
        write(url)


def write(url: str) -> None:
    """Insert the demo organizations into a migrated, empty database, and write the file."""
    with connect(url).connect() as connection:
        insert_organizations(connection, now=NOW)
        key = create_key(connection, Grant(Purpose.partner, DEMO_ORGANIZATION_ID, label="examples"))
        parameters = example_parameters(connection, DEMO_ORGANIZATION_ID, NOW.date())
        connection.commit()
    bodies = asyncio.run(answers(url, key, parameters))
    # Names that come from SQLAlchemy are strings of its own kind.
    option = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE
    FILE.write_bytes(orjson.dumps({"parameters": parameters, "bodies": bodies}, option=option))


async def answers(url: str, key: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    """The body of each operation."""
    settings = load({"signing_keys": "the key of the examples", "request_log": 0})
    service = build_service(settings, url=url, base_url=BASE_URL)
    transport = httpx.ASGITransport(service.public)
    client = httpx.AsyncClient(transport=transport, base_url=BASE_URL, headers={"X-SERVICE-API-KEY": key})
    async with service.running(), client as http:
        with patch("resolvers.context.clock", lambda: NOW):
            return {endpoint.operation: await answer(http, endpoint, parameters) for endpoint in ENDPOINTS}


async def answer(http: httpx.AsyncClient, endpoint: Endpoint, parameters: Mapping[str, str]) -> Any:
    missing = set(endpoint.ids) - parameters.keys()
    assert not missing, (
        f"db/sample/demo/examples.py: example_parameters has no {sorted(missing)}, which {endpoint.operation} takes"
    )
    query = {each.name: parameters[each.name] for each in endpoint.query_parameters if each.is_required}
    if isinstance(endpoint.envelope, Unpaged):
        return await asked(http, endpoint, parameters, query)
    # The first row of a report may be that of a member without time.
    query["limit"] = "1"
    if "start_date" in query and "user_id" in endpoint.query_names:
        body = await asked(http, endpoint, parameters, query | {"user_id": parameters["user_id"]})
        if body["results"]:
            return body
    return await asked(http, endpoint, parameters, query)


async def asked(http: httpx.AsyncClient, endpoint: Endpoint, path: Mapping[str, str], query: Mapping[str, str]) -> Any:
    response = await http.get(f"{endpoint.path.format_map(path)}?{urlencode(query)}")
    assert response.status_code == 200, response.text
    return shortened(response.json())


def shortened(value: Any) -> Any:
    if isinstance(value, list):
        return [shortened(item) for item in value[:LONGEST]]
    return {name: shortened(item) for name, item in value.items()} if isinstance(value, dict) else value


if __name__ == "__main__":
    main()
