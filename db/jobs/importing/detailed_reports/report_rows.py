"""Rows of the people and the work of a report that the organization does not have yet.

Members, clients, projects, tasks and memberships that are there already stay as they are, except that a member's
`first_joined_at` is never after their first entry: reports would leave the member out.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from secrets import randbits
from uuid import UUID

from db.jobs.importing.detailed_reports.entry import LineOfFile, ReportedProject
from db.jobs.importing.detailed_reports.known_work import KnownWork
from db.jobs.importing.detailed_reports.survey import Person, Survey
from db.jobs.importing.rows import SourceRow

CellValue = str | UUID | datetime | bool | None


class ReportRows:
    """Makes the rows, and knows the ids of the people and the work then."""

    def __init__(self, survey: Survey, known: KnownWork) -> None:
        self._survey = survey
        self._known = known
        self.people = {who: member.user_id for who, member in known.members.items()}
        self._clients = dict(known.clients)
        self.projects = dict(known.projects)
        self.tasks = dict(known.tasks)

    def rows(self) -> Iterator[SourceRow]:
        """The rows of people and work, each after those that it refers to."""
        for who, person in self._survey.people.items():
            yield from self._member(who, person)
        for name, place in self._survey.clients.items():
            if name not in self._clients:
                self._clients[name] = new_id()
                yield self._row("clients", place, id=self._clients[name], name=name, currency=self._known.currency)
        for project, place in self._survey.projects.items():
            if project not in self.projects:
                yield self._project(project, place)
        gone = {member.user_id for member in self._known.members.values() if member.removed_at or member.deleted_at}
        for (project, who), (place, joined_at) in self._survey.memberships.items():
            project_id, user_id = self.projects[project], self.people[who]
            # Memberships of a removed person have ended with the removal.
            if user_id not in gone and (project_id, user_id) not in self._known.memberships:
                columns: dict[str, CellValue] = {"project_id": project_id, "user_id": user_id, "joined_at": joined_at}
                yield self._row("project_members", place, id=new_id(), **columns)
        for (project, name), place in self._survey.tasks.items():
            key = (self.projects[project], name)
            if key not in self.tasks:
                self.tasks[key] = new_id()
                yield self._row("tasks", place, id=self.tasks[key], project_id=key[0], name=name)

    def _member(self, who: str, person: Person) -> Iterator[SourceRow]:
        known = self._known.members.get(who)
        first = person.first_started_at
        if known is None:
            self.people[who] = new_id()
            columns: dict[str, CellValue] = {"email": person.email, "full_name": person.name, "joined_at": first}
        elif known.first_joined_at is None or known.first_joined_at > first:
            columns = {"email": known.email, "full_name": known.full_name, "joined_at": known.joined_at}
        else:
            return
        yield self._row("members", person.place, user_id=self.people[who], **columns, first_joined_at=first)

    def _project(self, project: ReportedProject, place: LineOfFile) -> SourceRow:
        id = self.projects[project] = new_id()
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
        case _:
            return str(value)


def new_id() -> UUID:
    """An id that no row has: a UUID of version 7, so that rows of one time lie together."""
    milliseconds = round(datetime.now(UTC).timestamp() * 1000)
    return UUID(int=milliseconds << 80 | 7 << 76 | randbits(12) << 64 | 0b10 << 62 | randbits(62))
