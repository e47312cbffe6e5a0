"""Cases of the report on time activity, and its rows as a client reads them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import orjson
from hypothesis import strategies as st

from rest_facade.composition import Service
from rest_facade.v1.timesheets import ENDPOINTS
from schema.execution.operation import Executor
from tests.local_days import first_moment
from tests.resolvers.reports.records import DAY, HOUR, RANGES, SECOND, Person, Place, Sheet, people

REPORT = next(endpoint for endpoint in ENDPOINTS if endpoint.operation == "listTimeActivityReport")

CONTENTS: list[Mapping[str, int]] = [
    *([{}] * 4),
    {"project_id": 0},
    {"client_id": 1},
    {"task_id": 0},
    {"project_id": 0, "client_id": 0, "task_id": 1},
]

Case = tuple[str, list[date], list[Person], Mapping[str, int]]
"""A time zone, days, people and what of their time is asked for."""

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


async def read(service: Service, place: Place, **variables: Any) -> list[dict[str, Any]]:
    variables = {"page": 1, "limit": 20} | variables
    result = await Executor(service.database).execute(REPORT.compiled, place.organization_id, variables)
    assert not result.errors
    assert result.data is not None
    for row in result.data["time_activity_reports"]["results"]:
        text = orjson.dumps(row["days"])
        assert isinstance(row["days"], orjson.Fragment)
        assert orjson.dumps(orjson.loads(text)) == text
    found: list[dict[str, Any]] = in_json(result.data["time_activity_reports"]["results"])
    return found


def in_json(value: Any) -> Any:
    """What a client reads."""
    return orjson.loads(orjson.dumps(value, option=orjson.OPT_UTC_Z))


STARTED_TOGETHER: Case = (
    "UTC",
    [NEW_YEAR.date()],
    [
        Person([Sheet(start=NEW_YEAR, end=NEW_YEAR + SECOND), Sheet(start=NEW_YEAR, end=NEW_YEAR, is_running=True)]),
        Person([Sheet(start=NEW_YEAR, end=NEW_YEAR, is_running=True)]),
    ],
    {},
)
"""A timer that was just started has no time of its own. It counts where no earlier timesheet has its start."""


@st.composite
def cases(draw: st.DrawFn) -> Case:
    zone, first = draw(st.sampled_from(RANGES))
    days = [first + n * DAY for n in range(draw(st.integers(1, 4)))]
    # Some begin a day before the range and some end after it.
    origin = first_moment(zone, first) - 26 * HOUR
    persons = [draw(people(origin, len(days) * DAY + 50 * HOUR)) for _ in range(2)]
    return zone, days, persons, draw(st.sampled_from(CONTENTS))
