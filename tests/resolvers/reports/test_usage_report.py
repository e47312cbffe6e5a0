"""Usage reports: their sums equal those of a reference in Python.

Covers `resolvers/reports/usage_report_sql.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Table, delete, insert

from db.tables.activity import app_usages, url_usages
from db.tables.timesheets import MAX_INTERVAL, timesheets
from resolvers.activity import APP_USAGE, URL_USAGE
from resolvers.reports.usage_report import UsageReport
from rest_facade.composition import Service
from rest_facade.v1 import ENDPOINTS
from tests.factories.base import THEN, set_row_organization
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.answers import data_of
from tests.resolvers.reports.records import RANGES

QUARTER = timedelta(minutes=15)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

OWN_ZONE = "Asia/Tokyo"
"""The zone of the organization; a request for it names none."""

# Category and rating of each application or site. The names sort differently by letter and by byte.
THINGS = [("work", "productive"), (None, "productive"), ("work", "neutral"), (None, "unproductive"), (None, "unrated")]
NAMES = {
    "app_name": ["Editor", "editor", "Éditeur", 'Z"o\\o😀', "chat"],
    "domain": ["ab.com", "a-b.com", "b.com", "a.com", "xn--caf-dma.com"],
}
RATINGS = ("productive", "neutral", "unproductive", "unrated")
PEOPLE, PROJECTS = 3, 2


class Slot(NamedTuple):
    """One row of usage: `person`, `thing` and `project` are numbers, `start` counts quarters of an hour."""

    person: int
    thing: int
    project: int
    start: int
    duration: int
    active: int
    times: int
    changed: int
    is_deleted: bool


@dataclass(frozen=True)
class Case:
    """Slots, and the arguments of a report about them."""

    zone: str
    start: date
    days: int
    slots: Sequence[Slot]
    filters: dict[str, Any]

    @property
    def end(self) -> date:
        return self.start + timedelta(days=self.days - 1)

    def slot_at(self, slot: Slot) -> datetime:
        """Two days before the first to two days after the last."""
        return datetime.combine(self.start, time(), UTC) + (slot.start - 2 * 96) * QUARTER

    def changed_at(self, slot: Slot) -> datetime:
        return THEN + timedelta(minutes=slot.changed)

    def day(self, slot: Slot) -> date:
        return self.slot_at(slot).astimezone(ZoneInfo(self.zone)).date()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    zone, start = draw(st.sampled_from([*RANGES, (OWN_ZONE, date(2026, 3, 29))]))
    days = draw(st.integers(1, 4))
    # Many near midnight, so that slots meet at the bounds of a day.
    near = st.builds(lambda day, quarter: day * 96 + quarter, st.integers(1, days + 2), st.integers(-8, 8))
    starts = st.one_of(st.integers(0, (days + 4) * 96 - 1), near)
    slot = st.builds(
        lambda duration, active, **rest: Slot(duration=duration, active=duration * active // 100, **rest),
        person=st.integers(0, PEOPLE - 1),
        thing=st.integers(0, len(THINGS) - 1),
        project=st.integers(0, PROJECTS - 1),
        start=starts,
        duration=st.sampled_from([0, 1, 300, 900]),
        active=st.integers(0, 100),
        times=st.integers(0, 3),
        changed=st.integers(0, 5),
        is_deleted=st.sampled_from([False, False, False, True]),
    )
    slots = draw(st.lists(slot, max_size=40, unique_by=lambda slot: slot[:4]))
    filters = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "thing": st.integers(0, len(THINGS) - 1),
                "productivity": st.lists(
                    st.sampled_from(["productive", "neutral", "unrated"]), min_size=1, unique=True
                ),
                "project": st.integers(0, PROJECTS - 1),
            },
        )
    )
    return Case(zone, start, days, slots, filters)


def member_changed_at(person: int) -> datetime:
    return LONG_AGO + person * QUARTER


def expected(case: Case, names: Sequence[str], person: int) -> dict[str, Any]:
    """The reference: the report of one person, by the local day of each slot."""
    days: dict[date, dict[int, list[Slot]]] = {}
    for slot in case.slots:
        productivity = THINGS[slot.thing][1]
        if (
            slot.person == person
            and not slot.is_deleted
            and case.start <= case.day(slot) <= case.end
            and slot.thing == case.filters.get("thing", slot.thing)
            and productivity in case.filters.get("productivity", [productivity])
            and slot.project == case.filters.get("project", slot.project)
        ):
            days.setdefault(case.day(slot), {}).setdefault(slot.thing, []).append(slot)
    found = [slot for things in days.values() for slots in things.values() for slot in slots]

    def seconds(productivity: str) -> int:
        return sum(slot.duration for slot in found if THINGS[slot.thing][1] == productivity)

    return {
        "total": sum(slot.duration for slot in found),
        "by rating": [seconds(productivity) for productivity in RATINGS],
        # Also of deleted slots, and of those that the filters leave out.
        "updated_at": max(
            (
                case.changed_at(slot)
                for slot in case.slots
                if slot.person == person and case.start <= case.day(slot) <= case.end
            ),
            default=member_changed_at(person),
        ),
        "days": [
            (
                day,
                sum(slot.duration for slots in things.values() for slot in slots),
                sorted(
                    (
                        (
                            names[thing],
                            *THINGS[thing],
                            sum(slot.duration for slot in slots),
                            sum(slot.active for slot in slots),
                            sum(slot.times for slot in slots),
                            min(case.slot_at(slot) for slot in slots),
                            max(case.slot_at(slot) for slot in slots) + QUARTER,
                        )
                        for thing, slots in things.items()
                    ),
                    key=lambda thing: (-thing[3], thing[0].encode()),
                ),
            )
            for day, things in sorted(days.items())
        ],
    }


def shown(usage: UsageReport, report: Any) -> dict[str, Any]:
    """A report in the shape of `expected`."""
    _, name, times, first, last = usage.sql.names
    columns = [name, "category", "productivity", "duration_seconds", "active_seconds", times]
    return {
        "total": report["total_seconds"],
        "by rating": [report[f"{rating}_seconds"] for rating in RATINGS],
        "updated_at": datetime.fromisoformat(report["updated_at"]),
        "days": [
            (
                date.fromisoformat(day["date"]),
                day["total_seconds"],
                [
                    (
                        *(thing[name] for name in columns),
                        *(datetime.fromisoformat(thing[name]) for name in (first, last)),
                    )
                    for thing in day[usage.sql.names.usages]
                ],
            )
            for day in report["days"]
        ],
    }


class Stage(NamedTuple):
    """An organization without slots: its ids by number."""

    organization_id: UUID
    people: list[UUID]
    projects: list[UUID]
    apps: list[UUID]
    domains: list[UUID]
    pages: list[list[UUID]]


@pytest.fixture(scope="module")
def stage(rows: Rows) -> Stage:
    own = rows.organization(timezone=OWN_ZONE)
    people = [rows.member(own, first_joined_at=LONG_AGO, created_at=member_changed_at(n)) for n in range(PEOPLE)]
    projects = [rows.project(own) for _ in range(PROJECTS)]
    rated = [{"category": category, "productivity": productivity} for category, productivity in THINGS]
    own_domains = [rows.domain(own, name=name, **more) for name, more in zip(NAMES["domain"], rated, strict=True)]
    return Stage(
        own,
        people,
        projects,
        [rows.app(own, name=name, **more) for name, more in zip(NAMES["app_name"], rated, strict=True)],
        own_domains,
        [[rows.url_page(own, domain, url=f"https://{n}/") for n in range(PROJECTS)] for domain in own_domains],
    )


def write(rows: Rows, stage: Stage, case: Case) -> None:
    """Store the slots of a case, and no others, as usage of applications and of sites."""
    used: dict[Table, list[dict[str, Any]]] = {url_usages: [], app_usages: [], timesheets: []}
    sheets: dict[Any, UUID] = {}
    for slot in case.slots:
        own = {"organization_id": stage.organization_id, "user_id": stage.people[slot.person]}
        # One a person, project and day of UTC.
        day = datetime.combine(case.slot_at(slot), time(), UTC)
        key = slot.person, slot.project, day
        if key not in sheets:
            sheets[key] = uuid4()
            ends = {"started_at": day, "ended_at": day + MAX_INTERVAL, "tracked_until": day + MAX_INTERVAL}
            sheet = {"id": sheets[key], "project_id": stage.projects[slot.project], "updated_at": LONG_AGO}
            used[timesheets].append(own | ends | sheet)
        values = {
            **own,
            "slot_at": case.slot_at(slot),
            "timesheet_id": sheets[key],
            "duration_seconds": slot.duration,
            "active_seconds": slot.active,
            "first_at": case.slot_at(slot),
            "last_at": case.slot_at(slot) + QUARTER,
            "updated_at": case.changed_at(slot),
            "deleted_at": THEN if slot.is_deleted else None,
        }
        app = {"app_id": stage.apps[slot.thing], "sessions_count": slot.times}
        page = stage.pages[slot.thing][slot.project]
        site = {"domain_id": stage.domains[slot.thing], "page_id": page, "visits_count": slot.times}
        used[app_usages].append(values | app)
        used[url_usages].append(values | site)
    with rows.connection.begin():
        set_row_organization(rows.connection, stage.organization_id)
        for table in used:
            rows.connection.execute(delete(table).where(table.c.organization_id == stage.organization_id))
        for table, values_of in reversed(used.items()):
            if values_of:
                rows.connection.execute(insert(table), values_of)


async def read(usage: UsageReport, stage: Stage, service: Service, **query: str) -> list[dict[str, Any]]:
    """The rows of the report, as the service answers a request."""
    operation = "listAppReports" if usage is APP_USAGE else "listUrlReports"
    (endpoint,) = (endpoint for endpoint in ENDPOINTS if endpoint.operation == operation)
    variables = endpoint.variables({}, {name: [text] for name, text in ({"limit": "20"} | query).items()})
    (page,) = (await data_of(service.database, stage.organization_id, endpoint.compiled, **variables)).values()
    rows: list[dict[str, Any]] = page["results"]
    return rows


def range_of(case: Case) -> dict[str, str]:
    zone = {} if case.zone == OWN_ZONE else {"timezone": case.zone}
    return {"start_date": str(case.start), "end_date": str(case.end)} | zone


USED = [
    # On the first day each thing twice, the last time deleted; then in the first quarter of the next day.
    *(Slot(0, n % 5, n % 2, 2 * 96 + n, 90 * n, n, n, changed=n, is_deleted=n == 9) for n in range(10)),
    Slot(0, 0, 0, 3 * 96, 900, 0, 1, changed=0, is_deleted=False),
    *(Slot(1, 0, 0, 2 * 96 + n, 60, 0, 1, changed=n, is_deleted=False) for n in range(2)),
]


@settings(max_examples=examples(15), deadline=None)
@example(case=Case("UTC", THEN.date(), 1, USED, {}))
@example(case=Case("UTC", THEN.date(), 1, USED, {"project": 0}))
@example(case=Case("UTC", THEN.date(), 2, USED, {"thing": 4}))
@given(case=cases())
async def test_sums_of_apps_equal_the_reference(case: Case, stage: Stage, service: Service, rows: Rows) -> None:
    write(rows, stage, case)
    filters = case.filters
    for usage in (APP_USAGE, URL_USAGE):
        name = usage.sql.names.name
        query = range_of(case)
        query |= {name: NAMES[name][filters["thing"]]} if "thing" in filters else {}
        query |= {"productivity": ",".join(filters["productivity"])} if "productivity" in filters else {}
        query |= {"project_id": str(stage.projects[filters["project"]])} if "project" in filters else {}
        found = await read(usage, stage, service, **query)
        assert [row["user"]["user_id"] for row in found] == [str(user_id) for user_id in stage.people]
        assert [shown(usage, row) for row in found] == [expected(case, NAMES[name], person) for person in range(PEOPLE)]


@settings(max_examples=examples(12), deadline=None)
@given(case=cases())
async def test_sums_of_pages_equal_those_of_their_sites(case: Case, stage: Stage, service: Service, rows: Rows) -> None:
    write(rows, stage, case)
    pages: dict[Any, list[Slot]] = {}
    for slot in case.slots:
        if slot.person == 0 and not slot.is_deleted and case.start <= case.day(slot) <= case.end:
            pages.setdefault((case.day(slot), NAMES["domain"][slot.thing], f"https://{slot.project}/"), []).append(slot)
    query = range_of(case) | {"user_id": str(stage.people[0]), "detail": "url"}
    (found,) = await read(URL_USAGE, stage, service, **query)
    assert {
        (date.fromisoformat(day["date"]), site["domain"], page["url"]): (page["duration_seconds"], page["visits_count"])
        for day in found["days"]
        for site in day["sites"]
        for page in site["pages"]
    } == {key: (sum(slot.duration for slot in each), sum(slot.times for slot in each)) for key, each in pages.items()}
