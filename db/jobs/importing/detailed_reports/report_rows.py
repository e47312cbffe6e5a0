"""Rows of a report: of the people and the work that the organization does not have yet, and of all entries.

Members, clients, projects, tasks and memberships that are there already stay as they are, except that a member's
`first_joined_at` is never after their first entry: reports would leave the member out. An entry is known by its person
and its start. So an import of the same entries changes nothing, and one of edited entries updates them.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import cache
from uuid import UUID

import orjson
from sqlalchemy import Connection

from db.jobs.importing.detailed_reports.entries import Entry, LineOfFile, ReportedProject
from db.jobs.importing.detailed_reports.ids import EntryIds, new_id
from db.jobs.importing.detailed_reports.known_work import KnownWork
from db.jobs.importing.detailed_reports.stale_entries import stale_entries
from db.jobs.importing.detailed_reports.survey import Person, Survey
from db.jobs.importing.rows import SourceRow
from db.tables.timesheets import MAX_INTERVAL, TimesheetKind, TimeSource, break_times, timesheets

CellValue = str | UUID | datetime | bool | list[str] | None

_COLUMNS = {
    break_times: ("id", "user_id", "started_at", "ended_at"),
    timesheets: (
        *("id", "user_id", "project_id", "task_id", "is_billable", "kind", "source"),
        *("started_at", "ended_at", "note", "tags"),
    ),
}
"""The columns of the rows of entries."""


class ReportRows:
    """Makes the rows of one report in one organization."""

    def __init__(
        self,
        organization_id: UUID,
        tracker: str,
        survey: Survey,
        known: KnownWork,
        *,
        replaces: bool,
        day_zone: tzinfo | None,
    ) -> None:
        self._ids = {
            table: EntryIds(organization_id, tracker, table.name, day_zone) for table in (timesheets, break_times)
        }
        self._replaces = replaces
        self._kept: set[UUID] = set()
        self._starts: Counter[int] = Counter()
        """Entries so far by a hash of 64 bits of what identifies them: 80 bytes each, where the keys take 200."""
        self._file = ""
        self._earlier: set[int] = set()
        """The same of the files before this one."""
        self._survey = survey
        self._known = known
        self._members = {who: member.user_id for who, member in known.members.items()}
        self._clients = dict(known.clients)
        self._projects = dict(known.projects)
        self._tasks = dict(known.tasks)
        self._timesheet_columns = cache(self._columns_of_timesheet)

    def work(self) -> Iterator[SourceRow]:
        """The rows of people and work, each after those that it refers to. Call it before `time`."""
        for who, person in self._survey.people.items():
            yield from self._member(who, person)
        for name, place in self._survey.clients.items():
            if name not in self._clients:
                self._clients[name] = new_id()
                yield self._row("clients", place, id=self._clients[name], name=name, currency=self._known.currency)
        for project, place in self._survey.projects.items():
            if project not in self._projects:
                yield self._project(project, place)
        gone = {member.user_id for member in self._known.members.values() if member.removed_at or member.deleted_at}
        for (project, who), (place, joined_at) in self._survey.memberships.items():
            project_id, user_id = self._projects[project], self._members[who]
            # Memberships of a removed person have ended with the removal.
            if user_id not in gone and (project_id, user_id) not in self._known.memberships:
                columns: dict[str, CellValue] = {"project_id": project_id, "user_id": user_id, "joined_at": joined_at}
                yield self._row("project_members", place, id=new_id(), **columns)
        for (project, name), place in self._survey.tasks.items():
            key = (self._projects[project], name)
            if key not in self._tasks:
                self._tasks[key] = new_id()
                yield self._row("tasks", place, id=self._tasks[key], project_id=key[0], name=name)

    def time(self, entry: Entry) -> Iterator[SourceRow]:
        """The rows of an entry: a timesheet or a break; several where it is longer than one may be."""
        table = break_times if entry.is_break else timesheets
        user_id = self._members[entry.who]
        columns: dict[str, str | None] = {"user_id": str(user_id)}
        if not entry.is_break:
            is_manual = entry.day_start is not None
            columns |= self._timesheet_columns(entry.project, entry.task, entry.is_billable, is_manual)
            columns |= entry.texts
        number = self._number(entry)
        if number is None:
            return
        begin = entry.started_at
        while begin < entry.ended_at:
            end = min(begin + MAX_INTERVAL, entry.ended_at)
            id = self._ids[table].id(user_id, entry.known_at, number, entry.day_start or begin)
            if self._replaces:
                self._kept.add(id)
            times = {"started_at": begin.isoformat(), "ended_at": end.isoformat()}
            yield SourceRow(table.name, *entry.place, {"id": str(id), **columns, **times})
            begin = end

    def _number(self, entry: Entry) -> int | None:
        """How many entries of the file before this one are of the same person and start, and are breaks if it is.

        None for one that an earlier file has.
        """
        key = hash((entry.who, entry.known_at, entry.is_break))
        if entry.place[0] != self._file:
            self._file = entry.place[0]
            self._earlier.update(self._starts)
            self._starts.clear()
        if key in self._earlier:
            return None
        self._starts[key] += 1
        return self._starts[key] - 1

    def _columns_of_timesheet(
        self, project: ReportedProject | None, task: str | None, is_billable: bool, is_manual: bool
    ) -> dict[str, str | None]:
        project_id = None if project is None else self._projects[project]
        return {
            "project_id": _text(project_id),
            "task_id": _text(None if project_id is None or task is None else self._tasks[project_id, task]),
            "is_billable": _text(is_billable),
            # A report with times of day does not tell a timer from time that was typed in.
            "kind": (TimesheetKind.manual if is_manual else TimesheetKind.automatic).value,
            "source": TimeSource.api.value,
        }

    def deletions(self, connection: Connection, zone: tzinfo) -> Iterator[SourceRow]:
        """Deleted rows of the entries that earlier imports had. Call it after `time` of all entries."""
        first, last = self._survey.first_start, self._survey.last_start
        if first is None or last is None:
            return
        days = first.astimezone(zone).date(), last.astimezone(zone).date() + timedelta(days=1)
        period = datetime.combine(days[0], time(), zone), datetime.combine(days[1], time(), zone)
        users, now = set(self._members.values()), datetime.now(UTC)
        for table, ids in self._ids.items():
            for stale in stale_entries(connection, table, ids, users, period, self._kept):
                columns = {name: stale[name] for name in _COLUMNS[table]}
                yield self._row(table.name, (self._file, 0), **columns, deleted_at=now)

    def _member(self, who: str, person: Person) -> Iterator[SourceRow]:
        known = self._known.members.get(who)
        first = person.first_started_at
        if known is None:
            self._members[who] = new_id()
            columns: dict[str, CellValue] = {"email": person.email, "full_name": person.name, "joined_at": first}
        elif known.first_joined_at is None or known.first_joined_at > first:
            columns = {"email": known.email, "full_name": known.full_name, "joined_at": known.joined_at}
        else:
            return
        yield self._row("members", person.place, user_id=self._members[who], **columns, first_joined_at=first)

    def _project(self, project: ReportedProject, place: LineOfFile) -> SourceRow:
        id = self._projects[project] = new_id()
        return self._row(
            "projects",
            place,
            id=id,
            client_id=None if project.client is None else self._clients[project.client],
            name=project.name,
            is_billable=project in self._survey.billable_projects,
            currency=self._known.currency,
        )

    def _row(self, table: str, place: LineOfFile, **values: CellValue) -> SourceRow:
        return SourceRow(table, *place, {column: _text(value) for column, value in values.items()})


def _text(value: CellValue) -> str | None:
    match value:
        case None | str():
            return value
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.isoformat()
        case list():
            return orjson.dumps(value).decode()
        case _:
            return str(value)
