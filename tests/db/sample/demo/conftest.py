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


@pytest.fixture(scope="session")
def small(demo_url: str) -> DemoRows:
    """Seven members on the leap day of 2028."""
    return loaded(demo_url, datetime(2028, 2, 29, 23, 59, 59, 999999, UTC), DEMO_ORGANIZATION_ID, members=7)[0]


@pytest.fixture(scope="session")
def large(demo_url: str) -> DemoRows:
    """More members than the files have, when timers run since last week.

    Clocks changed in Berlin on the last of the sixty days, and before in New York.
    """
    return loaded(demo_url, datetime(2027, 3, 29, 0, 20, tzinfo=UTC), DEMO_ORGANIZATION_ID, members=31)[0]


@pytest.fixture(scope="session", params=["studio", "small", "large"])
def demo(request: pytest.FixtureRequest) -> DemoRows:
    found: DemoRows = request.getfixturevalue(request.param)
    return found
