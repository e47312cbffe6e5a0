"""The contract of every endpoint. A new endpoint is tested once it is in ENDPOINTS and in tests/contract.py."""

import re
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Callable
from datetime import UTC, date, datetime
from functools import cache
from urllib.parse import urlencode
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest

from db.tables.columns import metadata
from rest_facade.composition import Service
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import SINGLE, Cursor, Offset, Unpaged
from rest_facade.v1 import ENDPOINTS
from tests.conftest import BASE_URL, Connect
from tests.contract import GROUPS, ITEMS, PATHS, USER
from tests.errors import NO_API_KEY, assert_error
from tests.factories.rows import Rows
from tests.helpers.endpoint_calls import items_of, key_of, params_of, path_of, url_of
from tests.helpers.endpoint_tables import table_of
from tests.helpers.round_trips import recorded_round_trips
from tests.world import SIZE, World, build

LISTS = [endpoint for endpoint in ENDPOINTS if isinstance(endpoint.envelope, Offset)]
UNPAGED = [endpoint for endpoint in ENDPOINTS if isinstance(endpoint.envelope, Unpaged)]
WITH_IDS = [(endpoint, name) for endpoint in ENDPOINTS for name in endpoint.ids]

every_endpoint = pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
every_kind_of_list = pytest.mark.parametrize(
    "endpoint",
    [next(endpoint for endpoint in LISTS if endpoint.operation == name) for name in ("listTasks", "listAppReports")],
    ids=lambda endpoint: endpoint.operation,
)
"""A list of the rows of a table, and a report: in each kind, one function reads the pages of all."""

RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")

PAGINATION = set("limit timesheets_cap users_returned timesheets_returned total_users has_more next_cursor".split())


@pytest.fixture(scope="module")
def world_of(rows: Rows) -> Callable[[date], World]:
    """`world_of(day)`: built once, since no test changes it, and again if a new day begins meanwhile."""

    @cache
    def of(day: date) -> World:
        world = build(rows, "A")
        rows.quota(world.organization_id, 1_000_000)
        return world

    return of


@pytest.fixture
def world(world_of: Callable[[date], World]) -> World:
    return world_of(datetime.now(UTC).date())


@pytest.fixture
async def http(world: World, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(world.key) as http:
        yield http


def test_endpoints_are_the_specified_ones() -> None:
    missing = [endpoint.operation for endpoint in ENDPOINTS if endpoint.operation not in PATHS]
    assert not missing, f"tests/contract.py: CONTRACT has no {missing}"
    assert {endpoint.operation: endpoint.path for endpoint in ENDPOINTS} == PATHS
    assert {endpoint.path: endpoint.group for endpoint in ENDPOINTS} == GROUPS


@every_endpoint
async def test_envelope_and_keys_are_exact(endpoint: Endpoint, world: World, http: httpx.AsyncClient) -> None:
    response = await http.get(url_of(endpoint, world))
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "private, no-store"
    assert RFC_3339.fullmatch(response.headers["x-data-as-of"])
    body = response.json()
    user = USER
    if isinstance(endpoint.envelope, Offset):
        assert set(body) == {"count", "next", "previous", "results"}
        assert len(body["results"]) == body["count"]
        assert body["count"] >= SIZE - 1, f"tests/world.py: a world has {body['count']} rows for {endpoint.operation}"
        assert body["next"] is None
        assert body["previous"] is None
    elif isinstance(endpoint.envelope, Cursor):
        assert set(body) == {"results", "pagination"}
        assert set(body["pagination"]) == PAGINATION
        user = {"user_id", "email"}
    assert items_of(endpoint, body)
    for item in items_of(endpoint, body):
        assert set(item) == ITEMS[endpoint.operation]
        assert "user" not in item or set(item["user"]) == user


async def test_request_without_key_is_401(world: World, client: Connect) -> None:
    for endpoint in ENDPOINTS:
        async with client() as http:
            response = await http.get(path_of(endpoint, world))
        assert_error(response, 401, "INVALID_API_KEY", NO_API_KEY)
        assert "ratelimit-limit" not in response.headers


async def test_mcp_key_needs_the_scope(world: World, rows: Rows, client: Connect) -> None:
    scopes = {endpoint.scope for endpoint in ENDPOINTS}
    keys = {scope: rows.mcp_key(world.organization_id, scope) for scope in scopes}
    others = {scope: rows.mcp_key(world.organization_id, *(scopes - {scope})) for scope in scopes}
    for endpoint in ENDPOINTS:
        async with client(others[endpoint.scope]) as http:
            refused = await http.get(url_of(endpoint, world))
        assert_error(refused, 403, "SCOPE_DENIED")
        assert refused.headers["x-required-scope"] == endpoint.scope
        assert "ratelimit-remaining" in refused.headers
        async with client(keys[endpoint.scope]) as http:
            assert (await http.get(url_of(endpoint, world))).status_code == 200, endpoint.operation


async def test_unknown_id_is_404_malformed_is_400(world: World, http: httpx.AsyncClient) -> None:
    for endpoint, name in WITH_IDS:
        response = await http.get(endpoint.path.format_map(world.ids | {name: UUID(int=2**128 - 1)}))
        assert_error(response, 404, "RESOURCE_NOT_FOUND")
        response = await http.get(endpoint.path.format_map(world.ids | {name: f"{{{world.ids[name]}}}"}))
        assert_error(response, 400, "VALIDATION_ERROR", "Invalid UUID format.", {name: ["Invalid UUID format."]})


async def test_id_of_another_organization_is_404(world: World, rows: Rows, client: Connect) -> None:
    stranger = rows.organization()
    rows.quota(stranger, 1000)
    async with client(rows.partner_key(stranger)) as http:
        for endpoint, name in WITH_IDS:
            foreign = await http.get(path_of(endpoint, world))
            absent = await http.get(endpoint.path.format_map(world.ids | {name: uuid4()}))
            for response in (foreign, absent):
                assert_error(response, 404, "RESOURCE_NOT_FOUND")
            assert foreign.json()["error"]["message"] == absent.json()["error"]["message"]


async def test_upper_case_ids_are_accepted(world: World, http: httpx.AsyncClient) -> None:
    upper = {name: str(id_).upper() for name, id_ in world.ids.items()}
    for endpoint in (endpoint for endpoint in ENDPOINTS if endpoint.ids):
        response = await http.get(endpoint.path.format_map(upper), params={"limit": 1})
        assert response.status_code == 200, response.text
        if isinstance(endpoint.envelope, Offset):
            assert response.json()["next"].startswith(f"{BASE_URL}{path_of(endpoint, world)}?")


async def test_limit_and_page_follow_the_tier(world: World, http: httpx.AsyncClient) -> None:
    for endpoint in LISTS:
        assert isinstance(endpoint.envelope, Offset)
        largest = endpoint.envelope.maximum
        response = await http.get(url_of(endpoint, world, f"limit={largest + 1}"))
        message = f"limit cannot exceed {largest}."
        assert_error(response, 400, "VALIDATION_ERROR", message, {"limit": [message]})
        exact = await http.get(url_of(endpoint, world, f"limit={largest}"))
        assert exact.status_code == 200, exact.text
    for query, name, message in [
        ("limit=0", "limit", "limit must be >= 1."),
        ("limit=-1", "limit", "limit must be >= 1."),
        ("limit=ten", "limit", "limit must be an integer."),
        ("page=0", "page", "page must be >= 1."),
        ("page=", "page", "page must be an integer."),
        ("page=2147483648", "page", "page cannot exceed 2147483647."),
        ("page=0&limit=0", "limit", "limit must be >= 1."),
        ("page=1&page=2", "page", "page must be given once."),
    ]:
        response = await http.get(f"/v1/members/?{query}")
        assert_error(response, 400, "VALIDATION_ERROR", message, {name: [message]})


@every_kind_of_list
async def test_pages_yield_every_row_once(endpoint: Endpoint, world: World, http: httpx.AsyncClient) -> None:
    whole = (await http.get(url_of(endpoint, world))).json()
    expected = [key_of(item) for item in whole["results"]]
    assert len(set(expected)) == whole["count"]

    followed: list[str] = []
    url: str | None = url_of(endpoint, world, "limit=2&unknown=%C3%A9%20%26")
    while url is not None and len(followed) <= len(expected):
        body = (await http.get(url)).json()
        assert body["count"] == whole["count"]
        followed += [key_of(item) for item in body["results"]]
        url = body["next"]
        assert url is None or "unknown=%C3%A9+%26" in url
    assert followed == expected

    counted: list[str] = []
    for page in range(1, len(expected) // 2 + 2):
        body = (await http.get(url_of(endpoint, world, f"limit=2&page={page}"))).json()
        counted += [key_of(item) for item in body["results"]]
    assert counted == expected

    past = (await http.get(url_of(endpoint, world, "limit=2&page=9999999"))).json()
    last = f"{BASE_URL}{url_of(endpoint, world, f'limit=2&page={-(-len(expected) // 2)}')}"
    assert past == {"count": len(expected), "next": None, "previous": last, "results": []}


@every_kind_of_list
async def test_page_token_is_for_one_page(endpoint: Endpoint, world: World, http: httpx.AsyncClient) -> None:
    expected = [key_of(item) for item in (await http.get(url_of(endpoint, world))).json()["results"]]
    first = (await http.get(url_of(endpoint, world, "limit=2"))).json()
    token = first["next"].rsplit("after=", 1)[1]
    second = (await http.get(first["next"])).json()
    assert [key_of(item) for item in second["results"]] == expected[2:4]
    # A page token is valid for one page of one list; elsewhere the page number decides.
    for query in (f"limit=2&page=1&after={token}", f"limit=2&page=1&after={token[:-4]}", "limit=2&page=1&after=%00"):
        page = (await http.get(url_of(endpoint, world, query))).json()
        assert [key_of(item) for item in page["results"]] == expected[:2]


@every_kind_of_list
async def test_page_token_names_its_page(endpoint: Endpoint, world: World, http: httpx.AsyncClient) -> None:
    first = (await http.get(url_of(endpoint, world, "limit=2"))).json()
    token = first["next"].rsplit("after=", 1)[1]
    second = (await http.get(first["next"])).json()
    for query in (f"after={token}", f"limit=2&after={token}", f"page=2&after={token}"):
        page = (await http.get(url_of(endpoint, world, query))).json()
        assert page["results"] == second["results"]
        assert (page["next"] is None) == (second["next"] is None)
    # The client adds its own query to `next`, on each page.
    assert (await http.get(f"{first['next']}&limit=2&{urlencode(params_of(endpoint, world))}")).json() == second
    message = "after belongs to a list with other filters. Use next unchanged, or send page."
    others = (f"limit=3&after={token}", f"updated_since=2000-01-01&after={token}")
    # Texts of the form of a token, with numbers beyond any page.
    forged = [urlsafe_b64encode(bytes(16) + b"9" * digits + b"/1/x").decode().rstrip("=") for digits in (20, 5_000)]
    for query in (*others, *(f"after={each}" for each in (*forged, token[:-4], "", "%00"))):
        refused = await http.get(url_of(endpoint, world, query))
        assert_error(refused, 400, "VALIDATION_ERROR", message, {"after": [message]})


@every_kind_of_list
async def test_updated_since_is_inclusive(endpoint: Endpoint, world: World, http: httpx.AsyncClient) -> None:
    items = (await http.get(url_of(endpoint, world))).json()["results"]
    newest = max(item["updated_at"] for item in items)
    changed = (await http.get(url_of(endpoint, world, f"updated_since={newest}"))).json()["results"]
    assert sorted(map(key_of, changed)) == sorted(key_of(item) for item in items if item["updated_at"] == newest)
    assert (await http.get(url_of(endpoint, world, "updated_since=2999-01-01"))).json()["results"] == []


async def test_unknown_parameters_are_ignored(world: World, http: httpx.AsyncClient) -> None:
    for endpoint in ENDPOINTS:
        paging = "&page=x&limit=0&page=y" if endpoint in UNPAGED else ""
        response = await http.get(url_of(endpoint, world, f"PAGE=0&page[]=x&page.x=1&x=1&x=2&={paging}"))
        assert response.status_code == 200, response.text


async def test_empty_or_repeated_parameter_is_400(world: World, http: httpx.AsyncClient) -> None:
    by_name = {each.name: (endpoint, each) for endpoint in ENDPOINTS for each in endpoint.query_parameters}
    for name, (endpoint, parameter) in by_name.items():
        others = f"{path_of(endpoint, world)}?{urlencode(params_of(endpoint, world) | {name: ''})}"
        twice = await http.get(f"{others}&{name}=")
        if parameter.is_list:
            assert_error(twice, 400, "VALIDATION_ERROR")
        else:
            message = f"{name} must be given once."
            assert_error(twice, 400, "VALIDATION_ERROR", message, {name: [message]})
        if name != "after":
            assert_error(await http.get(others), 400, "VALIDATION_ERROR")


REPORTS = ("listTimesheetIdleTime", "listTimeActivityReport", "listAppReports", "listUrlReports")


async def test_answer_takes_few_round_trips(
    world: World, http: httpx.AsyncClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_trips = recorded_round_trips(service.database, monkeypatch)
    for endpoint in ENDPOINTS:
        assert (await http.get(url_of(endpoint, world))).status_code == 200  # the key is cached from here on
        round_trips.clear()
        assert (await http.get(url_of(endpoint, world))).status_code == 200
        most = 3 if endpoint.operation in REPORTS else 1 if endpoint.envelope is SINGLE else 2
        assert 1 <= len(round_trips) <= most, endpoint.operation


def test_rows_listed_with_a_name_change_with_it() -> None:
    """An erasure moves `updated_at` of the rows that show the name of the person."""
    named: dict[str, bool] = {}
    for endpoint in ENDPOINTS:
        table = table_of(endpoint.operation)
        for column in () if table is None else table.columns:
            if "is_named" in column.info:
                named[str(column)] = named.get(str(column), False) or "user { user_id email" in endpoint.document
    declared = {name: metadata.tables[name.partition(".")[0]].c.user_id.info["is_named"] for name in named}
    assert named == declared, "db/tables: is_named of person_column is whether an endpoint shows the name"
