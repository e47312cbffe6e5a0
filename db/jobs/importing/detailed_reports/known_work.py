"""The people and the work of a report that the organization has already: people by e-mail address, work by name.

People of a report without addresses are known by their full name. Names are compared exactly, as the time trackers do.
Deleted clients, projects and tasks are not used again. Deleted members are: their e-mail address is that of the same
person.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, Text, Uuid, and_, any_, func, or_, select
from sqlalchemy.dialects.postgresql import ARRAY

from db.jobs.importing.detailed_reports.entry import ReportedProject
from db.jobs.importing.detailed_reports.survey import Survey
from db.tables.columns import bind, in_organization
from db.tables.people import members, organizations
from db.tables.work import clients, project_members, projects, tasks

_NAMES = bind("names", ARRAY(Text))
_IDS = bind("ids", ARRAY(Uuid))


class KnownMember(NamedTuple):
    """A member whose e-mail address, or name, is in the report."""

    user_id: UUID
    email: str | None
    full_name: str
    first_joined_at: datetime | None
    joined_at: datetime | None
    removed_at: datetime | None
    deleted_at: datetime | None


@dataclass(frozen=True)
class KnownWork:
    """What the organization has already."""

    currency: str
    members: Mapping[str, KnownMember]
    """By e-mail address in small letters, or by name."""
    namesakes: Mapping[str, int]
    """How many members that are not deleted have a name of the report."""
    clients: Mapping[str, UUID]
    projects: Mapping[ReportedProject, UUID]
    tasks: Mapping[tuple[UUID, str], UUID]
    memberships: frozenset[tuple[UUID, UUID]]
    """Live memberships, by project and person."""


def _live(table: Table) -> ColumnElement[bool]:
    return and_(in_organization(table), table.c.deleted_at.is_(None))


def _oldest_last(table: Table) -> tuple[ColumnElement[Any], ...]:
    """An order that lets the oldest row win where several have the same name."""
    return table.c.created_at.desc(), table.c.id.desc()


_CURRENCY = select(organizations.c.currency).where(in_organization(organizations))

_MEMBERS = (
    select(*(members.c[name] for name in KnownMember._fields))
    .where(
        in_organization(members), or_(func.lower(members.c.email) == any_(_NAMES), members.c.full_name == any_(_NAMES))
    )
    .order_by(members.c.deleted_at.is_(None), members.c.created_at.desc(), members.c.user_id)
)

_CLIENTS = (
    select(clients.c.name, clients.c.id)
    .where(_live(clients), clients.c.name == any_(_NAMES))
    .order_by(*_oldest_last(clients))
)

_PROJECTS = (
    select(clients.c.name.label("client"), projects.c.name, projects.c.id)
    .select_from(projects.outerjoin(clients, and_(_live(clients), clients.c.id == projects.c.client_id)))
    .where(_live(projects), projects.c.name == any_(_NAMES))
    .where(or_(projects.c.client_id.is_(None), clients.c.id.is_not(None)))
    .order_by(*_oldest_last(projects))
)

_TASKS = (
    select(tasks.c.project_id, tasks.c.name, tasks.c.id)
    .where(_live(tasks), tasks.c.project_id == any_(_IDS), tasks.c.name == any_(_NAMES))
    .order_by(*_oldest_last(tasks))
)

_MEMBERSHIPS = select(project_members.c.project_id, project_members.c.user_id).where(
    _live(project_members), project_members.c.project_id == any_(_IDS)
)


def organization_timezone(connection: Connection, organization_id: UUID) -> str:
    """The zone in which a report is read unless another is given."""
    statement = select(organizations.c.timezone).where(in_organization(organizations))
    return str(connection.execute(statement, {"organization_id": organization_id}).scalar_one())


def known_work(connection: Connection, organization_id: UUID, survey: Survey) -> KnownWork:
    """Look up what the report names. Each statement finds all rows of a table."""

    def find(statement: Select[Any], names: Iterable[str] = (), ids: Iterable[UUID] = ()) -> Iterable[Row[Any]]:
        parameters = {"organization_id": organization_id, "names": sorted(names), "ids": sorted(ids)}
        return connection.execute(statement, parameters)

    found_projects = {
        ReportedProject(row.client, row.name): row.id
        for row in find(_PROJECTS, {project.name for project in survey.projects})
    }
    found = [KnownMember._make(row) for row in find(_MEMBERS, survey.people)]
    ids = [found_projects[project] for project in survey.projects if project in found_projects]
    return KnownWork(
        currency=connection.execute(_CURRENCY, {"organization_id": organization_id}).scalar_one(),
        members={
            **{each.full_name: each for each in found if each.full_name in survey.people},
            **{each.email.lower(): each for each in found if each.email is not None},
        },
        namesakes=Counter(each.full_name for each in found if each.deleted_at is None),
        clients={row.name: row.id for row in find(_CLIENTS, survey.clients)},
        projects=found_projects,
        tasks={(row.project_id, row.name): row.id for row in find(_TASKS, {name for _, name in survey.tasks}, ids)},
        memberships=frozenset((row.project_id, row.user_id) for row in find(_MEMBERSHIPS, ids=ids)),
    )
