"""Demo organizations of 24 members and of other sizes, on several days."""

from datetime import UTC, datetime

import pytest

from db.sample.demo.scenarios.practice import PRACTICE
from tests.db.sample.demo.demo_rows import NOW, DemoRows


@pytest.fixture(scope="session")
def studio() -> DemoRows:
    return DemoRows(24, NOW)


@pytest.fixture(scope="session")
def practice() -> DemoRows:
    return DemoRows(len(PRACTICE.positions), NOW, PRACTICE)


@pytest.fixture(
    scope="session",
    params=[
        (1, NOW),
        (2, NOW),
        (24, NOW),
        (24, datetime(2024, 2, 29, 23, 59, 59, 999999, UTC)),
        (60, datetime(2027, 1, 1, tzinfo=UTC)),
        (300, NOW),
    ],
    ids=lambda demo: f"{demo[0]} members on {demo[1]}",
)
def demo(request: pytest.FixtureRequest) -> DemoRows:
    return DemoRows(*request.param)
