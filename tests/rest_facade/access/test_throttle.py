"""Authentication throttle: an address is blocked after ten failures in a window; look-ups need a reservation."""

import asyncio
import random
from ipaddress import ip_network

import httpx2 as httpx
import pytest

from rest_facade.access.throttle import Failures, MemoryWindow, Throttle
from rest_facade.composition import Service
from rest_facade.errors.envelope import Refused
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.rest_facade.access.clock import Clock, freeze

ABSENT = "0198c5a4-0000-7000-8000-000000000000"


@pytest.fixture(autouse=True)
def clock(service: Service, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of a throttle of this test alone, 30 seconds before the end of a window."""
    clock = freeze(monkeypatch)
    monkeypatch.setattr(service.public, "throttle", Throttle(MemoryWindow(clock)))
    return clock


async def fail(http: httpx.AsyncClient, times: int, **headers: str) -> None:
    for _ in range(times):
        assert_error(await http.get("/v1/clients/", headers=headers), 401, "INVALID_API_KEY")


def assert_blocked(response: httpx.Response, seconds: int = 60) -> None:
    assert_error(response, 429, "AUTH_FAILURE_THROTTLE", "Too many failed authentications.")
    assert response.headers["retry-after"] == str(seconds)
    assert not any(name.startswith("ratelimit-") for name in response.headers)


async def test_every_path_and_method_is_blocked(client: Connect) -> None:
    requests = {
        "GET": ("/v1/clients/", f"/v1/clients/{ABSENT}/", "/v1/clients/?limit=0", "/v1/nowhere/", "/v1/clients", "/"),
        "OPTIONS": ("/v1/clients/", "/v1/nowhere/", "/"),
        "POST": ("/v1/clients/",),
    }
    http = client()
    await fail(http, 10)
    for method, paths in requests.items():
        for path in paths:
            assert_blocked(await http.request(method, path))
    assert (await http.head("/v1/clients/")).status_code == 429


async def test_valid_key_is_blocked_from_that_address_only(client: Connect, key: str) -> None:
    await fail(client(address="192.0.2.1"), 10)
    assert_blocked(await client(key, address="192.0.2.1").get("/v1/clients/"))
    assert (await client(key, address="192.0.2.2").get("/v1/clients/")).status_code == 200


async def test_a_success_does_not_clear_the_count(client: Connect, key: str) -> None:
    http = client()
    await fail(http, 9)
    assert (await http.get("/v1/clients/", headers={"X-SERVICE-API-KEY": key})).status_code == 200
    await fail(http, 1)
    assert_blocked(await http.get("/v1/clients/"))


async def test_blocked_requests_do_not_extend_the_block(client: Connect, key: str, clock: Clock) -> None:
    http = client()
    await fail(http, 10)
    for second in range(0, 60, 15):
        assert_blocked(await http.get("/v1/clients/"), seconds=60 - second)
        clock.now += 15
    assert (await http.get("/v1/clients/", headers={"X-SERVICE-API-KEY": key})).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *(("GET", "/v1/clients/?limit=0", 400), ("GET", "/v1/teams/", 403), ("GET", f"/v1/clients/{ABSENT}/", 404)),
        *(("GET", "/v1/nowhere/", 404), ("POST", "/v1/clients/", 405), ("OPTIONS", "/v1/clients/", 204)),
    ],
)
async def test_other_refusals_do_not_count(method: str, path: str, status: int, client: Connect, rows: Rows) -> None:
    http = client(rows.mcp_key(rows.organization(), "clients:read"))
    for _ in range(11):
        assert (await http.request(method, path)).status_code == status
    assert (await http.get("/v1/clients/")).status_code == 200


async def test_x_forwarded_for_needs_a_trusted_proxy(client: Connect) -> None:
    http = client(address="10.0.0.9")
    for number in range(10):
        await fail(http, 1, **{"X-Forwarded-For": f"198.51.100.{number}"})
    assert_blocked(await http.get("/v1/clients/", headers={"X-Forwarded-For": "198.51.100.99"}))


async def test_several_headers_are_one_list(client: Connect, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    trusting = service.public.settings.model_copy(update={"trusted_proxies": (ip_network("10.0.0.0/8"),)})
    monkeypatch.setattr(service.public, "settings", trusting)
    claimed, seen = ("X-Forwarded-For", "203.0.113.1"), ("X-Forwarded-For", "198.51.100.1")
    http = client(address="10.0.0.9")
    await fail(http, 10, **{"X-Forwarded-For": "198.51.100.1"})
    assert_blocked(await http.get("/v1/clients/", headers=[claimed, seen]))
    assert_error(await http.get("/v1/clients/", headers=[seen, claimed]), 401, "INVALID_API_KEY")


class SlowWindow(MemoryWindow):
    """A store whose answers arrive some passes of the event loop after it has read the total."""

    def __init__(self, clock: Clock, draw: random.Random) -> None:
        super().__init__(clock)
        self.draw = draw

    async def failures(self, address: str, *, max_age: float = 0.0) -> Failures:
        failures = await super().failures(address, max_age=max_age)
        for _ in range(self.draw.randrange(20)):
            await asyncio.sleep(0)
        return failures


@pytest.mark.parametrize("seed", range(2))
async def test_failing_lookups_are_at_most_ten(seed: int, clock: Clock) -> None:
    draw = random.Random(seed)
    throttle = Throttle(SlowWindow(clock, draw))
    lookups = 0

    async def fail_lookup() -> None:
        nonlocal lookups
        async with throttle.reservation("192.0.2.1"):
            lookups += 1
            for _ in range(draw.randrange(10)):
                await asyncio.sleep(0)
            await throttle.record_failure("192.0.2.1")

    async with asyncio.timeout(10):
        results = await asyncio.gather(*(fail_lookup() for _ in range(200)), return_exceptions=True)
    assert lookups == 10
    assert [type(result) for result in results if result is not None] == [Refused] * 190
    assert not throttle._lookups


@pytest.mark.parametrize("seed", range(2))
async def test_cancelled_lookups_lose_no_reservation(seed: int, clock: Clock) -> None:
    draw = random.Random(seed)
    throttle = Throttle(SlowWindow(clock, draw))
    under_way = 0
    for _ in range(7):
        await throttle.record_failure("192.0.2.1")

    async def succeed() -> None:
        nonlocal under_way
        async with throttle.reservation("192.0.2.1"):
            under_way += 1
            try:
                assert under_way <= 3
                await asyncio.sleep(0)
            finally:
                under_way -= 1

    tasks = []
    for _ in range(300):
        tasks.append(asyncio.create_task(succeed()))
        if draw.random() < 0.5:
            draw.choice(tasks).cancel()
        if draw.random() < 0.5:
            await asyncio.sleep(0)
    async with asyncio.timeout(10):
        results = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(result) for result in results} == {type(None), asyncio.CancelledError}
    assert not throttle._lookups
