"""/overview.json: who may read it, its parameters and answers; /versions.json, which needs no token.

Covers `rest_facade/internal/overview/figures.py`, `rest_facade/internal/overview/document.py`,
`rest_facade/internal/overview/instance_use.py`, `rest_facade/internal/overview/parameters.py`
and `rest_facade/internal/overview/versions.py`.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from platform import python_version
from typing import Any
from uuid import UUID

import httpx2 as httpx
import psycopg
import pytest
from sqlalchemy import text

from db.admin.migrate import head
from db.figures.stored_rows import COUNTED_TABLES
from rest_facade.composition import Service
from rest_facade.errors.envelope import Refused
from rest_facade.internal.overview.document import quota_entry
from rest_facade.internal.overview.parameters import OverviewParameters, overview_parameters
from rest_facade.version import service_version
from tests.conftest import BASE_URL
from tests.errors import NO_API_KEY, assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.helpers.waiting import becomes
from tests.rest_facade.conftest import Vary
from tests.rest_facade.graphql.client import GraphQLClient, connected, token
from tests.rest_facade.graphql.locks import locked, waiting

ADDRESS = "/overview.json"


async def ask(service: Service, key: str | None, address: str = ADDRESS, method: str = "GET") -> httpx.Response:
    headers = {} if key is None else {"X-SERVICE-API-KEY": key}
    return await GraphQLClient(service, headers).request(method, address)


async def body_of(service: Service, key: str, address: str = ADDRESS) -> Any:
    response = await ask(service, key, address)
    assert response.status_code == 200, response.text
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["content-type"] == "application/json"
    return response.json()


async def test_without_a_valid_token_is_401(service: Service, rows: Rows) -> None:
    organization = rows.organization()
    keys = (None, "", "orgd_int_nobody", rows.partner_key(organization), rows.mcp_key(organization, "members:read"))
    for key in (*keys, token(rows, organization, days=-1)):
        assert_error(await ask(service, key), 401, "INVALID_API_KEY", "Invalid API key." if key else NO_API_KEY)


async def test_quota_is_that_of_graphql(vary: Vary, rows: Rows, organization: UUID) -> None:
    async with vary(graphql_quota=2) as service:
        graphql = connected(service, rows, organization)
        key = graphql.headers["X-SERVICE-API-KEY"]
        assert (await graphql("{ organization { name } }")).status_code == 200
        response = await ask(service, key)
        assert response.status_code == 200
        assert (response.headers["ratelimit-limit"], response.headers["ratelimit-remaining"]) == ("2", "0")
        assert_error(await ask(service, key), 429, "RATE_LIMIT_EXCEEDED")
        assert (await graphql("{ organization { name } }")).status_code == 429


async def test_other_method_is_405_and_wrong_parameter_400(service: Service, rows: Rows) -> None:
    key = token(rows, rows.organization())
    refused = await ask(service, key, f"{ADDRESS}?limit=21")
    assert_error(refused, 400, "VALIDATION_ERROR")
    assert list(refused.json()["error"]["details"]) == ["limit"]
    response = await ask(service, key, method="POST")
    assert_error(response, 405, "METHOD_NOT_ALLOWED")
    assert response.headers["allow"] == "GET"


async def test_bound_token_sees_no_other_organization(service: Service, rows: Rows) -> None:
    own, other = rows.organization(name="Own"), rows.organization(name="Other")
    key = token(rows, own)
    body = await body_of(service, key)
    assert [each["name"] for each in body["results"]] == ["Own"]
    assert (body["count"], body["next"]) == (1, None)
    for address in (f"{ADDRESS}?search={other}", f"{ADDRESS}?search=Other", f"{ADDRESS}?after={other}"):
        assert (await body_of(service, key, address))["results"] == []


async def test_database_without_the_function_is_503(vary: Vary, own_url: str, database: Rows) -> None:
    key = token(database, database.organization())
    database.connection.execute(text("DROP FUNCTION organizations_of_token"))
    database.connection.commit()
    async with vary(url=own_url) as service:
        response = await ask(service, key)
    assert_error(response, 503, "SERVICE_UNAVAILABLE")
    assert "run orgdata migrate" in response.json()["error"]["message"]


async def test_token_of_trusted_documents_is_403(service: Service, rows: Rows) -> None:
    key = token(rows, label="Web", trusted_documents_only=True)
    message = "The token reads trusted documents only. Enter one without this limit."
    assert_error(await ask(service, key), 403, "SCOPE_DENIED", message)


async def test_service_of_trusted_documents_is_403(vary: Vary, rows: Rows) -> None:
    async with vary(graphql_trusted_documents_only=True) as service:
        response = await ask(service, token(rows, rows.organization()))
    assert_error(response, 403, "SCOPE_DENIED", "This service answers trusted documents only.")


async def test_deadline_is_503(vary: Vary, rows: Rows) -> None:
    async with vary(graphql_deadline=0.0001) as service:
        response = await ask(service, token(rows, rows.organization()))
    assert_error(response, 503, "SERVICE_UNAVAILABLE", "The operation took longer than 0.0001 seconds.")


async def test_overview_without_a_connection_is_503(vary: Vary, owner_url: str, rows: Rows, organization: UUID) -> None:
    async with vary(graphql_pool_size=1, pool_wait=0.5, statement_timeout=1.5) as service:
        graphql = connected(service, rows, organization)
        with locked(owner_url, "teams"):
            call = asyncio.create_task(graphql("{ teams { count } }"))
            await becomes(lambda: waiting(owner_url))
            response = await ask(service, token(rows, organization))
            await call
    assert_error(response, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
    assert response.headers["retry-after"] == "5"


async def test_figures_are_those_of_the_rows(service: Service, rows: Rows) -> None:
    organization = rows.organization(name="<b>Initech</b>", status="suspended")
    user = rows.member(organization, created_at=THEN, updated_at=THEN)
    for _ in range(3):
        rows.team(organization, created_at=THEN, updated_at=THEN + timedelta(days=1))
    rows.timesheet(organization, user, ended_at=None, tracked_until=THEN + timedelta(minutes=2))
    before = datetime.now(UTC)
    body = await body_of(service, token(rows, organization))
    (found,) = body["results"]
    assert (found["id"], found["name"], found["status"]) == (str(organization), "<b>Initech</b>", "suspended")
    assert found["problem"] is None
    assert before <= datetime.fromisoformat(found["read_at"]) <= datetime.fromisoformat(body["generated_at"])
    assert found["rows"]["total"] == {"count": 5, "precision": "exact"}
    assert (
        set(found["rows"]["tables"])
        == {table.name for table in COUNTED_TABLES}
        == {each["name"] for each in body["tables"]}
    )
    assert found["rows"]["tables"]["teams"] == {"count": 3, "precision": "exact"}
    assert found["last_change"] == found["last_changes"]["teams"] == "2026-01-06T09:00:00Z"
    assert found["last_changes"]["members"] == "2026-01-05T09:00:00Z"
    assert found["last_changes"]["tasks"] is None
    assert "app_usages" not in found["last_changes"]
    assert (found["last_heartbeat"], found["running_timers"]) == ("2026-01-05T09:02:00Z", 1)
    assert found["quota"] == {"requests": [0] * 15, "refused": [0] * 15, "groups": []}


async def test_requests_and_refusals_are_counted(
    service: Service, rows: Rows, organization: UUID, http: httpx.AsyncClient
) -> None:
    rows.quota(organization, 2, "teams")
    statuses = [(await http.get("/v1/teams/")).status_code for _ in range(5)]
    assert (await http.get("/v1/members/")).status_code == 200
    refused = statuses.count(429)
    assert refused >= 1
    graphql = connected(service, rows, organization)
    assert [(await graphql(each)).status_code for each in ("{ organization { name } }", "{")] == [200, 200]
    graphql.headers["X-Organization-Id"] = str(rows.organization())
    assert (await graphql("{ organization { name } }")).status_code == 403
    body = await body_of(service, token(rows, organization))
    quota = body["results"][0]["quota"]
    assert (sum(quota["requests"]), sum(quota["refused"])) == (8, refused)
    teams, calls, members = quota["groups"]
    assert (calls["group"], calls["requests"], calls["refused"], calls["limit"]) == ("graphql", 2, 0, None)
    assert (teams["group"], teams["requests"], teams["refused"], teams["limit"]) == ("teams", 5, refused, 2)
    assert (members["group"], members["requests"], members["refused"], members["limit"]) == ("members", 1, 0, 30)
    assert body["quota"]["limit"] == 30
    minutes = [datetime.fromisoformat(each) for each in body["quota"]["minutes"]]
    last = datetime.fromisoformat(body["generated_at"]).replace(second=0, microsecond=0)
    assert minutes == [last - timedelta(minutes=number) for number in range(14, -1, -1)]
    assert body["instance"]["workers"] == 1
    assert body["instance"]["missing_workers"] == 0


async def test_next_leads_through_all_pages(service: Service, rows: Rows) -> None:
    ids = [rows.organization(name=f"{number:02}") for number in range(5)]
    key = token(rows, *ids)
    address, found = f"{ADDRESS}?limit=2", []
    while address:
        body = await body_of(service, key, f"/{address.removeprefix('/')}")
        found += [each["id"] for each in body["results"]]
        address = body["next"]
    assert found == [str(each) for each in ids]


async def test_organization_is_read_in_one_round_trip_a_minute(service: Service, rows: Rows) -> None:
    key = token(rows, *(rows.organization() for _ in range(3)))
    await body_of(service, key)
    before = service.graphql.database.query_stats.round_trips
    await body_of(service, key)
    assert service.graphql.database.query_stats.round_trips == before
    await body_of(service, token(rows, rows.organization()))
    assert service.graphql.database.query_stats.round_trips == before + 2


async def test_unread_organization_has_problem(service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, well = rows.organization(name="a"), rows.organization(name="b")
    read = service.graphql.database.read_rows

    async def fail(organization_id: UUID, *arguments: Any, **options: Any) -> Any:
        if organization_id == broken:
            raise TimeoutError
        return await read(organization_id, *arguments, **options)

    monkeypatch.setattr(service.graphql.database, "read_rows", fail)
    first, second = (await body_of(service, token(rows, broken, well)))["results"]
    assert first["problem"] is not None
    assert first["rows"] is first["last_change"] is first["running_timers"] is None
    assert first["quota"]["requests"] == [0] * 15
    assert second["problem"] is None


def test_quota_entry_places_counts_by_minute() -> None:
    minutes = range(29_000_000, 29_000_015)
    use = {"teams": {minutes[0]: (4, 1), minutes[14]: (1, 0)}, "members": {minutes[0]: (6, 6)}}
    entry = quota_entry(use, minutes, None, 30)
    assert entry["requests"] == [10, *[0] * 13, 1]
    assert entry["refused"] == [7, *[0] * 14]
    assert [(each["group"], each["busiest_minute"], each["limit"]) for each in entry["groups"]] == [
        ("members", 6, None),
        ("teams", 4, None),
    ]


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


ID = UUID("018f2a6c-5e00-7d3a-9b41-6f0c2e8a7d11")


def test_defaults_are_the_first_page_of_all() -> None:
    assert overview_parameters({}) == OverviewParameters(None, None, 20)
    assert overview_parameters({"search": ["  "], "after": [""], "limit": [""]}) == OverviewParameters(None, None, 20)


def test_values_are_read() -> None:
    query = {"search": [" Kestrel "], "after": [str(ID)], "limit": ["7"], "unknown": ["x"]}
    assert overview_parameters(query) == OverviewParameters("Kestrel", ID, 7)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        *(("limit", [text]) for text in ("0", "21", "-1", "²")),
        *(("after", ["018f2a6c"]), ("search", ["a\nb"]), ("search", ["a", "b"])),
    ],
)
def test_wrong_value_names_its_parameter(name: str, values: list[str]) -> None:
    with pytest.raises(Refused) as refused:
        overview_parameters({name: values})
    assert list(refused.value.error.details or {}) == [name]


def test_next_page_keeps_search_and_limit() -> None:
    assert OverviewParameters(None, None, 20).next_page(ID) == f"overview.json?after={ID}"
    assert OverviewParameters("a&b", ID, 7).next_page(ID) == f"overview.json?search=a%26b&limit=7&after={ID}"
