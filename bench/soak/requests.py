"""The requests of a soak test: every operation with long and short pages, GraphQL, and requests that are refused."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

from bench.http_requests import get, post
from bench.soak.load import Request
from db.admin.engine import connect
from db.admin.keys import Grant, create_key
from db.admin.migrate import migrate
from db.sample.demo.build import DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID, insert_organizations
from db.sample.demo.examples import example_parameters
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from db.values.purpose import Purpose
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Unpaged
from rest_facade.v1 import ENDPOINTS

QUERY = "query ($limit: Int!) { organization { name } projects(limit: $limit) { results { name client { name } } } }"
ABSENT = UUID(int=0)
BLOCKED_ADDRESS = "127.0.0.99"
"""The source address of requests without a key, which is blocked."""


@dataclass(frozen=True)
class SoakKeys:
    """API keys of the demo organizations, and parameter values of the first."""

    own: str
    other: str
    token: str
    values: dict[str, str]


def seed(server: Server) -> SoakKeys:
    """Insert the demo organizations and create their keys."""
    with connect(ensure_database(server)).connect() as connection:
        migrate(connection)
        now = datetime.now(UTC)
        insert_organizations(connection, now=now)
        own, other = (
            create_key(connection, Grant(Purpose.partner, each, label="soak"))
            for each in (DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID)
        )
        internal = Grant(Purpose.internal, label="soak", expires_at=now + timedelta(days=1))
        token = create_key(connection, internal)
        values = example_parameters(connection, DEMO_ORGANIZATION_ID, now.date())
        connection.commit()
    return SoakKeys(own, other, token, values)


def requests(keys: SoakKeys, public: int, internal: int) -> list[Request]:
    """About 180 requests, sent equally often; a tenth of them is refused, a twentieth is GraphQL."""
    own, other = ({"X-SERVICE-API-KEY": key} for key in (keys.own, keys.other))
    requests_ok = []
    for endpoint in ENDPOINTS:
        whole = isinstance(endpoint.envelope, Unpaged)
        for query in ({},) if whole else ({}, {"limit": "5"}):
            target = _target(endpoint, keys.values, query)
            requests_ok += [Request(public, get(target, own), follow=bool(query))] * 2
            if not endpoint.ids and "user_id" not in target:
                requests_ok.append(Request(public, get(target, other)))
    refusals = [
        Request(public, get(f"/v1/projects/{ABSENT}/", own), frozenset({404})),
        Request(public, get("/v1/projects/?limit=1000", own), frozenset({400})),
        Request(public, get("/v1/nothing/", own), frozenset({404})),
        Request(public, get("/v1/projects/", own, "DELETE"), frozenset({405})),
        Request(public, get("/v1/projects/"), frozenset({401, 429}), BLOCKED_ADDRESS),
    ]
    body = post("/graphql", {"query": QUERY, "variables": {"limit": 50}})
    fields = f"\r\nX-SERVICE-API-KEY: {keys.token}\r\nX-Organization-Id: {DEMO_ORGANIZATION_ID}\r\n\r\n"
    return requests_ok + refusals * 4 + [Request(internal, body.replace(b"\r\n\r\n", fields.encode(), 1))] * 10


def _target(endpoint: Endpoint, values: dict[str, str], query: dict[str, str]) -> str:
    required = {
        parameter.name: values[parameter.name] for parameter in endpoint.query_parameters if parameter.is_required
    }
    whole = urlencode(required | query)
    path = endpoint.path.format_map(values)
    return f"{path}?{whole}" if whole else path
