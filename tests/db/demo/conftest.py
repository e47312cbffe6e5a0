"""The demo organization of 24, and of other sizes and days."""

from datetime import UTC, datetime

import pytest

from db.demo.scenarios.practice import PRACTICE
from tests.db.demo.made import NOW, Made


@pytest.fixture(scope="session")
def studio() -> Made:
    return Made(24, NOW)


@pytest.fixture(scope="session")
def practice() -> Made:
    return Made(len(PRACTICE.posts), NOW, PRACTICE)


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
    ids=lambda made: f"{made[0]} members on {made[1]}",
)
def made(request: pytest.FixtureRequest) -> Made:
    return Made(*request.param)
