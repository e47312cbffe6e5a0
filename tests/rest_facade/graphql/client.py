"""A client of /graphql for tests, the shape of its refusals, and bodies of automatic persisted queries."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any
from uuid import UUID

import httpx2 as httpx

from db.admin.keys import Grant
from db.values.purpose import Purpose
from rest_facade.composition import Service, build_service
from rest_facade.settings import Settings
from tests.conftest import BASE_URL
from tests.factories.rows import Rows

ABSENT = "0198c5a4-0000-7000-8000-000000000000"
NAME = "{ organization { name } }"
_addresses = count(1)


def token(rows: Rows, *own: UUID, label: str = "BI", days: float = 1, **more: Any) -> str:
    """An internal token for these organizations, or for all."""
    expires_at = datetime.now(UTC) + timedelta(days=days)
    return rows.key(Grant(Purpose.internal, organization_ids=own or None, label=label, expires_at=expires_at, **more))


@dataclass
class GraphQLClient:
    """Sends operations to a service, from an address of its own."""

    service: Service
    headers: dict[str, str]
    address: str = field(default_factory=lambda: f"10.200.{next(_addresses)}.1")

    async def __call__(self, query: Any, *, accept: str | None = None, name: Any = None, **variables: Any) -> Any:
        """The response to a document."""
        return await self.send({"query": query, "operationName": name, "variables": variables}, accept)

    async def send(self, body: Any, accept: str | None = None) -> httpx.Response:
        return await self.request(json=body, headers={"accept": accept} if accept is not None else {})

    async def request(self, method: str = "POST", path: str = "/graphql", **parameters: Any) -> httpx.Response:
        transport = httpx.ASGITransport(self.service.internal, client=(self.address, 1))
        headers = {**self.headers, **parameters.pop("headers", {})}
        async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
            return await http.request(method, path, headers=headers, **parameters)


def connected(service: Service, rows: Rows, organization: UUID) -> GraphQLClient:
    """A client with a token for this organization alone."""
    return GraphQLClient(
        service, {"X-SERVICE-API-KEY": token(rows, organization), "X-Organization-Id": str(organization)}
    )


@asynccontextmanager
async def varied(settings: Settings, url: str, **changes: Any) -> AsyncIterator[Service]:
    """A service with changed settings."""
    service = build_service(settings.model_copy(update=changes), url=url, base_url=BASE_URL)
    async with service.running():
        yield service


def assert_refused(
    response: httpx.Response, status: int, code: str, message: str, details: Any = None, **more: Any
) -> None:
    """Assert that a response is one GraphQL error without data."""
    assert response.status_code == status, response.text
    assert response.headers["cache-control"] == "no-store"
    assert set(response.json()) == {"errors"}
    (error,) = response.json()["errors"]
    extensions = {"code": code, "request_id": response.headers["x-request-id"], **more}
    if details is not None:
        extensions["details"] = details
    assert {name: error[name] for name in error if name != "locations"} == {
        "message": message,
        "extensions": extensions,
    }


def padded(size: int) -> bytes:
    """A valid body of `size` bytes."""
    body = json.dumps({"query": NAME}).encode()
    return body + b" " * (size - len(body))


NAMED = {"data": {"organization": {"name": "Initech"}}}
NOT_FOUND = (200, "PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound")
NOT_SUPPORTED = (200, "PERSISTED_QUERY_NOT_SUPPORTED", "PersistedQueryNotSupported")


def hash_of(query: str) -> str:
    return sha256(query.encode()).hexdigest()


def by_hash(query: str, *, sent: bool = False, **more: Any) -> dict[str, Any]:
    """A body with the hash of a document, and the document itself if it is `sent`."""
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": hash_of(query)}}
    return {"extensions": extensions, **({"query": query} if sent else {}), **more}
