"""Resolvers of work: clients, projects, tasks, and their members."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Integer, and_, case, cast, func, select

from db.reading.connection import Row
from db.tables.columns import constant, in_organization
from db.tables.work import (
    BudgetRecurrence,
    BudgetType,
    ProjectRole,
    ProjectStatus,
    TaskRole,
    TaskStatus,
    clients,
    project_members,
    projects,
    task_members,
    tasks,
)
from resolvers.context import Context
from resolvers.errors import NotFound
from resolvers.lists.filters import active, exactly, flag, identifiers, linked, one_of, search, through
from resolvers.lists.groups import Groups
from resolvers.lists.list_sql import TODAY, Link
from resolvers.lists.listing import Listing
from resolvers.lists.local_day import days_overdue
from resolvers.people import members_by_id, projects_of_teams, teams_by_id
from resolvers.relations.arguments import Argument
from resolvers.relations.live import is_live
from resolvers.relations.nodes import distinct_ids, grouped_by, id_argument, rows_behind, rows_by_id, sorted_ids
from resolvers.steps.batch import query_field
from resolvers.steps.composed import Composed
from resolvers.steps.computed import computed
from resolvers.steps.related_row import RowByKey
from resolvers.values.amounts import columns_of
from resolvers.values.percent import percent

CLIENT_IS_ACTIVE = clients.c.archived_at.is_(None)
PROJECT_IS_ACTIVE = projects.c.status.in_([ProjectStatus.active.value, ProjectStatus.on_hold.value])
MEMBERSHIP_IS_ACTIVE = project_members.c.removed_at.is_(None)
TASK_IS_ACTIVE = tasks.c.status.in_([TaskStatus.open.value, TaskStatus.in_progress.value])

CLIENT_COLUMNS = columns_of(clients, is_active=CLIENT_IS_ACTIVE)
_HAS_TIME_BUDGET = and_(
    projects.c.budget_type == BudgetType.time.value, projects.c.budget_recurrence == BudgetRecurrence.none.value
)
_BUDGET_USED = percent(projects.c.tracked_seconds_total, projects.c.budget_seconds)
PROJECT_COLUMNS = columns_of(
    projects, is_active=PROJECT_IS_ACTIVE, budget_used_percent=case((_HAS_TIME_BUDGET, _BUDGET_USED))
)
PROJECT_MEMBER_COLUMNS = columns_of(project_members, is_active=MEMBERSHIP_IS_ACTIVE)
TASK_COLUMNS = columns_of(tasks, is_active=TASK_IS_ACTIVE)

budget_of = Composed(
    type="budget_type",
    amount="budget_amount",
    seconds="budget_seconds",
    currency="currency",
    recurrence="budget_recurrence",
)

clients_by_id = rows_by_id(clients, CLIENT_COLUMNS, "Client")
client_of = clients_by_id.of("client_id")

projects_by_id = rows_by_id(projects, PROJECT_COLUMNS, "Project")
project_of = projects_by_id.of("project_id")
client_of_project = rows_behind(clients, CLIENT_COLUMNS, projects, "client_id").of("project_id")
projects_of_team = projects_by_id.of_ids("id", projects_of_teams, "project_ids")

tasks_by_id = rows_by_id(tasks, TASK_COLUMNS, "Task")
task_of = tasks_by_id.of("task_id")
project_of_task_member = rows_behind(projects, PROJECT_COLUMNS, tasks, "project_id").of("task_id")

_project_counts = grouped_by(
    projects.c.client_id, projects_count=func.count(), active_projects_count=func.count().filter(PROJECT_IS_ACTIVE)
)
projects_count = _project_counts.of("id", "projects_count", default=0)
active_projects_count = _project_counts.of("id", "active_projects_count", default=0)

_people_of_projects = grouped_by(
    project_members.c.project_id,
    MEMBERSHIP_IS_ACTIVE,
    members_count=func.count(),
    manager_user_ids=sorted_ids(project_members.c.user_id).filter(project_members.c.role == ProjectRole.manager.value),
    team_ids=distinct_ids(project_members.c.team_id),
)
members_count_of_project = _people_of_projects.of("id", "members_count", default=0)
manager_user_ids = _people_of_projects.of("id", "manager_user_ids", default=())
managers_of_project = members_by_id.of_ids("id", _people_of_projects, "manager_user_ids")
team_ids_of_project = _people_of_projects.of("id", "team_ids", default=())
teams_of_project = teams_by_id.of_ids("id", _people_of_projects, "team_ids")

tasks_count = grouped_by(tasks.c.project_id, tasks_count=func.count()).of("id", "tasks_count", default=0)

_is_assignee = task_members.c.role == TaskRole.assignee.value
_assignees = grouped_by(task_members.c.task_id, _is_assignee, user_ids=sorted_ids(task_members.c.user_id))
assignee_user_ids = _assignees.of("id", "user_ids", default=())
days_overdue_of_task = days_overdue("is_active")
assignees_of_task = members_by_id.of_ids("id", _assignees, "user_ids")

CLIENTS = Listing(
    clients,
    CLIENT_COLUMNS,
    resource="work.Client",
    filters=[
        identifiers(clients.c.id, "clients"),
        active(CLIENT_IS_ACTIVE, "clients"),
        search(clients.c.name, description="Only clients whose name starts with this; case-insensitive."),
        exactly(clients.c.external_id, "Only the row with this id in an external system."),
    ],
)

PROJECTS = Listing(
    projects,
    PROJECT_COLUMNS,
    resource="work.Project",
    filters=[
        identifiers(projects.c.id, "projects"),
        exactly(projects.c.client_id, "Only projects of this client, active or not."),
        active(PROJECT_IS_ACTIVE, "projects"),
        one_of(projects.c.status, "Only these statuses."),
        flag(projects.c.is_billable, "Only projects that are (true) or are not (false) billable; default: both."),
        search(
            projects.c.name,
            projects.c.code,
            description="Only projects whose name or code starts with this; case-insensitive.",
        ),
        exactly(projects.c.external_id, "Only the row with this id in an external system."),
    ],
)

PROJECT_GROUPS = Groups(PROJECTS, ["budget_seconds", "tracked_seconds_total"], day=projects.c.due_date)

# Projects joined with memberships. `last_changed_at` is the later change of both, so that polling a member's projects
# also shows an old project that the member joined.
_projects_of_members = (
    select(
        projects.c.organization_id,
        *PROJECT_COLUMNS,
        func.greatest(projects.c.updated_at, project_members.c.updated_at, type_=projects.c.updated_at.type).label(
            "last_changed_at"
        ),
        project_members.c.user_id,
        project_members.c.id.label("membership_id"),
        project_members.c.role.label("membership_role"),
        MEMBERSHIP_IS_ACTIVE.label("membership_is_active"),
        project_members.c.joined_at.label("membership_joined_at"),
    )
    .select_from(projects.join(project_members, project_members.c.project_id == projects.c.id))
    .where(in_organization(projects), in_organization(project_members), is_live(project_members))
    .subquery("member_projects")
)
MEMBER_PROJECTS = Listing(
    _projects_of_members,
    list(_projects_of_members.c),
    like=PROJECTS,
    polled_column="last_changed_at",
    has_include_deleted=False,
    filters=[
        replace(
            flag(
                _projects_of_members.c.membership_is_active,
                "Only projects that the person is on now (true) or has left (false). Without it, the list has both.",
                name="current",
            ),
            is_published=False,
        ),
        active(_projects_of_members.c.is_active, "projects"),
        exactly(_projects_of_members.c.client_id, "Only projects of this client."),
    ],
)


_membership = Composed(
    id="membership_id", role="membership_role", is_active="membership_is_active", joined_at="membership_joined_at"
)


@computed("membership_id", "membership_role", "membership_is_active", "membership_joined_at")
def membership_of(root: Any) -> Any:
    """The membership of a project below a member; None for a project that was read otherwise."""
    return _membership.values([root])[0] if hasattr(root, "membership_id") else None


@computed("last_changed_at", "updated_at")
def last_changed_at(root: Any) -> Any:
    """The time of the last change of a project, and below a member also of the membership."""
    return getattr(root, "last_changed_at", None) or root.updated_at


PROJECT_MEMBERS = Listing(
    project_members,
    PROJECT_MEMBER_COLUMNS,
    resource="work.ProjectMember",
    filters=[
        identifiers(project_members.c.id, "memberships"),
        exactly(project_members.c.project_id, "Only memberships in this project."),
        exactly(project_members.c.user_id, "Only memberships of this person."),
        flag(MEMBERSHIP_IS_ACTIVE, "Only current (true) or past (false) memberships; default: both.", name="is_active"),
        one_of(project_members.c.role, "Only these roles in the project."),
    ],
)
project_members_by_id = rows_by_id(project_members, PROJECT_MEMBER_COLUMNS, "Project membership")

_task_days_overdue = case((and_(TASK_IS_ACTIVE, tasks.c.due_date < TODAY), TODAY - tasks.c.due_date))
ASSIGNMENT = Link(task_members.c.task_id, task_members.c.user_id, tasks.c.id, _is_assignee)
TASKS = Listing(
    tasks,
    TASK_COLUMNS,
    resource="work.Task",
    filters=[
        identifiers(tasks.c.id, "tasks"),
        exactly(tasks.c.project_id, "Only tasks of this project."),
        through(tasks.c.project_id, projects.c.client_id, "Only tasks of this client's projects."),
        linked(ASSIGNMENT, "Only tasks assigned to this person."),
        exactly(tasks.c.parent_task_id, "Only direct subtasks of this task."),
        one_of(tasks.c.status, "Only these statuses."),
        flag(
            TASK_IS_ACTIVE,
            "Only active (true: `open`, `in_progress`) or inactive (false) tasks; default: both.",
            name="is_active",
        ),
        exactly(tasks.c.external_id, "Only the row with this id in an external system."),
    ],
    computed={"days_overdue": _task_days_overdue},
)

TASK_GROUPS = Groups(
    TASKS,
    ["estimate_seconds", "days_overdue"],
    day=tasks.c.due_date,
    shares={"overdue_percent": (cast(_task_days_overdue.is_not(None), Integer), constant(1))},
)

TASK_MEMBERS = Listing(
    task_members, resource="work.TaskMember", filters=[exactly(task_members.c.user_id, "Only this person.")]
)
task_members_by_id = rows_by_id(task_members, columns_of(task_members), "Task membership")


@query_field(
    id_argument("Client"),
    Argument(
        name="active", type=bool, default=False, description="Fail with RESOURCE_NOT_FOUND if the client is inactive."
    ),
    of=RowByKey,
    rows=clients_by_id,
)
async def client(context: Context, arguments: Mapping[str, Any]) -> Row:
    """A client that is not deleted."""
    row = await clients_by_id.load_live(context, arguments["id"], "is_active")
    if row is None or (arguments["active"] and not row.is_active):
        raise NotFound("Client")
    return row
