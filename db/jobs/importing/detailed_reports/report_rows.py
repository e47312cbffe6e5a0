"""Rows of the people and the work of a report that the organization does not have yet.

People are known by their e-mail address; those of a report without addresses by their full name. Work is known by its
name. Names are compared exactly, as the time trackers do. Deleted clients, projects and tasks are not used again.
Deleted members are: their e-mail address is that of the same person.

What is there already stays as it is, except that a member's `first_joined_at` is never after their first entry: reports
would leave the member out.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text

from db.admin.organizations import uuid7
from db.jobs.importing.detailed_reports.entry import UNKNOWN_CLIENT, NamedWork, ReportedProject
from db.jobs.importing.detailed_reports.mapping import Field
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.rows import Problem, SourceRow, text_of

MOST_NAMED = 10
"""People and days that a sentence names."""

# Of several rows with one name, the last one wins: the oldest.
KNOWN_CLIENTS = """
SELECT name, id FROM clients
WHERE organization_id = :organization_id AND deleted_at IS NULL AND (name = ANY (:names) OR lower(name) = ANY (:names))
ORDER BY created_at DESC, id DESC
"""

KNOWN_PROJECTS = """
SELECT c.name AS client, p.name, p.id
FROM projects p LEFT JOIN clients c
  ON c.organization_id = :organization_id AND c.deleted_at IS NULL AND c.id = p.client_id
WHERE p.organization_id = :organization_id AND p.deleted_at IS NULL
  AND (p.name = ANY (:names) OR lower(p.name) = ANY (:names))
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


def named_first(names: Sequence[str]) -> str:
    more = f", and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"


def _in_order(name: str) -> str:
    """The name with the first name before the last one, also for `Lee, Ann`."""
    last, _, first = name.partition(",")
    return f"{first.strip()} {last}".strip()


class ReportRows:
    """Looks up what the report names, makes the rows that are missing, and knows the ids of all then."""

    def __init__(
        self, connection: Connection, organization_id: UUID, named: Sequence[NamedWork], files: Sequence[ReportFile]
    ) -> None:
        def find(statement: str, names: Collection[str | None] = (), ids: Iterable[UUID] = ()) -> Sequence[Any]:
            either = list({*names} | {name.lower() for name in names if name})
            parameters = {"organization_id": organization_id, "names": either, "ids": list(ids)}
            return connection.execute(text(statement), parameters).all()

        self._named, self._files = named, files
        people = {each.person.who for each in named}
        members = find(KNOWN_MEMBERS, {*people, *map(_in_order, people), *(each.person.name for each in named)})
        by_name = {each.full_name: each for each in members}
        self._members = {
            **{who: each for who in people if (each := by_name.get(who) or by_name.get(_in_order(who)))},
            **{each.email.lower(): each for each in members if each.email is not None},
        }
        self.people = {who: member.user_id for who, member in self._members.items()}
        self._deleted = [each.full_name for who, each in self._members.items() if who in people and each.deleted_at]
        self._namesakes = Counter(each.full_name for each in members if each.deleted_at is None)
        self._doubles: list[str] = []
        projects = dict.fromkeys(each.work.project for each in named if each.work.project)
        self.clients = dict(find(KNOWN_CLIENTS, {project.client for project in projects}))
        known = find(KNOWN_PROJECTS, {project.name for project in projects})
        self.projects = {ReportedProject(client, name): id_ for client, name, id_ in known}
        self._spelled = {name.casefold(): name for name in (*self.clients, *(each.name for each in self.projects))}
        self._alike: list[str] = []
        self._known_by_name: defaultdict[str, list[ReportedProject]] = defaultdict(list)
        for project in self.projects:
            self._known_by_name[project.name].append(project)
        self._ambiguous = {project for project in projects if not self._find_by_name(project)}
        ids = [self.projects[project] for project in projects if project in self.projects]
        tasks = find(KNOWN_TASKS, {each.work.task for each in named}, ids)
        self.tasks = {(project_id, name): id_ for project_id, name, id_ in tasks}
        self._memberships = {tuple(pair): pair.project_id for pair in find(KNOWN_MEMBERSHIPS, ids=ids)}

    def unknown(self) -> Iterator[Problem]:
        """The people and projects whose name does not tell which member or project they are."""
        told: set[object] = set()
        for person, work, _, file, line in self._named:
            count = self._namesakes[person.name] or self._namesakes[_in_order(person.name)]
            if person.email is None and count != 1 and person not in told:
                reason = (
                    "is not the full name of a member, and the report has no e-mail addresses: import members.csv with"
                    " email and full_name first"
                    if count == 0
                    else f"is the name of {count} members: give them names that differ, here and in the time tracker"
                )
                yield self._files[file].problem(line, reason, Field.person, person.name)
            if work.project in self._ambiguous and work.project not in told:
                reason = "is the name of several projects, and the report does not name clients: export it with them"
                yield self._files[file].problem(line, reason, Field.project, work.project.name)
            told |= {person, work.project}

    def _find_by_name(self, project: ReportedProject) -> bool:
        """Take the project of this name without a client, or of any client if there is only one; False for several."""
        same = self._known_by_name[project.name]
        if project.client != UNKNOWN_CLIENT or not same:
            return True
        unowned = project._replace(client=None)
        if len(same) == 1 or unowned in same:
            self.projects[project] = self.projects[same[0] if len(same) == 1 else unowned]
        return project in self.projects

    def rows(self) -> Iterator[SourceRow]:
        """The rows of people and work, each after those that it refers to."""
        first: dict[object, datetime] = {}
        billable: dict[object, bool | None] = {}
        for person, work, at, *_ in self._named:
            for key in (person.who, (work.project, person.who)):
                first[key] = min(at, first.get(key, at))
            billable[work.project] = billable.get(work.project) or work.is_billable
        gone = {member.user_id for member in self._members.values() if member.removed_at or member.deleted_at}
        told: set[str] = set()
        for each in self._named:
            who, project, task = each.person.who, each.work.project, each.work.task
            if who not in told:
                told.add(who)
                yield from self._member(each, first[who])
            if project is None:
                continue
            client_id = None
            if project.client:
                yield from self._new("clients", self.clients, project.client, each, name=project.client)
                client_id = self.clients[project.client]
            columns = {"client_id": client_id, "name": project.name, "is_billable": billable[project]}
            yield from self._new("projects", self.projects, project, each, **columns)
            pair = project_id, user_id = self.projects[project], self.people[who]
            # Memberships of a removed person have ended with the removal.
            if user_id not in gone:
                columns = {"project_id": project_id, "user_id": user_id, "joined_at": first[project, who]}
                yield from self._new("project_members", self._memberships, pair, each, **columns)
            if task:
                yield from self._new("tasks", self.tasks, (project_id, task), each, project_id=project_id, name=task)

    def _new(
        self, table: str, known: dict[Any, UUID], key: object, named: NamedWork, **values: object
    ) -> Iterator[SourceRow]:
        """The row of what is not known by the key yet."""
        if key in known:
            return
        known[key] = uuid7()
        if table in ("clients", "projects"):
            name = str(values["name"])
            if self._spelled.setdefault(name.casefold(), name) != name:
                self._alike.append(name)
        yield self._row(table, named, id=known[key], **values)

    def notes(self) -> Iterator[str]:
        """What may be wrong about people and names, in sentences. Known after `rows`."""
        if self._doubles:
            remedy = "import members.csv with user_id and the new email first, or stored time counts twice"
            shown = named_first(self._doubles)
            yield f"New members have the name of another: {shown}. If one has another address: {remedy}."
        if self._deleted:
            remedy = "import members.csv with email and full_name to restore one"
            yield f"Reports count no time of deleted members, {named_first(self._deleted)}: {remedy}."
        if self._alike:
            yield f"New clients or projects have a name that is known in other letter case: {named_first(self._alike)}."

    def _member(self, named: NamedWork, first: datetime) -> Iterator[SourceRow]:
        person = named.person
        known = self._members.get(person.who)
        if known is None:
            self.people[person.who] = uuid7()
            if self._namesakes[person.name]:
                self._doubles.append(f"{person.name} ({person.email})")
            columns = {"email": person.email, "full_name": person.name, "joined_at": first}
        elif known.first_joined_at is None or known.first_joined_at > first:
            columns = {"email": known.email, "full_name": known.full_name, "joined_at": known.joined_at}
        else:
            return
        yield self._row("members", named, user_id=self.people[person.who], **columns, first_joined_at=first)

    def _row(self, table: str, named: NamedWork, **values: object) -> SourceRow:
        texts = {column: text_of(value) for column, value in values.items()}
        return SourceRow(table, self._files[named.file].source.name, named.line, texts)
