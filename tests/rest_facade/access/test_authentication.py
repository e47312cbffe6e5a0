"""API keys: which are valid, how often they are looked up, and how long they are cached."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2 as httpx
import pytest
from sqlalchemy import insert, literal, select, update

from db.admin.key_format import checksum, generate_key
from db.admin.keys import revoke_key
from db.reading.statement import Statement
from db.tables.keys import api_keys
from db.tables.people import organizations
from db.values.purpose import Purpose
from rest_facade.access.authentication import ApiKeys, Caller
from rest_facade.access.key_databases import KeyDatabases
from rest_facade.access.scope_families import FAMILIES
from rest_facade.access.throttle import MemoryWindow, Throttle
from rest_facade.composition import Service
from rest_facade.errors.refusals import INVALID_API_KEY
from rest_facade.mcp.in_process import authenticated_caller
from rest_facade.rest.app import RestApp
from rest_facade.rest.request import Request
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.rest_facade.access.clock import Clock
from tests.rest_facade.conftest import Vary

THROTTLE = Throttle(MemoryWindow())

Door = Callable[[RestApp, Request], Awaitable[Any]]
"""Answers a request, or finds its caller."""


@pytest.fixture
def lookups(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The public ids of the keys that were read from the database, in order."""
    lookups: list[str] = []
    read_key = service.key_database.read_key

    async def counted(public_id: str, *arguments: Any) -> Any:
        lookups.append(public_id)
        return await read_key(public_id, *arguments)

    monkeypatch.setattr(service.key_database, "read_key", counted)
    return lookups


@pytest.fixture
def clock(service: Service, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of a key cache of this test alone."""
    clock = Clock(1000.0)
    monkeypatch.setattr(service.public, "keys", ApiKeys(KeyDatabases(service.key_database), clock))
    return clock


def public_id_of(key: str) -> str:
    return key.split("_")[2]


def with_checksum(body: str) -> str:
    """A key with the right checksum for its body."""
    return body + checksum(body)


def flipped(key: str, at: int) -> str:
    return f"{key[:at]}{'A' if key[at] != 'A' else 'B'}{key[at + 1 :]}"


def malformed(key: str) -> list[str]:
    return [
        *("", " ", "\t", "null", key.lower(), key.upper(), key.swapcase(), key[:-1], f"{key}0"),
        f"{key[:20]} {key[20:]}",
        *(f"{key}, {key}", f"Bearer {key}", f'"{key}"', f"\x0b{key}", f"{key}\xa0", f"{key[:-1]}\xe9", "\xff\xfe"),
        *(flipped(key, 12), flipped(key, 25), flipped(key, len(key) - 1), key.replace("orgd_live_", "orgd_mcp_")),
        *(with_checksum(key[:-6].replace("orgd_live_", f"orgd_{purpose}_")) for purpose in ("int", "test")),
        *(with_checksum(key[:-8]), "' OR 1=1 --", "x" * 8 * 1024, key * 1200),
    ]


async def test_malformed_key_is_401_without_lookup(client: Connect, key: str, lookups: list[str]) -> None:
    for text in malformed(key):
        response = await client().get("/v1/clients/", headers=[(b"x-service-api-key", text.encode("latin-1"))])
        assert_error(response, 401, "INVALID_API_KEY")
    assert lookups == []


async def test_case_of_header_and_whitespace_are_ignored(client: Connect, key: str) -> None:
    http = client()
    for around in ("{}", " {}", "{} ", "\t{}", "{}\t", " \t {} \t "):
        headers = {"X-Service-Api-Key": around.format(key)}
        assert (await http.get("/v1/clients/", headers=headers)).status_code == 200


async def test_key_sent_twice_is_401(client: Connect, key: str, lookups: list[str]) -> None:
    http = client()
    for pair in ((key, key), (key, "x"), ("x", key), (key, "")):
        headers = [("X-SERVICE-API-KEY", value) for value in pair]
        assert_error(await http.get("/v1/clients/", headers=headers), 401, "INVALID_API_KEY")
    assert lookups == []


async def test_secret_of_another_key_is_401(client: Connect, rows: Rows) -> None:
    own = rows.organization()
    partner, other, mcp = rows.partner_key(own), rows.partner_key(own), rows.mcp_key(own, "clients:read")
    mixed = [
        with_checksum(partner[:19] + other[19:-6]),
        with_checksum(partner[:-6].replace("orgd_live_", "orgd_mcp_")),
        with_checksum(mcp[:-6].replace("orgd_mcp_", "orgd_live_")),
        with_checksum(flipped(partner[:-6], 30)),
    ]
    for wrong in mixed:
        assert_error(await client(wrong).get("/v1/clients/"), 401, "INVALID_API_KEY", "Invalid API key.")
    # The failed attempts with their public ids have not spoiled the cached keys.
    for right in (partner, other, mcp):
        assert (await client(right).get("/v1/clients/")).status_code == 200


@pytest.mark.parametrize(("seconds", "status"), [(-1, 401), (3600, 200)])
async def test_expired_key_is_401(seconds: int, status: int, client: Connect, rows: Rows) -> None:
    expires_at = datetime.now(UTC) + timedelta(seconds=seconds)
    http = client(rows.partner_key(rows.organization(), expires_at=expires_at))
    assert (await http.get("/v1/clients/")).status_code == status


async def test_cached_key_that_expires_is_401(client: Connect, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    expires_at = datetime.now(UTC) + timedelta(hours=1)

    class AtThatMoment(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> "AtThatMoment":
            return cls.fromtimestamp(expires_at.timestamp(), tz)

    http = client(rows.partner_key(rows.organization(), expires_at=expires_at))
    assert (await http.get("/v1/clients/")).status_code == 200
    monkeypatch.setattr("rest_facade.access.authentication.datetime", AtThatMoment)
    assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY")


@pytest.mark.parametrize("is_revoked", [True, False], ids=["revoked", "organization suspended"])
async def test_invalidated_key_works_at_most_120_seconds(
    is_revoked: bool,
    http: httpx.AsyncClient,
    rows: Rows,
    organization: UUID,
    key: str,
    clock: Clock,
    lookups: list[str],
) -> None:
    assert (await http.get("/v1/clients/")).status_code == 200
    if is_revoked:
        with rows.connection.begin():
            revoke_key(rows.connection, public_id_of(key))
    else:
        with rows.transaction(organization):
            rows.connection.execute(update(organizations).values(status="suspended"))
    clock.now += 119.9
    assert (await http.get("/v1/clients/")).status_code == 200
    assert lookups == [public_id_of(key)]
    clock.now += 0.1
    assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY")
    assert lookups == [public_id_of(key)] * 2


async def test_cache_time_starts_early(rows: Rows, key: str, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, read_key = Clock(1000.0), service.key_database.read_key

    async def slow(*arguments: Any) -> Any:
        found = await read_key(*arguments)
        clock.now += 5
        return found

    monkeypatch.setattr(service.key_database, "read_key", slow)
    keys = ApiKeys(KeyDatabases(service.key_database), clock)
    assert isinstance(await keys.caller(key, THROTTLE, "192.0.2.1"), Caller)
    with rows.connection.begin():
        revoke_key(rows.connection, public_id_of(key))
    clock.now = 1119.9
    assert isinstance(await keys.caller(key, THROTTLE, "192.0.2.1"), Caller)
    clock.now = 1120.0
    assert await keys.caller(key, THROTTLE, "192.0.2.1") is INVALID_API_KEY


def test_clock_of_keys_and_failures_is_monotonic(service: Service) -> None:
    window: Any = service.public.throttle._window
    assert service.public.keys._clock is window._clock is time.monotonic


async def test_unknown_key_is_cached_ten_seconds(client: Connect, rows: Rows, clock: Clock, lookups: list[str]) -> None:
    text, key = generate_key(Purpose.partner)
    http = client(text)
    for _ in range(3):
        assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY", "Invalid API key.")
    assert lookups == [key.public_id]
    values = {"public_id": key.public_id, "digest": key.digest, "organization_id": rows.organization()}
    with rows.connection.begin():
        rows.connection.execute(insert(api_keys).values(purpose="partner", **values))
    clock.now += 9.9
    assert (await http.get("/v1/clients/")).status_code == 401
    clock.now += 0.1
    assert (await http.get("/v1/clients/")).status_code == 200
    assert lookups == [key.public_id] * 2


async def test_wrong_secret_is_cached_beside_key(client: Connect, key: str, clock: Clock, lookups: list[str]) -> None:
    wrong = with_checksum(flipped(key[:-6], 30))
    for text, status in [(wrong, 401), (key, 200), (wrong, 401), (key, 200)]:
        assert (await client(text).get("/v1/clients/")).status_code == status
    assert lookups == [public_id_of(key)] * 2


async def test_concurrent_requests_share_one_lookup(
    http: httpx.AsyncClient, rows: Rows, organization: UUID, key: str, lookups: list[str]
) -> None:
    rows.quota(organization, 50)
    responses = await asyncio.gather(*(http.get("/v1/organization/") for _ in range(50)))
    assert [response.status_code for response in responses] == [200] * 50
    assert lookups == [public_id_of(key)]


async def test_cancelled_request_leaves_lookup_to_others(
    service: Service, key: str, lookups: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on, read_key = asyncio.Event(), asyncio.Event(), service.key_database.read_key

    async def held(*arguments: Any) -> Any:
        began.set()
        await go_on.wait()
        return await read_key(*arguments)

    monkeypatch.setattr(service.key_database, "read_key", held)
    keys = ApiKeys(KeyDatabases(service.key_database))
    first = asyncio.create_task(keys.caller(key, THROTTLE, "192.0.2.1"))
    await began.wait()
    second = asyncio.create_task(keys.caller(key, THROTTLE, "192.0.2.1"))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    go_on.set()
    caller = await second
    assert isinstance(caller, Caller)
    assert caller.public_id == public_id_of(key)
    assert lookups == [public_id_of(key)]


@pytest.mark.parametrize("door", [RestApp.respond, authenticated_caller], ids=["/v1", "/mcp"])
async def test_forged_key_of_a_departed_client_counts(
    door: Door, service: Service, lookups: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    throttle = Throttle(MemoryWindow())
    monkeypatch.setattr(service.public, "throttle", throttle)
    for number in range(1, 4):
        key = generate_key(Purpose.partner)[0]
        request = Request("GET", b"/v1/clients/", b"", address="192.0.2.1", key=key, origin=None)
        asked = asyncio.ensure_future(door(service.public, request))
        while len(lookups) < number:
            await asyncio.sleep(0)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        async with asyncio.timeout(10):
            while (await throttle.admit("192.0.2.1")).total < number:
                await asyncio.sleep(0)


async def test_failed_lookup_of_a_departed_client_is_not_told_by_the_loop(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    before = asyncio.all_tasks()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    began, go_on = asyncio.Event(), asyncio.Event()

    async def failing(*arguments: Any) -> Any:
        began.set()
        await go_on.wait()
        raise OSError("The database is gone.")

    monkeypatch.setattr(service.key_database, "read_key", failing)
    key = generate_key(Purpose.partner)[0]
    request = Request("GET", b"/v1/clients/", b"", address="192.0.2.1", key=key, origin=None)
    asked = asyncio.create_task(service.public.respond(request))
    await began.wait()
    asked.cancel()
    await asyncio.wait([asked])
    del asked
    go_on.set()
    async with asyncio.timeout(10):
        while asyncio.all_tasks() - before:
            await asyncio.sleep(0)
    gc.collect()
    assert told == []


async def test_unreadable_overrides_are_500(
    http: httpx.AsyncClient, rows: Rows, organization: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows.quota(organization, 7)
    with monkeypatch.context() as down:
        down.setattr("db.reading.key_statements.QUOTA_OVERRIDES_OF_KEY", Statement(select(1 / literal(0))))
        assert_error(await http.get("/v1/clients/"), 500, "INTERNAL_ERROR")
    assert (await http.get("/v1/clients/")).headers["ratelimit-limit"] == "7"


async def test_hanging_lookup_is_cancelled_and_repeated(
    http: httpx.AsyncClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = asyncio.Event()

    async def never(*arguments: Any) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with monkeypatch.context() as hanging:
        hanging.setattr(service.public, "settings", service.public.settings.model_copy(update={"deadline": 0.01}))
        hanging.setattr(service.key_database, "read_key", never)
        assert_error(await http.get("/v1/clients/"), 500, "INTERNAL_ERROR")
    # No request waits for it any more, so it was cancelled and keeps no connection.
    async with asyncio.timeout(10):
        await ended.wait()
    # The next request makes a lookup of its own.
    assert (await http.get("/v1/clients/")).status_code == 200


@pytest.fixture
async def unreachable_service(vary: Vary) -> AsyncIterator[Service]:
    """A service whose database can't be reached."""
    async with vary(url="postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=1", pool_wait=0.05) as service:
        yield service


async def test_key_without_database_is_500_not_401(client: Connect, unreachable_service: Service, key: str) -> None:
    http = client(key, of=unreachable_service)
    responses = await asyncio.gather(*(http.get("/v1/clients/") for _ in range(12)))
    for response in responses:
        assert_error(response, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
    assert_error(await http.get("/v1/clients/"), 500, "INTERNAL_ERROR")


async def test_responses_that_need_no_database(client: Connect, unreachable_service: Service) -> None:
    http = client(of=unreachable_service)
    assert_error(await http.get("/v1/nowhere/"), 404, "ROUTE_NOT_FOUND")
    assert_error(await http.post("/v1/clients/"), 405, "METHOD_NOT_ALLOWED")
    assert (await http.options("/v1/clients/")).status_code == 204
    for wrong in ["", "x", "orgd_live_" + "0" * 47] * 3:
        assert_error(await http.get("/v1/clients/", headers={"X-SERVICE-API-KEY": wrong}), 401, "INVALID_API_KEY")
    assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY")
    assert_error(await http.get("/v1/clients/"), 429, "AUTH_FAILURE_THROTTLE")


async def test_unknown_keys_do_not_evict_known_keys(
    client: Connect, key: str, service: Service, lookups: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rest_facade.access.authentication.MAX_UNKNOWN_KEYS", 2)
    monkeypatch.setattr(service.public, "keys", ApiKeys(KeyDatabases(service.key_database)))
    unknown = [generate_key(Purpose.partner)[0] for _ in range(3)]
    for text in [key, *unknown, key, unknown[2], unknown[0]]:
        await client(text).get("/v1/clients/")
    assert lookups == [public_id_of(text) for text in [key, *unknown, unknown[0]]]


@pytest.mark.parametrize(
    ("scopes", "status"),
    [
        ([f"{family}:read" for family in sorted(FAMILIES)], 200),
        (["clients:read", "no_such_family:read", "clients:write"], 200),
        ([], 403),
        (["members:read", "clients:write", "clients", "Clients:read", "*", "client:read"], 403),
    ],
)
async def test_mcp_key_needs_the_scope(scopes: list[str], status: int, client: Connect, rows: Rows) -> None:
    response = await client(rows.mcp_key(rows.organization(), *scopes)).get("/v1/clients/")
    assert response.status_code == status
    assert response.headers["ratelimit-remaining"] == "29"
    if status == 403:
        assert_error(response, 403, "SCOPE_DENIED", "The key lacks the scope that this endpoint needs.")


@pytest.mark.parametrize("change", [{"status": "suspended"}, {"deleted_at": "2026-01-01T00:00:00Z"}])
async def test_key_of_inactive_organization_is_401(client: Connect, rows: Rows, change: dict[str, str]) -> None:
    http = client(rows.partner_key(rows.organization(**change)))
    assert_error(await http.get("/v1/organization/"), 401, "INVALID_API_KEY", "Invalid API key.")


async def test_valid_keys_of_one_address_wait_for_each_other(
    client: Connect, rows: Rows, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way, peak, read_key = 0, 0, service.key_database.read_key

    async def counted(*arguments: Any) -> Any:
        nonlocal under_way, peak
        under_way += 1
        peak = max(peak, under_way)
        try:
            return await read_key(*arguments)
        finally:
            under_way -= 1

    monkeypatch.setattr(service.key_database, "read_key", counted)
    keys = [rows.partner_key(rows.organization()) for _ in range(30)]
    http = client()
    answers = await asyncio.gather(*(http.get("/v1/clients/", headers={"X-SERVICE-API-KEY": text}) for text in keys))
    assert [answer.status_code for answer in answers] == [200] * 30
    assert 1 < peak <= 10
