"""The wall clock steps while the service runs: keys, blocks and quotas keep to what was promised."""

import time
from collections.abc import AsyncIterator, Callable

import pytest

from rest_facade.composition import Service, build
from rest_facade.settings import Settings
from tests.conftest import BASE_URL, Connect
from tests.errors import assert_error
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio

HOUR = 3600.0

Step = Callable[[float], None]


@pytest.fixture
async def own(owner_url: str, settings: Settings) -> AsyncIterator[Service]:
    service = build(settings, url=owner_url, base_url=BASE_URL)
    await service.open()
    yield service
    await service.close()


@pytest.fixture
def step(own: Service, monkeypatch: pytest.MonkeyPatch) -> Step:
    """`step(seconds)`: set the clock of this process by so much; its monotonic clock goes on."""
    wall = time.time
    # Begins in the middle of a window, so that none ends while a test runs.
    steps = [30 - wall() % 60]

    def stepped() -> float:
        return wall() + sum(steps)

    monkeypatch.setattr(time, "time", stepped)
    monkeypatch.setattr(own.public.quota._counter, "_clock", stepped)  # which has the function in its hand already
    return steps.append


@pytest.mark.parametrize("by", [HOUR, -HOUR, 7.0, -7.0])
async def test_what_is_told_to_wait_is_never_negative_and_at_most_a_window(
    by: float, own: Service, client: Connect, rows: Rows, step: Step
) -> None:
    organization = rows.organization()
    rows.quota(organization, 1)
    key = rows.partner_key(organization)
    async with client(key, of=own) as http, client("wrong", of=own) as stranger:
        for _ in range(2):
            for _ in range(3):
                response = await http.get("/v1/clients/")
                assert response.status_code in (200, 429)
                assert 0 <= int(response.headers["ratelimit-remaining"]) <= 1
                assert 0 <= int(response.headers["ratelimit-reset"]) - time.time() <= 61
            assert_error(response, 429, "RATE_LIMIT_EXCEEDED")
            assert 1 <= int(response.headers["retry-after"]) <= 60
            for _ in range(11):
                response = await stranger.get("/v1/clients/")
            assert_error(response, 429, "AUTH_FAILURE_THROTTLE")
            assert 1 <= int(response.headers["retry-after"]) <= 60
            step(by)


async def test_a_cached_key_lives_by_the_clock_that_does_not_step(
    own: Service, client: Connect, rows: Rows, step: Step
) -> None:
    key = rows.partner_key(rows.organization())
    async with client(key, of=own) as http:
        assert (await http.get("/v1/clients/")).status_code == 200
        for by in (HOUR, -2 * HOUR):
            step(by)
            assert (await http.get("/v1/clients/")).status_code == 200
    assert own.public.keys.misses == 1
    assert own.public.keys._clock is time.monotonic
