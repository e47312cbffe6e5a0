"""Errors: the envelope, no details of unexpected exceptions, and which of several errors comes first.

Covers `rest_facade/errors/envelope.py` and `rest_facade/errors/closed_connection.py`.
"""

import asyncio
from typing import Any
from unittest.mock import AsyncMock

import httpx2 as httpx
import orjson
import pytest
from psycopg import errors

from rest_facade.access.quota import Quota
from rest_facade.access.rate_counter import MemoryStorage, RateCounter
from rest_facade.access.throttle import MemoryWindow, Throttle
from rest_facade.composition import Service
from rest_facade.errors.envelope import Error, Refused, new_request_id
from rest_facade.errors.refusals import (
    INTERNAL_ERROR,
    INVALID_API_KEY,
    MALFORMED,
    METHOD_NOT_ALLOWED,
    ROUTE_NOT_FOUND,
    SERVICE_UNAVAILABLE,
    TOO_LARGE,
    Code,
    cap_exceeded,
    invalid,
    not_found,
    rate_limited,
    scope_denied,
    throttled,
)
from tests.conftest import Connect
from tests.errors import CHALLENGE, assert_error
from tests.factories.rows import Rows
from tests.rest_facade.access.clock import freeze
from tests.rest_facade.access.constant_storage import UNREACHABLE

ABSENT = "0198c5a4-0000-7000-8000-000000000000"


def test_codes_are_the_specified_ones() -> None:
    assert {code.value for code in Code} == {
        *("VALIDATION_ERROR", "INVALID_API_KEY", "SCOPE_DENIED", "RESOURCE_NOT_FOUND", "ROUTE_NOT_FOUND"),
        *("METHOD_NOT_ALLOWED", "RATE_LIMIT_EXCEEDED", "AUTH_FAILURE_THROTTLE", "INTERNAL_ERROR"),
        "SERVICE_UNAVAILABLE",
    }


CAP, LIMIT = "User has 1001 timesheets in range; maximum is 1000.", "limit must be >= 1."
NO_SCOPE = "The key lacks the scope that this endpoint needs."
WAIT, UNAVAILABLE = {"retry_after_seconds": 17}, "Service temporarily unavailable."
HEAD = "The request line or the headers are too large."


@pytest.mark.parametrize(
    ("error", "status", "code", "message", "more", "headers"),
    [
        (MALFORMED, 400, "VALIDATION_ERROR", "Malformed HTTP request.", {}, {"Connection": "close"}),
        (TOO_LARGE, 400, "VALIDATION_ERROR", HEAD, {}, {"Connection": "close"}),
        (throttled(17), 429, "AUTH_FAILURE_THROTTLE", "Too many failed authentications.", {}, {"Retry-After": "17"}),
        (ROUTE_NOT_FOUND, 404, "ROUTE_NOT_FOUND", "Route not found.", {}, {}),
        (METHOD_NOT_ALLOWED, 405, "METHOD_NOT_ALLOWED", "Method not allowed.", {}, {"Allow": "GET, OPTIONS"}),
        (INVALID_API_KEY, 401, "INVALID_API_KEY", "Invalid API key.", {}, {"WWW-Authenticate": CHALLENGE}),
        (rate_limited(17), 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded.", WAIT, {"Retry-After": "17"}),
        (scope_denied("teams:read"), 403, "SCOPE_DENIED", NO_SCOPE, {}, {"X-Required-Scope": "teams:read"}),
        (SERVICE_UNAVAILABLE, 503, "SERVICE_UNAVAILABLE", UNAVAILABLE, {}, {"Retry-After": "5"}),
        (invalid("Invalid timezone."), 400, "VALIDATION_ERROR", "Invalid timezone.", {}, {}),
        (invalid(LIMIT, "limit"), 400, "VALIDATION_ERROR", LIMIT, {"details": {"limit": [LIMIT]}}, {}),
        (not_found("Client not found."), 404, "RESOURCE_NOT_FOUND", "Client not found.", {}, {}),
        (cap_exceeded(CAP, {"n": 1001}), 400, "VALIDATION_ERROR", CAP, {"details": {"n": 1001}}, {}),
        (cap_exceeded("Invalid after.", None), 400, "VALIDATION_ERROR", "Invalid after.", {}, {}),
        (INTERNAL_ERROR, 500, "INTERNAL_ERROR", "An unexpected error occurred.", {}, {}),
    ],
    ids=lambda value: value.message if isinstance(value, Error) else "",
)
def test_errors_use_one_envelope(
    error: Error, status: int, code: str, message: str, more: dict[str, Any], headers: dict[str, str]
) -> None:
    assert (error.status, error.headers) == (status, headers)
    body = {"code": code, "message": message, "request_id": "an id"} | more
    assert orjson.loads(error.body("an id")) == {"error": body}


def test_request_ids_are_unique() -> None:
    ids = [new_request_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(len(id_) == 32 and id_.isascii() and id_.isalnum() for id_ in ids)


@pytest.mark.parametrize("claimed", ["mine", "00000000000000000000000000000000", "x" * 10_000])
async def test_request_id_is_never_the_clients(claimed: str, client: Connect) -> None:
    async with client() as http:
        responses = [await http.get("/v1/clients/", headers={"X-Request-ID": claimed}) for _ in range(2)]
    for response in responses:
        assert_error(response, 401, "INVALID_API_KEY")
        assert claimed not in response.headers["x-request-id"]


SECRET = 'relation "members" of 10.1.2.3 does not exist'


@pytest.mark.parametrize(
    "cause",
    [
        *(RuntimeError(SECRET), TimeoutError(SECRET), OSError(SECRET), errors.UndefinedTable(SECRET)),
        *(errors.QueryCanceled(SECRET), Refused(INTERNAL_ERROR)),
    ],
    ids=lambda cause: type(cause).__name__,
)
async def test_unexpected_exception_is_500_without_details(
    cause: Exception, client: Connect, rows: Rows, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with client(rows.partner_key(rows.organization())) as http:
        assert (await http.get("/v1/members/")).status_code == 200
        monkeypatch.setattr(service.database, "read_rows", AsyncMock(side_effect=cause))
        for path in ("/v1/members/", f"/v1/clients/{ABSENT}/"):
            response = await http.get(path)
            assert_error(response, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
            for detail in ("members", "10.1.2.3", "Error", "Traceback"):
                assert detail not in response.text.replace("INTERNAL_ERROR", "")


async def test_late_call_is_500(client: Connect, rows: Rows, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*arguments: object, **options: object) -> None:
        await asyncio.Event().wait()

    async with client(rows.partner_key(rows.organization())) as http:
        assert (await http.get("/v1/clients/")).status_code == 200
        short_deadline = service.public.settings.model_copy(update={"deadline": 0.01})
        monkeypatch.setattr(service.public, "settings", short_deadline)
        with monkeypatch.context() as stuck:
            stuck.setattr(service.database, "read_rows", never)
            assert_error(await http.get("/v1/clients/"), 500, "INTERNAL_ERROR", "An unexpected error occurred.")


# Which error comes first. Each fault spoils one thing of a valid request; the first fault in the order of FAULTS, the
# order of the steps, decides.


class Faulty:
    """A request for the projects of a client; each of its faults is another value of one attribute."""

    def __init__(self, rows: Rows, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows, self.public, self.monkeypatch = rows, service.public, monkeypatch
        self.clock = freeze(monkeypatch)
        self.organization_id = rows.organization()
        self.client_id = str(rows.client(self.organization_id))
        self.scope, self.limit, self.store = "clients:read", 30, MemoryStorage()
        self.address, self.method, self.query, self.end, self.route = "192.0.2.1", "GET", "", None, "projects"

    async def send(self, client: Connect) -> httpx.Response:
        self.monkeypatch.setattr(self.public, "throttle", Throttle(MemoryWindow()))
        counter = RateCounter(self.store, prefix="quota", window=60, clock=self.clock)
        self.monkeypatch.setattr(self.public, "quota", Quota(counter, 30))
        self.rows.quota(self.organization_id, self.limit)
        key = self.rows.mcp_key(self.organization_id, self.scope)
        async with client(address="192.0.2.66") as http:
            for _ in range(10):
                await http.get("/v1/clients/")
        async with client(key, address="192.0.2.99") as http:
            await http.get("/v1/clients/")
        async with client(key[: self.end], address=self.address) as http:
            return await http.request(self.method, f"/v1/clients/{self.client_id}/{self.route}/{self.query}")


# An attribute, its value, and the error that the request then has.
FAULTS: list[tuple[str, object, int, str]] = [
    ("address", "192.0.2.66", 429, "AUTH_FAILURE_THROTTLE"),
    ("method", "POST", 405, "METHOD_NOT_ALLOWED"),
    ("route", "nothing", 404, "ROUTE_NOT_FOUND"),
    ("end", -1, 401, "INVALID_API_KEY"),
    ("limit", 1, 429, "RATE_LIMIT_EXCEEDED"),
    ("scope", "teams:read", 403, "SCOPE_DENIED"),
    ("store", UNREACHABLE, 503, "SERVICE_UNAVAILABLE"),
    ("query", "?limit=0", 400, "VALIDATION_ERROR"),
    ("client_id", ABSENT, 404, "RESOURCE_NOT_FOUND"),
]

# Each fault with all that come after it. A quota that can't be counted can't be exceeded.
RESTS = [[fault for fault in FAULTS[number:] if fault[0] != "store" or number > 4] for number in range(len(FAULTS))]


async def test_first_of_several_faults_decides(
    rows: Rows, service: Service, client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await Faulty(rows, service, monkeypatch).send(client)).status_code == 200
    for faults in [*([fault] for fault in FAULTS), *RESTS]:
        faulty = Faulty(rows, service, monkeypatch)
        for name, value, _, _ in faults:
            setattr(faulty, name, value)
        name, _, status, code = faults[0]
        response = await faulty.send(client)
        assert response.status_code == status, name
        assert_error(response, status, code)
