"""Changes of reports: `updated_since` returns every row that random edits changed, and `is_final` is kept.

The reference compares whole rows before and after, and looks for unfinished records itself. Covers
`resolvers/records/changes_sql.py`.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from db.reading.statement import Statement
from db.tables.activity import app_usages, apps
from resolvers.records.changes_sql import FEW, renamed_users
from resolvers.reports import time_activity
from rest_facade.composition import Service
from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import ENDPOINTS
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.answers import data_of
from tests.resolvers.reports.edited_place import DAY, DAYS, EDITS, FIRST, HOUR, RATINGS, Place, Row, is_final

REPORTS = {
    "listTimeActivityReport": {"project_id": "projects", "client_id": "clients", "task_id": "tasks"},
    "listAppReports": {"project_id": "projects", "productivity": "", "app_name": ""},
    "listUrlReports": {"project_id": "projects", "productivity": "", "domain": "", "detail_url": ""},
}
"""The reports, with their filters by content: the tables whose ids they take."""

BY_OPERATION = {endpoint.operation: endpoint for endpoint in ENDPOINTS}
TABLES = [table for table in EDITS if table != "payables"]
ZONES = [None, "UTC", "America/New_York", "Asia/Tokyo"]


def random_query(place: Place, operation: str) -> Row:
    numbers, length = place.numbers, place.numbers.choice([1, 1, 2, DAYS])
    start = (FIRST + numbers.randrange(DAYS - length + 1) * DAY).date()
    query: Row = {"page": 1, "limit": 20, "start_date": start, "end_date": start + (length - 1) * DAY}
    content: Row = {
        "productivity": [numbers.choice(RATINGS)],
        "app_name": "App 1",
        "domain": "site1.example",
        "detail_url": True,
        **{name: numbers.choice(place.ids[table]) for name, table in REPORTS[operation].items() if table},
    }
    people: Row = {"user_id": numbers.choice(place.ids["members"]), "team_id": numbers.choice(place.ids["teams"])}
    filters: Row = {}
    if numbers.random() < 0.5:
        name = numbers.choice(list(REPORTS[operation]))
        filters[name] = content[name]
    names = [["user_id"]] if "detail_url" in filters else [[], ["user_id"], ["team_id"]]
    filters |= {name: people[name] for name in numbers.choice(names)}
    zone = numbers.choice(ZONES)
    return query | filters | ({} if zone is None else {"timezone": zone})


async def read(service: Service, place: Place, report: Endpoint, query: Row) -> dict[str, Row]:
    """The rows of a report by user."""
    (page,) = (await data_of(service.database, place.own, report.compiled, **query)).values()
    return {row["user"]["user_id"]: row for row in page["results"]}


def moment_of(row: Row) -> datetime:
    return datetime.fromisoformat(row["updated_at"])


members_listing = cache(time_activity.members_listing)
Edits = Callable[[], list[str]]


@settings(max_examples=examples(6), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    edits=st.integers(1, 5),
    age=st.sampled_from([timedelta(), 3 * DAY, datetime.now(UTC) - THEN - HOUR]),
    few=st.sampled_from([0, 2, FEW]),
)
async def test_every_changed_row_is_returned(
    service: Service, rows: Rows, seed: int, edits: int, age: timedelta, few: int
) -> None:
    """`few` decides whether the changes are read, or each member is looked at; `age` whether by change or by start."""
    place = Place(rows, seed)
    queries = [(BY_OPERATION[name], random_query(place, name)) for name in REPORTS for _ in range(3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time_activity, "TIME_ACTIVITY_MEMBERS", members_listing(few))
        await check_changed(service, place, queries, lambda: [place.edit(TABLES) for _ in range(edits)], age)


async def check_changed(
    service: Service, place: Place, queries: Sequence[tuple[Endpoint, Row]], edit: Edits, age: timedelta
) -> None:
    """Each row that the edits changed is returned."""
    before = [await read(service, place, report, query) for report, query in queries]
    since = datetime.now(UTC) - age
    done = edit()
    for (report, query), old in zip(queries, before, strict=True):
        new = await read(service, place, report, query)
        changed = await read(service, place, report, query | {"updated_since": since})
        case = (report.operation, query, done)
        for user_id in old.keys() | new.keys():
            if old.get(user_id) != new.get(user_id):
                assert user_id in changed, case
        assert all(moment_of(row) >= since for row in changed.values()), case
        shown = {user_id: row for user_id, row in changed.items() if user_id in new}
        assert {user_id: row for user_id, row in new.items() if moment_of(row) >= since} == shown, case
        assert all(row["days"] == [] for user_id, row in changed.items() if user_id not in new), case
        for user_id, row in new.items():
            days = (row["timezone"], query["start_date"], query["end_date"])
            assert row["is_final"] == is_final(place, user_id, *days), case


@pytest.mark.parametrize("most", [1, 0], ids=["few rows", "too many rows"])
async def test_people_of_a_new_name(most: int, service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resolvers.records.changes_sql.MOST_RENAMED", most)
    own = rows.organization()
    ada, bob = rows.member(own), rows.member(own)
    apps_of = {person: rows.app(own, name=name) for name, person in (("editor", ada), ("chat", bob))}
    for person, app in apps_of.items():
        rows.app_usage(own, app, rows.timesheet(own, person, started_at=FIRST), person, slot_at=FIRST, updated_at=THEN)
    since = datetime.now(UTC)
    with rows.transaction(own):
        rows.connection.execute(update(apps).where(apps.c.id == apps_of[ada]).values(name="editor 2"))
    values = {"low": FIRST, "high": FIRST + DAY, "updated_since": since, "requested_user_id": None}
    (found,) = await service.database.read_rows(own, [(Statement(renamed_users(app_usages, "app_id", apps)), values)])
    assert {row.user_id for row in found} == ({ada} if most else {ada, bob})
