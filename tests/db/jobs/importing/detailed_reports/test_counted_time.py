"""Property: the hours that imports print, less what they say reports count less, are those that reports count.

Random reports are imported one after another, in files that overlap, by their times or by their durations, with and
without `--replace`. A slow model of the documented rules keeps what is stored; its time is the seconds that any entry
of the person has.

Covers `db/jobs/importing/detailed_reports/entry_rows.py` and `db/jobs/importing/time_summary.py`.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from db.admin.keys import set_organization
from db.jobs.importing.detailed_reports.detailed_report import DetailedReport
from db.jobs.importing.detailed_reports.replaced_days import ReplacedDays
from db.jobs.importing.import_run import ImportRefused, import_rows
from db.jobs.importing.statements import run
from db.jobs.importing.time_summary import TimeSummary
from resolvers.lists.list_sql import day_values
from resolvers.period import Period
from resolvers.relations.relation import KEYS
from resolvers.reports.time_totals_sql import ALL_TIME, time_totals
from resolvers.reports.tracked_seconds import tracked_seconds
from tests.db.jobs.importing.detailed_reports.reports import BERLIN, TOGGL, TOGGL_HEADER, toggl_line
from tests.factories.rows import Rows
from tests.property_tests import examples

ZONE = ZoneInfo(BERLIN)

# Over the hour that the clocks skip.
DAYS = [date(2026, 3, day) for day in (28, 29, 30)]
FIRST, LAST = date(2026, 3, 20), date(2026, 4, 10)

DAY = 86_400


class Line(NamedTuple):
    """A line of a report."""

    who: str
    start: datetime
    seconds: int
    project: str
    note: str

    def __str__(self) -> str:
        end = (self.start.astimezone(UTC) + timedelta(seconds=self.seconds)).astimezone(ZONE)
        return toggl_line(
            f"{self.start:%Y-%m-%d %H:%M:%S}",
            f"{end:%Y-%m-%d %H:%M:%S}",
            f"{self.seconds // 3600}:{self.seconds // 60 % 60:02}:{self.seconds % 60:02}",
            user=f"{self.who},{self.who}@example.test",
            work=f"C,{self.project}," if self.project else ",,",
            description=self.note,
        )


class Given(NamedTuple):
    """A command."""

    files: Sequence[Sequence[Line]]
    durations: bool
    replaces: bool
    days: ReplacedDays | None


class Key(NamedTuple):
    """What an entry is known by."""

    durations: bool
    who: str
    known_at: int
    number: int


class Stored(NamedTuple):
    """What is stored of an entry."""

    project: str
    note: str
    begin: int
    seconds: int


_lines = st.builds(
    Line,
    who=st.sampled_from(["ann", "bob"]),
    start=st.builds(
        lambda day, hour: datetime(day.year, day.month, day.day, hour, tzinfo=ZONE),
        st.sampled_from(DAYS),
        st.sampled_from([8, 8, 11, 22]),
    ),
    seconds=st.sampled_from([1, 1800, 7200, 4 * 3600, 4 * 3600, 9 * 3600, 50 * 3600]),
    project=st.sampled_from(["Site", "Brand", ""]),
    note=st.sampled_from(["", "a", "b"]),
)


@st.composite
def _commands(draw: st.DrawFn) -> list[Given]:
    """Commands whose files have lines of the same few ones."""
    lines = draw(st.lists(_lines, min_size=1, max_size=6))
    some = st.lists(st.sampled_from(lines), min_size=1, max_size=6)
    days = st.lists(st.sampled_from(DAYS), min_size=1).map(lambda days: ReplacedDays(min(days), max(days)))
    command = st.builds(Given, st.lists(some, min_size=1, max_size=3), st.booleans(), st.booleans(), st.none() | days)
    return draw(st.lists(command, min_size=2, max_size=3))


def _midnight(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=ZONE).timestamp())


def _local_day(moment: int) -> date:
    return datetime.fromtimestamp(moment, ZONE).date()


def _entries(given: Given) -> dict[Key, Stored] | None:
    """What the files have; None if a day has too many hours."""
    groups: dict[tuple[str, int], list[Line]] = defaultdict(list)
    before: dict[tuple[str, int], Counter[Line]] = defaultdict(Counter)
    for file in given.files:
        own: dict[tuple[str, int], Counter[Line]] = defaultdict(Counter)
        for line in file:
            group = line.who, _midnight(line.start.date()) if given.durations else int(line.start.timestamp())
            content = line._replace(start=datetime.min)
            own[group][content] += 1
            if own[group][content] > before[group][content]:
                groups[group].append(line)
        for group, count in own.items():
            before[group] |= count
    found = {}
    for (who, known_at), lines in groups.items():
        begin = known_at
        for number, line in enumerate(lines):
            found[Key(given.durations, who, known_at, number)] = Stored(line.project, line.note, begin, line.seconds)
            if given.durations:
                begin += line.seconds
        if given.durations and begin > _midnight(_local_day(known_at) + timedelta(days=1)):
            return None
    return found


def _takes_a_place(key: Key, new: Stored, old: Stored, given: Mapping[Key, Stored], kept: Mapping[Key, Stored]) -> bool:
    rest = [each for other, each in kept.items() if other[:3] == key[:3] and other not in given]
    is_another = old != new._replace(begin=old.begin)
    if is_another and new in [each._replace(begin=new.begin) for each in rest]:
        return True
    projects = {each.project for other, each in given.items() if other[:3] == key[:3]}
    if old.project in projects:
        return False
    have_projects = bool(old.project and new.project)
    is_longer_or_shorter = min(old.seconds, DAY) != min(new.seconds, DAY)
    says_other = old.note != new.note or (have_projects and not old.note)
    return (key.durations and have_projects) or (says_other and is_longer_or_shorter)


def _after(given: Given, stored: Mapping[Key, Stored]) -> tuple[dict[Key, Stored], dict[Key, Stored]] | None:
    """What is stored after a command, and its entries; None if it is refused."""
    entries = _entries(given)
    if entries is None:
        return None
    places = ((key, entries[key], old) for key, old in stored.items() if key in entries)
    if not given.replaces and any(_takes_a_place(*place, entries, stored) for place in places):
        return None
    days = {(key.who, _local_day(key.known_at)) for key in entries}
    people = {key.who for key in entries}
    own = [day for _, day in days]
    replaced = given.days or ReplacedDays(min(own), max(own))
    if given.replaces and (replaced.last < min(own) or max(own) < replaced.first):
        return None

    def stays(key: Key) -> bool:
        day = _local_day(key.known_at)
        if key.durations != given.durations and (key.who, day) in days:
            return False
        is_replaced = given.replaces and (given.days is not None or key.who in people)
        return not (is_replaced and replaced.first <= day <= replaced.last)

    return {**{key: old for key, old in stored.items() if stays(key)}, **entries}, entries


def _counted(stored: Mapping[Key, Stored]) -> Counter[str]:
    """The seconds of each person that any of the entries has."""
    seconds: dict[str, set[int]] = defaultdict(set)
    for key, entry in stored.items():
        seconds[key.who].update(range(entry.begin, entry.begin + entry.seconds))
    return Counter({who: len(found) for who, found in seconds.items()})


def _pieces(stored: Mapping[Key, Stored]) -> list[tuple[str, str, str, int, int]]:
    return sorted(
        (key.who, entry.project, entry.note, entry.begin + piece, min(DAY, entry.seconds - piece))
        for key, entry in stored.items()
        for piece in range(0, entry.seconds, DAY)
    )


def _kept(others: Mapping[Key, Stored], time: TimeSummary) -> Counter[str]:
    """The seconds of timesheets that a report does not have, of its people, and that start on its days."""
    seconds = Counter[str]()
    for who, *_, begin, length in _pieces(others):
        if who in dict(time.people) and time.first_day <= datetime.fromtimestamp(begin, ZONE).date() <= time.last_day:
            seconds[who] += length
    return seconds


ROWS = """
SELECT m.full_name, coalesce(p.name, ''), coalesce(t.note, ''), extract(epoch FROM started_at)::bigint,
       extract(epoch FROM ended_at - started_at)::bigint
FROM timesheets t JOIN members m USING (user_id) LEFT JOIN projects p ON p.id = t.project_id
WHERE t.deleted_at IS NULL ORDER BY 1, 2, 3, 4, 5
"""


def _one(day: date, *, durations: bool) -> Given:
    line = Line("bob", datetime(day.year, day.month, day.day, 8, tzinfo=ZONE), 1, "Site", "")
    return Given([[line]], durations, replaces=False, days=None)


@settings(max_examples=examples(5), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commands=_commands())
@example([_one(DAYS[2], durations=True), _one(DAYS[1], durations=False)])
def test_printed_hours_are_those_reported(owner: Connection, rows: Rows, tmp_path: Path, commands: list[Given]) -> None:
    organization_id = rows.organization(timezone=BERLIN)
    stored: dict[Key, Stored] = {}
    for command in commands:
        paths = [tmp_path / f"{number}.csv" for number in range(len(command.files))]
        for path, lines in zip(paths, command.files, strict=True):
            path.write_text("\n".join([TOGGL_HEADER, *map(str, lines)]))
        options = {"durations": command.durations, "replaces": command.replaces, "days": command.days}
        report = DetailedReport(paths, TOGGL, ZONE, **options)  # type: ignore[arg-type]
        expected = _after(command, stored)
        with nullcontext() if expected else pytest.raises(ImportRefused), owner.begin():
            items = report.rows(owner, organization_id)
            result = import_rows(owner, organization_id, items, tracked_seconds=tracked_seconds)
        if expected is None:
            continue
        others = {key: old for key, old in expected[0].items() if key not in expected[1]}
        stored = expected[0]
        time = result.time
        assert time is not None
        printed = Counter(dict(time.people))
        printed.subtract(dict(time.uncounted))
        added = _counted(stored)
        added.subtract(_counted(others))
        assert {who: seconds for who, seconds in printed.items() if seconds} == {
            who: seconds for who, seconds in added.items() if seconds
        }
        assert dict(time.stored) == ({} if command.replaces else _kept(others, time))
        assert _reported(owner, organization_id) == _counted(stored)
        assert [tuple(row) for row in run(owner, ROWS)] == _pieces(stored)
        owner.rollback()


def _reported(owner: Connection, organization_id: UUID) -> Counter[str]:
    """What time activity counts of each person, day by day. It leaves the transaction open."""
    set_organization(owner, organization_id)
    names: dict[UUID, str] = dict(list(run(owner, "SELECT user_id, full_name FROM members")))
    statement = time_totals(ALL_TIME)
    values = {**dict.fromkeys(statement.parameter_names), **statement.constants, KEYS.key: list(names)}
    values |= {"organization_id": organization_id, **day_values(Period(BERLIN, FIRST, LAST))}
    return Counter({names[row.user_id]: row.tracked_seconds for row in owner.exec_driver_sql(statement.sql, values)})


def test_overlapping_entries_are_read_by_their_index(owner: Connection, rows: Rows, tmp_path: Path) -> None:
    """2,000 entries of 999 hours took 23 s, and 4,000 four times as long: each row was compared with the ids of all."""
    start = datetime(2026, 1, 1, tzinfo=ZONE)
    lines = [Line("Ann", start + timedelta(minutes=number), 999 * 3600, "Site", "") for number in range(60)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join([TOGGL_HEADER, *map(str, lines)]))
    with owner.begin():
        organization_id = rows.organization(timezone=BERLIN)
        report = DetailedReport([path], TOGGL, ZONE).rows(owner, organization_id)
        result = import_rows(owner, organization_id, report, dry_run=True, tracked_seconds=tracked_seconds)
        assert result.time is not None
        assert result.time.uncounted == [("Ann", 59 * 998 * 3600 + 59 * 59 * 60)]
        (scans,) = run(owner, SCANS_BY_ID).scalars()
        assert scans > 0


SCANS_BY_ID = """
SELECT pg_stat_get_xact_numscans(indexrelid) FROM pg_index
WHERE indrelid = 'counted_timesheets'::regclass AND pg_get_indexdef(indexrelid) LIKE '%(organization_id, id)'
"""
