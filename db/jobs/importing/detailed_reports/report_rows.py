"""Rows of the people and the work of a report that the organization does not have yet.

People are known by their e-mail address; those of a report without addresses by their full name. Work is known by its
name. Names are compared exactly, as the time trackers do. Deleted clients, projects and tasks are not used again.
Deleted members are: their e-mail address is that of the same person.

What is there already stays as it is, except that a member's `first_joined_at` is never after their first entry: reports
would leave the member out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text

from db.admin.organizations import uuid7
from db.jobs.importing.detailed_reports.entry import UNKNOWN_CLIENT, LineOfFile, ReportedProject, Survey, SurveyedPerson
from db.jobs.importing.detailed_reports.mapping import Field
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.rows import Problem, SourceRow, text_of

# Of several rows with one name, the last one wins: the oldest.
KNOWN_CLIENTS = """
SELECT name, id FROM clients
WHERE organization_id = :organization_id AND deleted_at IS NULL AND name = ANY (:names)
ORDER BY created_at DESC, id DESC
"""

KNOWN_PROJECTS = """
SELECT c.name AS client, p.name, p.id
FROM projects p LEFT JOIN clients c
  ON c.organization_id = :organization_id AND c.deleted_at IS NULL AND c.id = p.client_id
WHERE p.organization_id = :organization_id AND p.deleted_at IS NULL AND p.name = ANY (:names)
  AND (p.client_id IS NULL OR c.id IS NOT NULL)
ORDER BY p.created_at DESC, p.id DESC
"""

KNOWN_TASKS = """
SELECT project_id, name, id FROM tasks
WHERE organization_id = :organization_id AND deleted_at IS NULL AND project_id = ANY (:ids) AND name = ANY (:names)
ORDER BY created_at DESC, id DESC
"""

KNOWN_MEMBERSHIPS = """
SELECT project_id, user_id FROM project_members
WHERE organization_id = :organization_id AND deleted_at IS NULL AND project_id = ANY (:ids)
"""

# The last one wins here, too: a member that is not deleted, and of those the oldest.
KNOWN_MEMBERS = """
SELECT user_id, email, full_name, first_joined_at, joined_at, removed_at, deleted_at FROM members
WHERE organization_id = :organization_id AND (lower(email) = ANY (:names) OR full_name = ANY (:names))
ORDER BY deleted_at IS NULL, created_at DESC, user_id
"""


class ReportRows:
    """Looks up what the report names, makes the rows that are missing, and knows the ids of all then."""

    def __init__(self, connection: Connection, organization_id: UUID, survey: Survey) -> None:
        def find(statement: str, names: Iterable[str] = (), ids: Iterable[UUID] = ()) -> Sequence[Any]:
            parameters = {"organization_id": organization_id, "names": sorted(names), "ids": sorted(ids)}
            return connection.execute(text(statement), parameters).all()

        self._survey = survey
        members = find(KNOWN_MEMBERS, survey.people)
        self._members = {
            **{each.full_name: each for each in members if each.full_name in survey.people},
            **{each.email.lower(): each for each in members if each.email is not None},
        }
        self._namesakes = Counter(each.full_name for each in members if each.deleted_at is None)
        self._clients = dict(find(KNOWN_CLIENTS, survey.clients))
        names = {project.name for project in survey.projects}
        self.projects = {ReportedProject(client, name): id_ for client, name, id_ in find(KNOWN_PROJECTS, names)}
        self._ambiguous: list[ReportedProject] = []
        for project in survey.projects:
            if project.client == UNKNOWN_CLIENT:
                self._find_by_name(project)
        ids = [self.projects[project] for project in survey.projects if project in self.projects]
        names = {name for _, name in survey.tasks}
        self.tasks = {(project_id, name): id_ for project_id, name, id_ in find(KNOWN_TASKS, names, ids)}
        self._memberships = {(project_id, user_id) for project_id, user_id in find(KNOWN_MEMBERSHIPS, ids=ids)}
        self.people = {who: member.user_id for who, member in self._members.items()}

    def unknown(self, file: ReportFile) -> Iterator[Problem]:
        """The people and projects of a file whose name does not tell which member or project they are."""
        for surveyed in self._survey.people.values():
            name = surveyed.person.name
            count = self._namesakes[name]
            if surveyed.person.email is None and surveyed.place[0] == file.source.name and count != 1:
                reason = (
                    "is not the full name of a member, and the report has no e-mail addresses: import members.csv with"
                    " email and full_name first"
                    if count == 0
                    else f"is the name of {count} members: give them names that differ, here and in the time tracker"
                )
                yield file.problem(surveyed.place[1], Field.person, name, reason)

        for project in self._ambiguous:
            place = self._survey.projects[project]
            if place[0] == file.source.name:
                reason = "is the name of several projects, and the report does not name clients: export it with them"
                yield file.problem(place[1], Field.project, project.name, reason)

    def _find_by_name(self, project: ReportedProject) -> None:
        """Take the project of this name without a client, or of any client if there is only one."""
        same = [known for known in self.projects if known.name == project.name]
        if len(same) == 1 or project._replace(client=None) in same:
            self.projects[project] = self.projects[same[0] if len(same) == 1 else project._replace(client=None)]
        elif same:
            self._ambiguous.append(project)

    def rows(self) -> Iterator[SourceRow]:
        """The rows of people and work, each after those that it refers to."""
        for who, surveyed in self._survey.people.items():
            yield from self._member(who, surveyed)
        for name, place in self._survey.clients.items():
            if name not in self._clients:
                self._clients[name] = uuid7()
                yield _row("clients", place, id=self._clients[name], name=name)
        for project, place in self._survey.projects.items():
            if project not in self.projects:
                self.projects[project] = uuid7()
                client_id = self._clients[project.client] if project.client else None
                is_billable = self._survey.billable[project]
                columns = {"client_id": client_id, "name": project.name, "is_billable": is_billable}
                yield _row("projects", place, id=self.projects[project], **columns)
        gone = {member.user_id for member in self._members.values() if member.removed_at or member.deleted_at}
        for (project, who), (place, joined_at) in self._survey.memberships.items():
            project_id, user_id = self.projects[project], self.people[who]
            # Memberships of a removed person have ended with the removal.
            if user_id not in gone and (project_id, user_id) not in self._memberships:
                columns = {"project_id": project_id, "user_id": user_id, "joined_at": joined_at}
                yield _row("project_members", place, id=uuid7(), **columns)
        for (project, name), place in self._survey.tasks.items():
            key = (self.projects[project], name)
            if key not in self.tasks:
                self.tasks[key] = uuid7()
                yield _row("tasks", place, id=self.tasks[key], project_id=key[0], name=name)

    def _member(self, who: str, surveyed: SurveyedPerson) -> Iterator[SourceRow]:
        known = self._members.get(who)
        first = surveyed.first_started_at
        if known is None:
            self.people[who] = uuid7()
            columns = {"email": surveyed.person.email, "full_name": surveyed.person.name, "joined_at": first}
        elif known.first_joined_at is None or known.first_joined_at > first:
            columns = {"email": known.email, "full_name": known.full_name, "joined_at": known.joined_at}
        else:
            return
        yield _row("members", surveyed.place, user_id=self.people[who], **columns, first_joined_at=first)


def _row(table: str, place: LineOfFile, **values: object) -> SourceRow:
    return SourceRow(table, *place, {column: text_of(value) for column, value in values.items()})
