"""Step 3: which keys are honoured, how often the database is asked for them, and for how long an answer is kept."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg import OperationalError
from sqlalchemy import insert

from db.admin.key_format import FAMILIES, checksum, generate_key
from db.admin.keys import Grant, revoke_key, rotate_key
from db.tables.keys import Purpose, api_keys
from rest_facade.access.authentication import KeyCache
from rest_facade.composition import Service, build
from rest_facade.settings import Settings
from rest_facade.v1 import ENDPOINTS
from tests.conftest import BASE_URL, Connect
from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.rest_facade.access.test_rate_counter import freeze

pytestmark = pytest.mark.anyio

UNREACHABLE = "postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=1"


@pytest.fixture
def key(rows: Rows) -> str:
    return rows.partner_key(rows.organization())


@pytest.fixture
def asked(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The public ids that the database was asked for, in order."""
    asked: list[str] = []
    read_key = service.database.read_key

    async def counted(public_id: str, *arguments: Any) -> Any:
        asked.append(public_id)
        return await read_key(public_id, *arguments)

    monkeypatch.setattr(service.database, "read_key", counted)
    return asked


class Time:
    """A clock that never goes back and that only a test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(service: Service, monkeypatch: pytest.MonkeyPatch) -> Time:
    """The clock of a cache of keys that this test has for itself."""
    clock = Time()
    monkeypatch.setattr(service.public, "keys", KeyCache(service.database, clock))
    return clock


def public_id_of(key: str) -> str:
    return key.split("_")[2]


def sealed(body: str) -> str:
    """A key whose checksum fits, whatever stands in it."""
    return body + checksum(body)


def flipped(key: str, at: int) -> str:
    return f"{key[:at]}{'A' if key[at] != 'A' else 'B'}{key[at + 1 :]}"


async def test_a_key_is_honoured(client: Connect, key: str) -> None:
    async with client(key) as http:
        assert (await http.get("/v1/organization/")).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        lambda key: "",
        lambda key: " ",
        lambda key: "\t",
        lambda key: "null",
        lambda key: key.lower(),
        lambda key: key.upper(),
        lambda key: key.swapcase(),
        lambda key: key[:-1],
        lambda key: f"{key}0",
        lambda key: f"{key[:20]} {key[20:]}",
        lambda key: f"{key}, {key}",
        lambda key: f"Bearer {key}",
        lambda key: f'"{key}"',
        lambda key: f"\x0b{key}",
        lambda key: f"{key}\xa0",
        lambda key: flipped(key, 12),
        lambda key: flipped(key, 25),
        lambda key: flipped(key, len(key) - 1),
        lambda key: key.replace("orgd_live_", "orgd_mcp_"),
        lambda key: sealed(key[:-6].replace("orgd_live_", "orgd_int_")),
        lambda key: sealed(key[:-6].replace("orgd_live_", "orgd_test_")),
        lambda key: sealed(key[:-8]),
        lambda key: "\xff\xfe",
        lambda key: f"{key[:-1]}\xe9",
        lambda key: "' OR 1=1 --",
        lambda key: "x" * 8 * 1024,
        lambda key: key * 1200,
    ],
)
async def test_a_malformed_key_is_401_and_nobody_asks_the_database(
    change: Callable[[str], str], client: Connect, key: str, asked: list[str]
) -> None:
    async with client() as http:
        response = await http.get("/v1/clients/", headers=[(b"x-service-api-key", change(key).encode("latin-1"))])
    assert_error(response, 401, "INVALID_API_KEY", "Invalid API key.")
    assert asked == []


@pytest.mark.parametrize("around", [" {}", "{} ", "\t{}", "{}\t", " \t {} \t "])
async def test_white_space_around_a_key_is_none_of_it(around: str, client: Connect, key: str) -> None:
    async with client() as http:
        response = await http.get("/v1/clients/", headers={"X-SERVICE-API-KEY": around.format(key)})
    assert response.status_code == 200


@pytest.mark.parametrize("name", ["x-service-api-key", "X-SERVICE-API-KEY", "X-Service-Api-Key"])
async def test_the_name_of_the_header_may_be_in_any_case(name: str, client: Connect, key: str) -> None:
    async with client() as http:
        assert (await http.get("/v1/clients/", headers={name: key})).status_code == 200


@pytest.mark.parametrize(
    "pair",
    [
        lambda key: (key, key),
        lambda key: (key, "x"),
        lambda key: ("x", key),
        lambda key: (key, ""),
    ],
)
async def test_a_key_that_is_sent_twice_is_401(
    pair: Callable[[str], tuple[str, str]], client: Connect, key: str, asked: list[str]
) -> None:
    async with client() as http:
        headers = [("X-SERVICE-API-KEY", value) for value in pair(key)]
        assert_error(await http.get("/v1/clients/", headers=headers), 401, "INVALID_API_KEY")
    assert asked == []


@pytest.mark.parametrize(
    ("query", "name", "value"),
    [
        ("?api_key={}", "Accept", "*/*"),
        ("?X-SERVICE-API-KEY={}", "Accept", "*/*"),
        ("", "Authorization", "Bearer {}"),
        ("", "Authorization", "{}"),
        ("", "Cookie", "X-SERVICE-API-KEY={}"),
        ("", "X-API-KEY", "{}"),
        ("", "X_SERVICE_API_KEY", "{}"),
    ],
)
async def test_a_key_anywhere_but_in_its_header_is_401(
    query: str, name: str, value: str, client: Connect, key: str
) -> None:
    async with client() as http:
        response = await http.get(f"/v1/clients/{query.format(key)}", headers={name: value.format(key)})
    assert_error(response, 401, "INVALID_API_KEY")


async def test_the_secret_must_be_that_of_the_public_id(client: Connect, rows: Rows) -> None:
    own = rows.organization()
    partner, other, mcp = rows.partner_key(own), rows.partner_key(own), rows.mcp_key(own, "clients:read")
    mixed = [
        sealed(partner[:19] + other[19:-6]),
        sealed(partner[:-6].replace("orgd_live_", "orgd_mcp_")),
        sealed(mcp[:-6].replace("orgd_mcp_", "orgd_live_")),
        sealed(flipped(partner[:-6], 30)),
    ]
    for wrong in mixed:
        async with client(wrong) as http:
            assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY", "Invalid API key.")
    # The good ones were not spoiled by what was tried with their public ids.
    for right in (partner, other, mcp):
        async with client(right) as http:
            assert (await http.get("/v1/clients/")).status_code == 200


async def test_a_token_for_the_internal_listener_is_401_here(client: Connect, rows: Rows, asked: list[str]) -> None:
    token = rows.key(Grant(Purpose.internal, expires_at=datetime.now(UTC) + timedelta(days=1)))
    async with client(token) as http:
        assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY", "Invalid API key.")
    assert asked == []


@pytest.mark.parametrize(("seconds", "status"), [(-1, 401), (3600, 200)])
async def test_a_key_is_honoured_until_it_expires(seconds: int, status: int, client: Connect, rows: Rows) -> None:
    expires_at = datetime.now(UTC) + timedelta(seconds=seconds)
    async with client(rows.partner_key(rows.organization(), expires_at=expires_at)) as http:
        assert (await http.get("/v1/clients/")).status_code == status


async def test_a_key_that_expires_while_it_is_cached_is_401_at_once(
    client: Connect, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    expires_at = datetime.now(UTC) + timedelta(hours=1)

    class AtThatMoment(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> "AtThatMoment":
            return cls.fromtimestamp(expires_at.timestamp(), tz)

    async with client(rows.partner_key(rows.organization(), expires_at=expires_at)) as http:
        assert (await http.get("/v1/clients/")).status_code == 200
        monkeypatch.setattr("rest_facade.access.authentication.datetime", AtThatMoment)
        assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY")


async def test_a_revoked_key_is_401_when_no_cache_knows_it(client: Connect, rows: Rows, key: str) -> None:
    with rows.connection.begin():
        revoke_key(rows.connection, public_id_of(key))
    async with client(key) as http:
        assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY", "Invalid API key.")


async def test_of_a_rotated_key_the_new_one_is_honoured_at_once_and_the_old_one_as_revoked(
    client: Connect, rows: Rows, key: str, clock: Time
) -> None:
    async with client(key) as http:
        assert (await http.get("/v1/clients/")).status_code == 200
        with rows.connection.begin():
            fresh = rotate_key(rows.connection, public_id_of(key))
        assert (await http.get("/v1/clients/", headers={"X-SERVICE-API-KEY": fresh})).status_code == 200
        clock.now += 120
        assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY")


async def test_a_revoked_key_may_work_for_120_seconds_and_no_longer(
    client: Connect, rows: Rows, key: str, clock: Time, asked: list[str]
) -> None:
    async with client(key) as http:
        assert (await http.get("/v1/clients/")).status_code == 200
        with rows.connection.begin():
            revoke_key(rows.connection, public_id_of(key))
        clock.now += 119.9
        assert (await http.get("/v1/clients/")).status_code == 200
        assert asked == [public_id_of(key)]
        clock.now += 0.1
        assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY")
        assert asked == [public_id_of(key)] * 2


async def test_use_does_not_lengthen_the_life_of_a_cached_key(
    client: Connect, rows: Rows, key: str, clock: Time
) -> None:
    async with client(key) as http:
        assert (await http.get("/v1/clients/")).status_code == 200
        with rows.connection.begin():
            revoke_key(rows.connection, public_id_of(key))
        for _ in range(11):
            clock.now += 10
            assert (await http.get("/v1/clients/")).status_code == 200
        clock.now += 10
        assert (await http.get("/v1/clients/")).status_code == 401


async def test_the_120_seconds_begin_before_the_database_is_read(
    rows: Rows, key: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, read_key = Time(), service.database.read_key

    async def slow(*arguments: Any) -> Any:
        found = await read_key(*arguments)
        clock.now += 5
        return found

    monkeypatch.setattr(service.database, "read_key", slow)
    keys = KeyCache(service.database, clock)
    assert await keys.caller(key) is not None
    with rows.connection.begin():
        revoke_key(rows.connection, public_id_of(key))
    clock.now = 1119.9
    assert await keys.caller(key) is not None
    clock.now = 1120.0
    assert await keys.caller(key) is None


async def test_an_unknown_key_is_looked_up_once_in_ten_seconds(
    client: Connect, rows: Rows, clock: Time, asked: list[str]
) -> None:
    text, key = generate_key(Purpose.partner)
    async with client(text) as http:
        for _ in range(3):
            assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY", "Invalid API key.")
        assert asked == [key.public_id]
        values = {"public_id": key.public_id, "digest": key.digest, "organization_id": rows.organization()}
        with rows.connection.begin():
            rows.connection.execute(insert(api_keys).values(purpose="partner", **values))
        clock.now += 9.9
        assert (await http.get("/v1/clients/")).status_code == 401
        clock.now += 0.1
        assert (await http.get("/v1/clients/")).status_code == 200
        assert asked == [key.public_id] * 2


async def test_a_wrong_secret_asks_no_more_often_than_a_right_one(
    client: Connect, key: str, clock: Time, asked: list[str]
) -> None:
    wrong = sealed(flipped(key[:-6], 30))
    for text, status in [(wrong, 401), (key, 200), (wrong, 401), (key, 200)]:
        async with client(text) as http:
            assert (await http.get("/v1/clients/")).status_code == status
    assert asked == [public_id_of(key)]


async def test_fifty_requests_at_once_share_one_look_up(client: Connect, rows: Rows, asked: list[str]) -> None:
    own = rows.organization()
    rows.quota(own, 50)
    key = rows.partner_key(own)
    async with client(key) as http:
        responses = await asyncio.gather(*(http.get("/v1/organization/") for _ in range(50)))
    assert [response.status_code for response in responses] == [200] * 50
    assert asked == [public_id_of(key)]


async def test_a_request_that_gives_up_leaves_the_look_up_to_the_others(
    service: Service, key: str, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on, read_key = asyncio.Event(), asyncio.Event(), service.database.read_key

    async def held(*arguments: Any) -> Any:
        began.set()
        await go_on.wait()
        return await read_key(*arguments)

    monkeypatch.setattr(service.database, "read_key", held)
    keys = KeyCache(service.database)
    first = asyncio.create_task(keys.caller(key))
    await began.wait()
    second = asyncio.create_task(keys.caller(key))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    go_on.set()
    caller = await second
    assert caller is not None
    assert caller.public_id == public_id_of(key)
    assert asked == [public_id_of(key)]


async def test_a_look_up_that_fails_is_500_and_is_not_kept(
    client: Connect, key: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*arguments: Any) -> Any:
        raise OperationalError("the connection is lost")

    async with client(key) as http:
        with monkeypatch.context() as down:
            down.setattr(service.database, "read_key", broken)
            response = await http.get("/v1/clients/")
            assert_error(response, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
        assert (await http.get("/v1/clients/")).status_code == 200


async def test_quotas_that_cannot_be_read_are_no_key_without_quotas(
    client: Connect, rows: Rows, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*arguments: Any) -> Any:
        raise OperationalError("the connection is lost")

    own = rows.organization()
    rows.quota(own, 7)
    async with client(rows.partner_key(own)) as http:
        with monkeypatch.context() as down:
            down.setattr(service.database, "read", broken)
            assert_error(await http.get("/v1/clients/"), 500, "INTERNAL_ERROR")
        assert (await http.get("/v1/clients/")).headers["ratelimit-limit"] == "7"


async def test_a_look_up_that_never_ends_is_given_up_and_made_anew(
    client: Connect, key: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = asyncio.Event()

    async def never(*arguments: Any) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with client(key) as http:
        with monkeypatch.context() as hanging:
            hurried = service.public.settings.model_copy(update={"deadline": 0.01})
            hanging.setattr(service.public, "settings", hurried)
            hanging.setattr(service.database, "read_key", never)
            assert_error(await http.get("/v1/clients/"), 500, "INTERNAL_ERROR")
        # Nobody waits for it any more: it keeps no connection.
        async with asyncio.timeout(10):
            await ended.wait()
        # What hung for one request is not waited for by the next.
        assert (await http.get("/v1/clients/")).status_code == 200


@pytest.fixture
async def cut_off(settings: Settings) -> Any:
    """A service whose database can't be reached."""
    service = build(settings.model_copy(update={"pool_wait": 0.05}), url=UNREACHABLE, base_url=BASE_URL)
    await service.database.open()
    yield service
    await service.database.close()


async def test_without_a_database_a_key_is_500_and_never_401_or_counted(
    client: Connect, cut_off: Service, key: str
) -> None:
    async with client(key, of=cut_off) as http:
        responses = await asyncio.gather(*(http.get("/v1/clients/") for _ in range(12)))
        for response in responses:
            assert_error(response, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
        assert_error(await http.get("/v1/clients/"), 500, "INTERNAL_ERROR")


async def test_what_needs_no_database_is_answered_without_one(
    client: Connect, cut_off: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    freeze(monkeypatch)
    async with client(of=cut_off) as http:
        assert_error(await http.get("/v1/nowhere/"), 404, "ROUTE_NOT_FOUND")
        assert_error(await http.post("/v1/clients/"), 405, "METHOD_NOT_ALLOWED")
        assert (await http.options("/v1/clients/")).status_code == 204
        for wrong in ["", "x", "orgd_live_" + "0" * 47] * 3:
            response = await http.get("/v1/clients/", headers={"X-SERVICE-API-KEY": wrong})
            assert_error(response, 401, "INVALID_API_KEY")
        assert_error(await http.get("/v1/clients/"), 401, "INVALID_API_KEY")
        assert_error(await http.get("/v1/clients/"), 429, "AUTH_FAILURE_THROTTLE")


async def test_a_flood_of_unknown_keys_drives_out_unknown_keys_only(
    client: Connect, key: str, service: Service, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rest_facade.access.authentication.MOST_UNKNOWN", 2)
    monkeypatch.setattr(service.public, "keys", KeyCache(service.database))
    unknown = [generate_key(Purpose.partner)[0] for _ in range(3)]
    for text in [key, *unknown, key, unknown[2], unknown[0]]:
        async with client(text) as http:
            await http.get("/v1/clients/")
    assert asked == [public_id_of(text) for text in [key, *unknown, unknown[0]]]


@pytest.mark.parametrize(
    ("scopes", "status"),
    [
        (["clients:read"], 200),
        (["clients:read", "members:read"], 200),
        ([f"{family}:read" for family in sorted(FAMILIES)], 200),
        (["clients:read", "no_such_family:read", "clients:write"], 200),
        ([], 403),
        (["members:read"], 403),
        (["clients:write"], 403),
        (["clients"], 403),
        (["Clients:read"], 403),
        (["*"], 403),
        (["client:read"], 403),
    ],
)
async def test_an_mcp_key_reads_what_its_scopes_name(
    scopes: list[str], status: int, client: Connect, rows: Rows
) -> None:
    async with client(rows.mcp_key(rows.organization(), *scopes)) as http:
        response = await http.get("/v1/clients/")
    assert response.status_code == status
    assert response.headers["ratelimit-remaining"] == "29"
    if status == 403:
        message = "The key lacks the scope that this endpoint needs."
        assert_error(response, 403, "SCOPE_DENIED", message)


async def test_an_mcp_key_without_scopes_reads_nothing(client: Connect, rows: Rows) -> None:
    async with client(rows.mcp_key(rows.organization())) as http:
        for endpoint in ENDPOINTS:
            path = endpoint.path.format_map(dict.fromkeys(endpoint.ids, "0198c5a4-0000-7000-8000-000000000000"))
            assert_error(await http.get(path), 403, "SCOPE_DENIED")
