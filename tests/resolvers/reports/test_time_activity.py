"""Time activity: its totals equal those of a reference in Python.

Covers `resolvers/reports/interval_sql.py`, `resolvers/reports/report_members.py` and
`resolvers/reports/time_totals_sql.py`.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rest_facade.composition import Service
from rest_facade.v1.timesheets import ENDPOINTS
from schema.execution.executor import Executor
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.reports.records import DAY, HOUR, RANGES, Person, Place, new_place, people, write
from tests.resolvers.reports.reference import SECONDS, first_moment, report

pytestmark = pytest.mark.anyio

REPORT = next(endpoint for endpoint in ENDPOINTS if endpoint.operation == "listTimeActivityReport")

CONTENTS: list[Mapping[str, int]] = [
    *([{}] * 4),
    {"project_id": 0},
    {"client_id": 1},
    {"task_id": 0},
    {"project_id": 0, "client_id": 0, "task_id": 1},
]


@pytest.fixture(scope="module")
def place(rows: Rows) -> Place:
    return new_place(rows)


async def read(service: Service, place: Place, **variables: Any) -> list[dict[str, Any]]:
    variables = {"page": 1, "limit": 20} | variables
    result = await Executor(service.database).execute(REPORT.compiled, place.organization_id, variables)
    assert not result.failures
    assert result.data is not None
    found: list[dict[str, Any]] = result.data["time_activity"]["results"]
    return found


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[date], list[Person], Mapping[str, int]]:
    zone, first = draw(st.sampled_from(RANGES))
    days = [first + n * DAY for n in range(draw(st.integers(1, 4)))]
    # Some begin a day before the range and some end after it.
    origin = first_moment(zone, first) - 26 * HOUR
    persons = [draw(people(origin, len(days) * DAY + 50 * HOUR)) for _ in range(2)]
    return zone, days, persons, draw(st.sampled_from(CONTENTS))


@settings(max_examples=examples(50), deadline=None)
@given(case=cases())
async def test_totals_equal_the_reference(
    service: Service, rows: Rows, place: Place, case: tuple[str, list[date], list[Person], Mapping[str, int]]
) -> None:
    zone, days, persons, content = case
    write(rows, place, persons)
    things = {"project_id": place.projects, "client_id": place.clients, "task_id": place.tasks}
    asked = {name: things[name][number] for name, number in content.items()}
    found = await read(service, place, start_date=days[0], end_date=days[-1], timezone=zone, **asked)
    assert [row.pop("user")["user_id"] for row in found] == place.people
    assert found == [report(place, person, zone, days, content) for person in persons]
    for row in found:
        for name in SECONDS:
            assert row[name] == sum(day[name] for day in row["days"])
            for day in row["days"]:
                assert day[name] == sum(entry[name] for entry in day["entries"])
        for day in row["days"]:
            assert (
                day["tracked_seconds"] + day["discarded_idle_seconds"] + day["break_seconds"]
                <= day["day_length_seconds"]
            )
