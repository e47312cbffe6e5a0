"""The wall clock steps while the service runs: keys, blocks and quotas still expire in time."""

import time
from collections.abc import Callable
from uuid import UUID

import pytest

from rest_facade.composition import Service
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.rows import Rows

HOUR = 3600.0

Step = Callable[[float], None]


@pytest.fixture
def step(fresh: Service, monkeypatch: pytest.MonkeyPatch) -> Step:
    """`step(seconds)` moves the wall clock of this process; its monotonic clock is not changed."""
    wall = time.time
    # Begins in the middle of a window, so that none ends while a test runs.
    steps = [30 - wall() % 60]

    def stepped() -> float:
        return wall() + sum(steps)

    monkeypatch.setattr(time, "time", stepped)
    monkeypatch.setattr(fresh.public.quota._counter, "_clock", stepped)  # it holds a reference to the real one
    monkeypatch.setattr(fresh.public.quota._counter, "_is_spread", False)
    return steps.append


@pytest.mark.parametrize("by", [HOUR, -HOUR])
async def test_waits_are_within_one_window(
    by: float, fresh: Service, client: Connect, rows: Rows, organization: UUID, key: str, step: Step
) -> None:
    rows.quota(organization, 1)
    async with client(key, of=fresh) as http, client("wrong", of=fresh) as stranger:
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


async def test_key_cache_uses_monotonic_clock(fresh: Service, client: Connect, key: str, step: Step) -> None:
    http = client(key, of=fresh)
    assert (await http.get("/v1/clients/")).status_code == 200
    for by in (HOUR, -2 * HOUR):
        step(by)
        assert (await http.get("/v1/clients/")).status_code == 200
    assert fresh.public.keys.misses == 1
    assert fresh.public.keys._clock is time.monotonic
