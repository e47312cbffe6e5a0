"""The demo organizations, loaded with all members and with few, on several days."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from db.sample.demo.build import DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID
from db.sample.embedded.server import Server
from tests.conftest import _copy
from tests.db.sample.demo.demo_rows import NOW, DemoRows, loaded

Both = list[DemoRows]


@pytest.fixture(scope="session")
def demo_url(server: Server, template: str) -> Iterator[str]:
    """A database without other organizations: their statistics would make the checks slow."""
    with _copy(server, template) as url:
        yield url


@pytest.fixture(scope="session")
def both(demo_url: str) -> Both:
    return loaded(demo_url, NOW, DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID)


@pytest.fixture(scope="session")
def studio(both: Both) -> DemoRows:
    return both[0]


@pytest.fixture(scope="session")
def practice(both: Both) -> DemoRows:
    return both[1]


@pytest.fixture(
    scope="session",
    params=[
        (24, NOW),
        (7, datetime(2028, 2, 29, 23, 59, 59, 999999, UTC)),
        # Clocks changed in Berlin on the last of these sixty days, and before in New York. Timers run since last week.
        (31, datetime(2027, 3, 29, 0, 20, tzinfo=UTC)),
    ],
    ids=lambda demo: f"{demo[0]} members on {demo[1]:%Y-%m-%d}",
)
def demo(request: pytest.FixtureRequest, demo_url: str, both: Both) -> DemoRows:
    members, now = request.param
    return both[0] if (members, now) == (24, NOW) else loaded(demo_url, now, DEMO_ORGANIZATION_ID, members=members)[0]
