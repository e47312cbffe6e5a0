"""Tables of work: clients, projects, project members, tasks, task members."""

from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Index,
    Integer,
    Numeric,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.schema import SchemaItem

from db.tables.columns import NOT_DELETED, derived, enum_column, event_time, tenant_table
from db.tables.reference import currency_column, timezone_column


class BudgetType(StrEnum):
    none = "none"
    amount = "amount"
    time = "time"


class BudgetRecurrence(StrEnum):
    none = "none"
    weekly = "weekly"
    monthly = "monthly"


class ProjectStatus(StrEnum):
    active = "active"
    on_hold = "on_hold"
    completed = "completed"
    archived = "archived"


class BillingType(StrEnum):
    none = "none"
    hourly = "hourly"
    fixed = "fixed"


class ProjectRole(StrEnum):
    manager = "manager"
    member = "member"
    viewer = "viewer"


class MembershipSource(StrEnum):
    direct = "direct"
    team = "team"


class TaskStatus(StrEnum):
    open = "open"
    in_progress = "in_progress"
    completed = "completed"
    archived = "archived"


class TaskPriority(StrEnum):
    none = "none"
    low = "low"
    medium = "medium"
    high = "high"
    urgent = "urgent"


class TaskRole(StrEnum):
    assignee = "assignee"
    watcher = "watcher"


def rate_column(name: str) -> Column[object]:
    """An amount per hour with four decimals, in the currency of the row."""
    return Column(name, Numeric(19, 4))


def amount_column(name: str) -> Column[object]:
    """An amount of money with four decimals, in the currency of the row."""
    return Column(name, Numeric(19, 4))


def budget_columns() -> list[SchemaItem]:
    """A budget in money or time, and how often it starts again."""
    return [
        enum_column("budget_type", BudgetType, default=BudgetType.none),
        amount_column("budget_amount"),
        Column("budget_seconds", BigInteger),
        enum_column("budget_recurrence", BudgetRecurrence, default=BudgetRecurrence.none),
        CheckConstraint("(budget_type = 'amount') = (budget_amount IS NOT NULL)", name="budget_of_money"),
        CheckConstraint("(budget_type = 'time') = (budget_seconds IS NOT NULL)", name="budget_of_time"),
    ]


clients = tenant_table(
    "clients",
    Column("name", Text, nullable=False),
    # A client is inactive if archived; there is no separate flag.
    event_time("archived_at", nullable=True),
    Column("contact_name", Text),
    Column("email", Text),
    Column("phone", Text),
    Column("invoice_emails", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("address", JSONB),
    Column("tax_number", Text),
    currency_column(),
    timezone_column(nullable=True),
    Column("net_terms_days", Integer),
    *budget_columns(),
    Column("external_id", Text),
    Column("note", Text),
)
Index(None, clients.c.organization_id, clients.c.external_id)

projects = tenant_table(
    "projects",
    Column("client_id", Uuid),
    Column("name", Text, nullable=False),
    Column("code", Text),
    Column("description", Text),
    enum_column("status", ProjectStatus, default=ProjectStatus.active),
    Column("is_billable", Boolean, nullable=False, server_default=text("true")),
    enum_column("billing_type", BillingType, default=BillingType.none),
    rate_column("bill_rate"),
    amount_column("fixed_amount"),
    currency_column(),
    *budget_columns(),
    # Set by a nightly job; null before its first run.
    derived(Column("tracked_seconds_total", BigInteger)),
    Column("start_date", Date),
    Column("due_date", Date),
    event_time("completed_at", nullable=True),
    event_time("archived_at", nullable=True),
    Column("color", Text),
    Column("screenshots_enabled", Boolean, nullable=False, server_default=text("true")),
    Column("activity_tracking_enabled", Boolean, nullable=False, server_default=text("true")),
    Column("external_id", Text),
    references={"client_id": "clients.id"},
)
Index(None, projects.c.organization_id, projects.c.client_id, projects.c.created_at, projects.c.id)
Index(None, projects.c.organization_id, projects.c.external_id)

project_members = tenant_table(
    "project_members",
    Column("project_id", Uuid, nullable=False),
    Column("user_id", Uuid, nullable=False),
    enum_column("role", ProjectRole, default=ProjectRole.member),
    enum_column("source", MembershipSource, default=MembershipSource.direct),
    Column("team_id", Uuid),
    rate_column("pay_rate"),
    rate_column("bill_rate"),
    currency_column(nullable=True),
    Column("budget_seconds", BigInteger),
    event_time("joined_at"),
    # A membership with an end is inactive.
    event_time("removed_at", nullable=True),
    CheckConstraint("(source = 'team') = (team_id IS NOT NULL)", name="source_team"),
    references={"project_id": "projects.id", "user_id": "members.user_id", "team_id": "teams.id"},
)
Index(
    "project_members_live_key",
    project_members.c.organization_id,
    project_members.c.project_id,
    project_members.c.user_id,
    unique=True,
    postgresql_where=NOT_DELETED,
)
Index(
    None,
    project_members.c.organization_id,
    project_members.c.project_id,
    project_members.c.created_at,
    project_members.c.id,
)
Index(None, project_members.c.organization_id, project_members.c.user_id, project_members.c.project_id)
Index(
    None,
    project_members.c.organization_id,
    project_members.c.team_id,
    postgresql_where=text("team_id IS NOT NULL"),
)

tasks = tenant_table(
    "tasks",
    Column("project_id", Uuid, nullable=False),
    Column("parent_task_id", Uuid),
    Column("number", Integer),
    Column("name", Text, nullable=False),
    Column("description", Text),
    enum_column("status", TaskStatus, default=TaskStatus.open),
    enum_column("priority", TaskPriority, default=TaskPriority.none),
    Column("is_billable", Boolean),
    Column("estimate_seconds", BigInteger),
    Column("start_date", Date),
    Column("due_date", Date),
    event_time("completed_at", nullable=True),
    Column("created_by_user_id", Uuid),
    Column("external_id", Text),
    Column("external_source", Text),
    Column("labels", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    references={
        "project_id": "projects.id",
        "parent_task_id": "tasks.id",
        "created_by_user_id": "members.user_id",
    },
)
Index(None, tasks.c.organization_id, tasks.c.project_id, tasks.c.created_at, tasks.c.id)
Index(None, tasks.c.organization_id, tasks.c.parent_task_id, postgresql_where=text("parent_task_id IS NOT NULL"))
Index(None, tasks.c.organization_id, tasks.c.external_id)

task_members = tenant_table(
    "task_members",
    Column("task_id", Uuid, nullable=False),
    Column("user_id", Uuid, nullable=False),
    enum_column("role", TaskRole, default=TaskRole.assignee),
    event_time("assigned_at"),
    references={"task_id": "tasks.id", "user_id": "members.user_id"},
    order=None,
)
Index(
    "task_members_live_key",
    task_members.c.organization_id,
    task_members.c.task_id,
    task_members.c.user_id,
    unique=True,
    postgresql_where=NOT_DELETED,
)
Index(None, task_members.c.organization_id, task_members.c.task_id, task_members.c.created_at, task_members.c.id)
Index(None, task_members.c.organization_id, task_members.c.user_id, task_members.c.task_id)
