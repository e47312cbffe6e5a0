"""Errors: the envelope, no details of unexpected exceptions, and which of several errors comes first.

Covers `rest_facade/errors/envelope.py` and `rest_facade/errors/closed_connection.py`.
"""

import asyncio
from unittest.mock import AsyncMock

import httpx2 as httpx
import orjson
import pytest
from psycopg import errors

from rest_facade.access.quota import Quota
from rest_facade.access.rate_counter import MemoryStorage, RateCounter
from rest_facade.access.throttle import MemoryWindow, Throttle
from rest_facade.composition import Service
from rest_facade.errors.envelope import Refused, new_request_id
from rest_facade.errors.refusals import INTERNAL_ERROR, Code, cap_exceeded, invalid
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.rest_facade.access.clock import UNREACHABLE, freeze

ABSENT = "0198c5a4-0000-7000-8000-000000000000"
CAP = cap_exceeded("User has 1001 timesheets in range; maximum is 1000.", {"n": 1001})


def test_codes_are_the_specified_ones() -> None:
    assert {code.value for code in Code} == {
        *("VALIDATION_ERROR", "INVALID_API_KEY", "SCOPE_DENIED", "RESOURCE_NOT_FOUND", "ROUTE_NOT_FOUND"),
        *("METHOD_NOT_ALLOWED", "RATE_LIMIT_EXCEEDED", "AUTH_FAILURE_THROTTLE", "INTERNAL_ERROR"),
        "SERVICE_UNAVAILABLE",
    }


def test_details_are_those_of_the_error() -> None:
    for error, message, details in [
        (invalid("limit must be >= 1.", "limit"), "limit must be >= 1.", {"limit": ["limit must be >= 1."]}),
        (CAP, "User has 1001 timesheets in range; maximum is 1000.", {"n": 1001}),
        (cap_exceeded("Invalid after.", None), "Invalid after.", None),
    ]:
        body = {"code": "VALIDATION_ERROR", "message": message, "request_id": "an id"}
        expected = body if details is None else body | {"details": details}
        assert (error.status, orjson.loads(error.body("an id"))) == (400, {"error": expected})


def test_request_ids_are_unique() -> None:
    ids = [new_request_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(len(id_) == 32 and id_.isascii() and id_.isalnum() for id_ in ids)


async def test_request_id_is_never_the_clients(client: Connect) -> None:
    http = client()
    for claimed in ("mine", "00000000000000000000000000000000", "x" * 10_000):
        response = await http.get("/v1/clients/", headers={"X-Request-ID": claimed})
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
    cause: Exception, http: httpx.AsyncClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await http.get("/v1/members/")).status_code == 200
    monkeypatch.setattr(service.database, "read_rows", AsyncMock(side_effect=cause))
    for path in ("/v1/members/", f"/v1/clients/{ABSENT}/"):
        response = await http.get(path)
        assert_error(response, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
        for detail in ("members", "10.1.2.3", "Error", "Traceback"):
            assert detail not in response.text.replace("INTERNAL_ERROR", "")


async def test_late_call_is_500(http: httpx.AsyncClient, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*arguments: object, **options: object) -> None:
        await asyncio.Event().wait()

    assert (await http.get("/v1/clients/")).status_code == 200
    monkeypatch.setattr(service.public, "settings", service.public.settings.model_copy(update={"deadline": 0.01}))
    monkeypatch.setattr(service.database, "read_rows", never)
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
        for _ in range(10):
            await client(address="192.0.2.66").get("/v1/clients/")
        await client(key, address="192.0.2.99").get("/v1/clients/")
        http = client(key[: self.end], address=self.address)
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
