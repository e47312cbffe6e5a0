"""Reads that the database does not answer in time, or that wait for a connection: what client, REST and log get."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import httpx2 as httpx
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from db.reading.fair_queue import Ticket
from db.sample.embedded.server import Server
from rest_facade.composition import Service
from rest_facade.graphql.http_request import GRAPHQL_MEDIA_TYPE
from rest_facade.settings import Settings
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.helpers.waiting import becomes
from tests.rest_facade.conftest import Vary
from tests.rest_facade.graphql.client import GraphQLClient, assert_refused, varied
from tests.rest_facade.graphql.conftest import LogLines
from tests.rest_facade.graphql.locks import locked, waiting

TEAMS = "teams { count results { id } }"
TOO_SLOW = "The database did not answer within 0.5 seconds: ask for fewer days, people or fields, or try again later."
TOTALS = 'time_totals(start_date: "2026-01-01", end_date: "2026-01-02"{}) {{ results {{ tracked_seconds }} }}'
BUSY = "Other operations had the database connections for 0.3 seconds: try again later."

CANCEL_WAITING = """
SELECT pg_cancel_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()
"""


@pytest.fixture(scope="module")
async def quick(settings: Settings, owner_url: str, anyio_backend: str) -> AsyncIterator[Service]:
    """A service whose statements end early."""
    async with varied(settings, owner_url, statement_timeout=0.5) as service:
        yield service


@pytest.fixture
def of_quick(graphql_client: GraphQLClient, quick: Service) -> GraphQLClient:
    graphql_client.service = quick
    return graphql_client


async def post(client: GraphQLClient, document: str) -> httpx.Response:
    response: httpx.Response = await client(document, accept=GRAPHQL_MEDIA_TYPE)
    return response


async def test_statement_timeout_has_its_own_code(of_quick: GraphQLClient, owner_url: str, log_lines: LogLines) -> None:
    with locked(owner_url, "teams"):
        response = await post(of_quick, f"{{ {TEAMS} }}")
    id_ = response.headers["x-request-id"]
    assert response.status_code == 200
    (error,) = response.json()["errors"]
    assert response.json()["data"] == {"teams": None}
    assert {name: error[name] for name in error if name != "locations"} == {
        "message": TOO_SLOW,
        "path": ["teams"],
        "extensions": {"code": "STATEMENT_TIMEOUT", "request_id": id_},
    }
    late, line = log_lines()
    assert {name: late[name] for name in late if name != "timestamp"} == {
        "event": "graphql timed out",
        "level": "warning",
        "request_id": id_,
        "failures": 1,
        "messages": [TOO_SLOW],
    }
    assert (line["event"], line["status"]) == ("graphql", 200)


async def test_statement_timeout_is_500_in_rest(
    quick: Service, client: Connect, rows: Rows, organization: UUID, owner_url: str
) -> None:
    http = client(rows.partner_key(organization), of=quick)
    with locked(owner_url, "teams"):
        assert_error(await http.get("/v1/teams/"), 500, "INTERNAL_ERROR")


async def test_cancel_from_outside_is_unexpected(graphql_client: GraphQLClient, server: Server, owner_url: str) -> None:
    administrator_url = server.url("postgres", str(conninfo_to_dict(owner_url)["dbname"]))
    with locked(owner_url, "teams"), psycopg.connect(administrator_url, autocommit=True) as administrator:
        call = asyncio.create_task(post(graphql_client, f"{{ {TEAMS} }}"))
        await becomes(lambda: administrator.execute(CANCEL_WAITING).fetchall())
        response = await call
    assert [error["extensions"]["code"] for error in response.json()["errors"]] == ["INTERNAL_ERROR"]


@pytest.fixture
async def of_impatient(graphql_client: GraphQLClient, vary: Vary) -> AsyncIterator[GraphQLClient]:
    """A client of a service whose reads wait 0.3 seconds for a connection, and whose statements end later."""
    async with vary(statement_timeout=1.2, pool_wait=0.3) as service:
        graphql_client.service = service
        yield graphql_client


def codes(response: httpx.Response) -> list[str]:
    return [error["extensions"]["code"] for error in response.json()["errors"]]


async def test_report_without_a_connection_has_a_retry_delay(of_impatient: GraphQLClient, log_lines: LogLines) -> None:
    # As a figure of the overview holds it; calls of /graphql take turns before they read.
    async with of_impatient.service.graphql.database.pool.connection(Ticket(is_heavy=True)):
        refused = await post(of_impatient, f"{{ {TOTALS.format('')} }}")
    id_ = refused.headers["x-request-id"]
    assert refused.status_code == 200
    assert refused.json() == {
        "data": {"time_totals": None},
        "errors": [
            {
                "message": BUSY,
                "path": ["time_totals"],
                "extensions": {"code": "SERVICE_UNAVAILABLE", "retry_after_seconds": 5, "request_id": id_},
            }
        ],
    }
    (late,) = [line for line in log_lines() if line["event"] != "graphql" and line["request_id"] == id_]
    assert (late["event"], late["messages"]) == ("graphql timed out", [BUSY])


async def test_reports_of_one_document_do_not_refuse_each_other(of_impatient: GraphQLClient, owner_url: str) -> None:
    # With a time zone the first report needs no read before its own, so that the second one is not in its round trip.
    first, second = TOTALS.format(', timezone: "Asia/Tokyo"'), TOTALS.format("")
    with locked(owner_url, "timesheets"):
        response = await post(of_impatient, f"{{ first: {first} second: {second} }}")
    assert codes(response) == ["STATEMENT_TIMEOUT"] * 2


async def test_call_without_a_connection_is_503(of_impatient: GraphQLClient, owner_url: str) -> None:
    with locked(owner_url, "teams"):
        calls = [asyncio.create_task(post(of_impatient, f"{{ {TEAMS} }}")) for _ in range(3)]
        await becomes(lambda: waiting(owner_url) == 3)
        refused = await post(of_impatient, f"{{ {TEAMS} }}")
        assert [codes(each) for each in await asyncio.gather(*calls)] == [["STATEMENT_TIMEOUT"]] * 3
    assert refused.headers["retry-after"] == "5"
    assert_refused(refused, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
