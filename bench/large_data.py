"""Large organizations, which are inserted when a part first needs them."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

from bench.data import BenchDatabase, BenchOrganization, organization_id, rows
from bench.full_pages import full_pages
from bench.scale import Scale
from db.admin.engine import connect
from db.sample.demo.examples import example_parameters
from db.sample.seed.build import seed

SMALL, LARGE, PEOPLE_FEW, PEOPLE_MANY, NESTED, ALL_BUSY = 1001, 1002, 1003, 1004, 1005, 1006
MANY = 2001
"""The number of the first of many organizations."""

MANY_MEMBERS = 5

BUSY = 100
"""Members with eight timesheets a working day: all of the small organization, and the first of the large one. The
others have one timesheet a week, so that the tables and their indexes are large too."""

FIRST_DAY = date(2025, 3, 1)
DAYS = 31
LAST_DAY = FIRST_DAY + timedelta(days=DAYS - 1)

MEMBERS = """
INSERT INTO members (organization_id, user_id, membership_id, email, full_name, first_joined_at, joined_at, created_at,
                     updated_at)
SELECT bench_id(0, {organization}, 0), bench_id(3, {organization}, n), bench_id(4, {organization}, n),
       'member' || n || '@example.com', 'Member ' || n, made, made, made, made
FROM generate_series(1, {count}) n,
     LATERAL (SELECT timestamptz '2024-01-01Z' + n * interval '1 second' AS made) m;
"""

# Foreign keys are not checked: the referenced rows exist, and a million look-ups take minutes.
WORKDAYS = """
SET LOCAL session_replication_role = replica;

INSERT INTO timesheets (organization_id, id, user_id, project_id, started_at, ended_at, tracked_until, input_seconds,
                        active_seconds)
SELECT organization_id, gen_random_uuid(), user_id, bench_id(2, {organization}, k % 8 + 1), at, at + interval '1 hour',
       at + interval '1 hour', 3600, 2400
FROM (SELECT organization_id, user_id, row_number() OVER (ORDER BY created_at) AS n FROM members
      WHERE organization_id = bench_id(0, {organization}, 0)) member,
     generate_series(date '{first}', date '{first}' + {days} - 1, interval '1 day') day,
     generate_series(0, 7) k,
     LATERAL (SELECT (day::date + time '07:00' + k * interval '1 hour') AT TIME ZONE 'UTC' AS at) moment
WHERE extract(isodow FROM day) < 6 AND (n <= {busy} OR k = 3 AND extract(isodow FROM day) = n % 5 + 1);
"""

SEEDED_DAYS = 31


class Pair(NamedTuple):
    """A small and a large organization, alike but for the number of rows."""

    small: BenchOrganization
    large: BenchOrganization


@dataclass(frozen=True)
class SeededOrganization:
    """An organization of `orgdata seed`, with example values of its parameters by name."""

    organization: BenchOrganization
    values: dict[str, str]


class LargeData:
    """The large organizations of a database."""

    def __init__(self, data: BenchDatabase, scale: Scale) -> None:
        self._data = data
        self._scale = scale

    @cached_property
    def projects(self) -> Pair:
        """Organizations of 1,000 and of many projects."""
        print(f"Making an organization of {self._scale.projects:,} projects ...", flush=True)
        self._data.run(rows(SMALL, SMALL, projects=1_000))
        self._data.run(rows(LARGE, LARGE, projects=self._scale.projects))
        self._data.analyze()
        return Pair(self._data.organization(SMALL), self._data.organization(LARGE))

    @cached_property
    def nested(self) -> BenchOrganization:
        """An organization whose 40 clients have 125 projects each."""
        self._data.run(rows(NESTED, NESTED, projects=5_000))
        self._data.analyze()
        return self._data.organization(NESTED)

    @cached_property
    def few_members(self) -> BenchOrganization:
        """An organization of 100 members, who worked for a month."""
        return self._members(PEOPLE_FEW, 100)

    @cached_property
    def members(self) -> Pair:
        """Organizations of 100 and of many members, who worked for a month."""
        print(f"Making an organization of {self._scale.members:,} members ...", flush=True)
        return Pair(self.few_members, self._members(PEOPLE_MANY, self._scale.members))

    @cached_property
    def busy_members(self) -> BenchOrganization:
        """An organization of more members, all of them with as many timesheets as the 100."""
        count = self._scale.busy_members
        return self._members(ALL_BUSY, count, busy=count)

    @cached_property
    def many(self) -> list[UUID]:
        """The ids of many organizations of 100 projects and MANY_MEMBERS, who worked for a month."""
        numbers = range(MANY, MANY + self._scale.organizations)
        print(f"Making {len(numbers)} organizations ...", flush=True)
        for number in numbers:
            self._insert_members(number, MANY_MEMBERS, projects=100)
        self._data.analyze()
        return [organization_id(number) for number in numbers]

    @cached_property
    def seeded(self) -> SeededOrganization:
        """An organization with rows of every kind, which fill the largest page of every list."""
        seeded = self._seeded(self._scale.seeded_members, SEEDED_DAYS)
        self._data.run(full_pages(seeded.organization.id, seeded.values))
        self._data.analyze()
        return seeded

    @cached_property
    def usage(self) -> SeededOrganization:
        """An organization with many rows of application and URL usage."""
        return self._seeded(self._scale.usage_members, self._scale.usage_days)

    def _members(self, number: int, count: int, *, busy: int = BUSY) -> BenchOrganization:
        self._insert_members(number, count, busy=busy)
        self._data.analyze()
        return self._data.organization(number)

    def _insert_members(self, number: int, count: int, *, busy: int = BUSY, projects: int = 10) -> None:
        self._data.run(rows(number, number, projects=projects))
        self._data.run(MEMBERS.format(organization=number, count=count))
        self._data.run(WORKDAYS.format(organization=number, first=FIRST_DAY, days=DAYS, busy=busy))

    def _seeded(self, members: int, days: int) -> SeededOrganization:
        print(f"Seeding an organization of {members:,} members for {days} days ...", flush=True)
        with connect(self._data.owner_url).connect() as connection:
            [organization] = seed(connection, organizations=1, members=members, days=days)
            connection.commit()
            values = example_parameters(connection, organization, datetime.now(UTC).date())
        self._data.analyze()
        return SeededOrganization(self._data.with_key(organization), values)
