"""Usage reports: their sums equal those of a reference in Python, and they are read by index.

Covers `resolvers/reports/url_usage.py` and `resolvers/reports/usage_totals_sql.py`.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from hashlib import md5
from typing import Any, NamedTuple
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import orjson
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Table, delete, insert

from db.sample.embedded.server import Server
from db.tables.activity import app_usages, url_usages
from db.tables.timesheets import MAX_INTERVAL, timesheets
from resolvers.activity import APP_USAGE, URL_USAGE
from resolvers.context import Context
from resolvers.reports.app_usage import UsageReport
from rest_facade.composition import Service
from rest_facade.v1 import ENDPOINTS
from schema.execution.executor import Executor
from tests.factories.base import THEN, set_row_organization
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.explaining import MADE_PEOPLE, Explaining, analyzed, filled, nodes

pytestmark = pytest.mark.anyio

QUARTER = timedelta(minutes=15)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

# Changes since this time are fewer days than any range, so they are read by change; those since THEN by slot.
RECENTLY = datetime.now(UTC).replace(microsecond=0)

# Ranges with a change of the clock.
ZONES = [
    ("UTC", date(2026, 1, 5)),
    ("Europe/Berlin", date(2026, 3, 28)),
    ("Europe/Berlin", date(2026, 10, 24)),
    ("Africa/Cairo", date(2026, 4, 23)),
    ("America/Havana", date(2026, 3, 7)),
    ("America/Santiago", date(2026, 4, 4)),
    ("Asia/Kathmandu", date(2026, 1, 30)),
    ("Australia/Lord_Howe", date(2026, 4, 4)),
    ("Pacific/Chatham", date(2026, 9, 26)),
    ("Pacific/Apia", date(2011, 12, 28)),
]

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
    first_change: datetime = THEN

    @property
    def end(self) -> date:
        return self.start + timedelta(days=self.days - 1)

    def slot_at(self, slot: Slot) -> datetime:
        """Two days before the first to two days after the last."""
        return datetime.combine(self.start, time(), UTC) + (slot.start - 2 * 96) * QUARTER

    def changed_at(self, slot: Slot) -> datetime:
        return self.first_change + timedelta(minutes=slot.changed)

    def day(self, slot: Slot) -> date:
        return self.slot_at(slot).astimezone(ZoneInfo(self.zone)).date()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    zone, start = draw(st.sampled_from(ZONES))
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
    own = rows.organization(timezone="Asia/Tokyo")
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


def asked(**given: Any) -> dict[str, Any]:
    """The arguments of a report."""
    return {"page": 1, "limit": 20, "after": None, "with_pages": False, **given}


async def read(usage: UsageReport, stage: Stage, service: Service, **query: str) -> list[dict[str, Any]]:
    """The rows of the report, as the service answers a request."""
    operation = "listAppReports" if usage is APP_USAGE else "listUrlReports"
    (endpoint,) = (endpoint for endpoint in ENDPOINTS if endpoint.operation == operation)
    variables = endpoint.variables({}, {name: [text] for name, text in ({"limit": "20"} | query).items()})
    result = await Executor(service.database).execute(endpoint.compiled, stage.organization_id, variables)
    assert not result.failures
    (page,) = orjson.loads(orjson.dumps(result.data)).values()
    rows: list[dict[str, Any]] = page["results"]
    return rows


def range_of(case: Case) -> dict[str, str]:
    return {"start_date": str(case.start), "end_date": str(case.end), "timezone": case.zone}


@settings(max_examples=examples(30), deadline=None)
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


@settings(max_examples=examples(30), deadline=None)
@given(case=cases(), first_change=st.sampled_from([THEN, RECENTLY]), minutes=st.integers(0, 6))
async def test_updated_since_selects_members_with_changed_slots(
    case: Case, first_change: datetime, minutes: int, stage: Stage, service: Service, rows: Rows
) -> None:
    write(rows, stage, replace(case, first_change=first_change))
    changed = {
        slot.person
        for slot in case.slots
        if case.start <= case.day(slot) <= case.end and slot.changed >= minutes  # deleted or not
    }
    arguments = asked(start_date=case.start, end_date=case.end, timezone=case.zone)
    arguments["updated_since"] = first_change + timedelta(minutes=minutes)
    for usage in (APP_USAGE, URL_USAGE):
        page = await usage.page(Context(service.database, stage.organization_id), arguments)
        assert [report["user"].user_id for report in page.results] == [stage.people[n] for n in sorted(changed)]
        assert page.count == len(changed)


@settings(max_examples=examples(25), deadline=None)
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


async def seconds_of_day(service: Service, stage: Stage, day: date, zone: str | None) -> int:
    """The seconds of the first person's usage on one day."""
    arguments = asked(start_date=day, end_date=day, timezone=zone, user_id=stage.people[0])
    page = await APP_USAGE.page(Context(service.database, stage.organization_id), arguments)
    return int(page.results[0]["total_seconds"])


# In March 2026, in UTC; each slot lasted another power of two of seconds.
SLOTS = [(28, 14, 45), (28, 15, 0), (28, 22, 45), (28, 23, 0), (29, 0, 0), (29, 14, 45), (29, 21, 45), (29, 22, 0)]


@pytest.mark.parametrize(
    ("zone", "slots"),
    [
        ("UTC", [(29, 0, 0), (29, 14, 45), (29, 21, 45), (29, 22, 0)]),
        # The clocks go forward: a day of 23 hours, from 23:00 to 22:00.
        ("Europe/Berlin", [(28, 23, 0), (29, 0, 0), (29, 14, 45), (29, 21, 45)]),
        # The organization's, Tokyo: from 15:00 to 15:00.
        (None, [(28, 15, 0), (28, 22, 45), (28, 23, 0), (29, 0, 0), (29, 14, 45)]),
    ],
)
async def test_slot_belongs_to_the_local_day_of_its_start(
    zone: str | None, slots: list[tuple[int, int, int]], stage: Stage, service: Service, rows: Rows
) -> None:
    case = Case("UTC", date(2026, 3, 29), 1, [], {})
    first = datetime(2026, 3, 27, tzinfo=UTC)
    starts = [(datetime(2026, 3, *slot, tzinfo=UTC) - first) // QUARTER for slot in SLOTS]
    used = [Slot(0, 0, 0, start, 2**n, 0, 1, 0, is_deleted=False) for n, start in enumerate(starts)]
    write(rows, stage, replace(case, slots=used))
    expected = sum(2 ** SLOTS.index(slot) for slot in slots)
    assert await seconds_of_day(service, stage, date(2026, 3, 29), zone) == expected


FILL = f"""{MADE_PEOPLE}INSERT INTO timesheets (organization_id, id, user_id, started_at, ended_at, tracked_until)
SELECT o, pg_temp.id('sheet', n), u, '2026-01-05 09:00Z', '2026-01-05 17:00Z', '2026-01-05 17:00Z' FROM made;

INSERT INTO apps (organization_id, id, name) SELECT o, pg_temp.id('app', n), 'App ' || n FROM made WHERE n <= 20;

INSERT INTO domains (organization_id, id, name) SELECT o, pg_temp.id('site', n), n || '.com' FROM made WHERE n <= 20;

INSERT INTO url_pages (organization_id, id, domain_id, url)
SELECT o, pg_temp.id('page', n), pg_temp.id('site', n), 'https://' || n || '.com/' FROM made WHERE n <= 20;

CREATE TEMP TABLE slots AS
SELECT o, u, pg_temp.id('sheet', n) AS t, s % 20 + 1 AS thing,
       timestamptz '2026-01-05 09:00Z' + s * interval '15 minutes' AS at
FROM made, generate_series(0, 29) s;

INSERT INTO app_usages (organization_id, user_id, slot_at, app_id, timesheet_id, duration_seconds, first_at, last_at)
SELECT o, u, at, pg_temp.id('app', thing), t, 600, at, at FROM slots;

INSERT INTO url_usages
  (organization_id, user_id, slot_at, domain_id, page_id, timesheet_id, duration_seconds, first_at, last_at)
SELECT o, u, at, pg_temp.id('site', thing), pg_temp.id('page', thing), t, 600, at, at FROM slots;

VACUUM ANALYZE
"""


@pytest.fixture
async def explaining(own_url: str, server: Server) -> AsyncIterator[Explaining]:
    """A database with 30,000 slots of either kind, 30 of each person's one day."""
    async with filled(own_url, server, FILL) as database:
        yield database


async def test_slots_are_read_by_index_only(explaining: Explaining) -> None:
    own, project = UUID(md5(b"organization1").hexdigest()), uuid4()
    day = {"start_date": date(2026, 1, 5), "end_date": date(2026, 1, 7), "timezone": "UTC"}
    one = {"user_id": UUID(md5(b"user7").hexdigest())}
    asks: list[tuple[UsageReport, dict[str, Any], int]] = [
        (APP_USAGE, {}, 20 * 30 * 600),
        (APP_USAGE, {"updated_since": THEN}, 20 * 30 * 600),
        (APP_USAGE, {"app_name": "App 3"}, 20 * 2 * 600),
        (APP_USAGE, {"project_id": project, "productivity": ["unrated"]}, 0),
        (URL_USAGE, {}, 20 * 30 * 600),
        (URL_USAGE, {**one, "with_pages": True}, 30 * 600),
        (URL_USAGE, {"domain": "3.com", "updated_since": THEN}, 20 * 2 * 600),
    ]
    for usage, filters, seconds in asks:
        explaining.plans.clear()
        page = await usage.page(Context(explaining, own), asked(**day, **filters))
        assert sum(report["total_seconds"] for report in page.results) == seconds
        plans = "\n".join(explaining.plans)
        assert f"Index Only Scan using {usage.table.name}_pkey" in plans
        assert f"Seq Scan on {usage.table.name}" not in plans, plans
        assert f"Index Scan using {usage.table.name}" not in plans, plans
        assert "Seq Scan on timesheets" not in plans, plans
        # Two round trips: the members with their counts, then their usages, the states of their records, and the pages
        # with their changes.
        assert len(explaining.plans) == (5 if filters.get("with_pages") else 3)


async def test_new_rating_reads_usage_of_that_application(explaining: Explaining, own_url: str, server: Server) -> None:
    own, since = UUID(md5(b"organization1").hexdigest()), datetime.now(UTC)
    with psycopg.connect(server.url("postgres", str(conninfo_to_dict(own_url)["dbname"]))) as connection:
        rated = "UPDATE apps SET productivity = 'neutral' WHERE organization_id = %s AND name = 'App 3'"
        connection.execute(rated, [own])
    query = {"start_date": date(2026, 1, 5), "end_date": date(2026, 1, 7), "timezone": "UTC", "updated_since": since}
    page = await APP_USAGE.page(Context(explaining, own), asked(**query))
    assert page.count == 500
    (members,) = (bound for bound in explaining.statements if " AS page" in bound[0].sql)
    plan = analyzed(own_url, own, members, is_generic=False)
    index = "app_usages_organization_id_app_id_slot_at_idx"
    (read,) = (node for node in nodes(plan) if node.get("Index Name") == index)
    assert read["Actual Rows"] * read["Actual Loops"] == 500 * 2
