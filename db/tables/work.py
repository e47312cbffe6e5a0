"""Tables of work: clients, projects, project members, tasks, task members."""

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Integer, Numeric, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.schema import SchemaItem

from db.tables.columns import (
    DescribedEnum,
    date_column,
    derived,
    enum_column,
    erased_mention,
    event_time,
    flag_column,
    foreign_key,
    immovable,
    index,
    index_by_parent,
    index_orders,
    kept,
    live_key,
    tenant_table,
    text_column,
    text_list_column,
)
from db.tables.money import amount_column
from db.tables.reference import currency_column, timezone_column
from db.tables.remembered import index_report_changes, report_changed_at
from db.tables.value_checks import json_path_check


class BudgetType(DescribedEnum):
    """Type of a budget: none, money or time."""

    none = "none", "There is no budget."
    amount = "amount", "Budget in money; `amount` has it."
    time = "time", "Budget in time; `seconds` has it."


class BudgetRecurrence(DescribedEnum):
    """Interval at which a budget restarts."""

    none = "none", "The budget never restarts."
    weekly = "weekly", "The budget restarts every week."
    monthly = "monthly", "The budget restarts every month."


class ProjectStatus(DescribedEnum):
    """Status of a project; `active` and `on_hold` count as active."""

    active = "active", "Work on the project goes on."
    on_hold = "on_hold", "Work on the project is paused."
    completed = "completed", "Work on the project is finished."
    archived = "archived", "The project is archived."


class BillingType(DescribedEnum):
    """Billing type of a project."""

    none = "none", "The project is not billed."
    hourly = "hourly", "Billed by the hour, at bill rates."
    fixed = "fixed", "Billed at the fixed price of `fixed_amount`."


class ProjectRole(DescribedEnum):
    """Role of a person on a project."""

    manager = "manager", "Manages the project."
    member = "member", "Works on the project."
    viewer = "viewer", "Reads data of the project, and tracks no time on it."


class MembershipSource(DescribedEnum):
    """How a person joined a project: directly or through a team."""

    direct = "direct", "The person was added to the project."
    team = "team", "A team of the person was added to the project."


class TaskStatus(DescribedEnum):
    """Status of a task; `open` and `in_progress` count as active."""

    open = "open", "Work on the task has not started."
    in_progress = "in_progress", "Work on the task goes on."
    completed = "completed", "Work on the task is finished."
    archived = "archived", "The task is archived."


class TaskPriority(DescribedEnum):
    """Priority of a task."""

    none = "none", "The task has no priority."
    low = "low", "Low priority."
    medium = "medium", "Medium priority."
    high = "high", "High priority."
    urgent = "urgent", "Urgent; the highest priority."


class TaskRole(DescribedEnum):
    """Role of a person on a task."""

    assignee = "assignee", "Works on the task."
    watcher = "watcher", "Follows the task, and does not work on it."


def rate_column(name: str, comment: str) -> Column[object]:
    """An amount per hour with four decimals, in the currency of the row."""
    return Column(name, Numeric(19, 4), comment=comment)


def budget_columns() -> list[SchemaItem]:
    """A budget in money or time, and how often it starts again."""
    return [
        enum_column("budget_type", BudgetType.none, "What the budget limits."),
        amount_column(
            "budget_amount", "Most money, in the currency of the row; exactly if the type is amount.", nullable=True
        ),
        Column("budget_seconds", BigInteger, comment="Most seconds; exactly if the type is time."),
        enum_column("budget_recurrence", BudgetRecurrence.none, "When the budget starts again."),
        CheckConstraint("(budget_type = 'amount') = (budget_amount IS NOT NULL)", name="budget_of_money"),
        CheckConstraint("(budget_type = 'time') = (budget_seconds IS NOT NULL)", name="budget_of_time"),
    ]


clients = tenant_table(
    "clients",
    "A customer, for whom projects are done and to whom invoices are sent.",
    text_column("name", "Name that clients see.", nullable=False),
    event_time(
        "archived_at", "When the customer was archived; is_active of the API is true while this is null.", nullable=True
    ),
    text_column("contact_name", "Business contact."),
    text_column("email", "Business e-mail address."),
    text_column("phone", "Business telephone number."),
    text_list_column("invoice_emails", "Addresses to which invoices are sent."),
    Column(
        "address", JSONB, comment="Object with line1, line2, city, region, postal_code, country: a business address."
    ),
    text_column("tax_number", "VAT id, printed on invoices."),
    currency_column(),
    timezone_column(nullable=True),
    Column("net_terms_days", Integer, comment="Days until an invoice is due."),
    *budget_columns(),
    text_column("external_id", "Id in an accounting or CRM system. Imports may name the row by it."),
    text_column("note", "Free text."),
    report_changed_at("name"),
    json_path_check("address", "are_strings", 'strict $.* ? (@.type() != "string" && @.type() != "null")'),
)
index_orders(clients, "name")
index(clients, "external_id")
index_report_changes(clients)

projects = tenant_table(
    "projects",
    "Work for a customer, or internal work. Time is tracked on it.",
    foreign_key("client_id", "clients.id", "The customer; null for internal work."),
    text_column("name", "Name that clients see.", nullable=False),
    text_column("code", "Short name, such as WEB-1."),
    text_column("description", "Free text."),
    enum_column("status", ProjectStatus.active, "is_active of the API is true for active and on_hold."),
    flag_column("is_billable", "Default for new time and for tasks without a value of their own.", default=True),
    enum_column("billing_type", BillingType.none, "How the customer pays."),
    rate_column("bill_rate", "What an hour costs the customer, in the currency of the row."),
    amount_column(
        "fixed_amount", "What the whole project costs the customer, in the currency of the row.", nullable=True
    ),
    currency_column(),
    *budget_columns(),
    derived(
        Column(
            "tracked_seconds_total",
            BigInteger,
            comment="Sum of tracked time, by a nightly job; null before its first run. Leaves updated_at.",
        )
    ),
    date_column("start_date", "Calendar date, without a time zone."),
    date_column("due_date", "Calendar date, without a time zone."),
    event_time("completed_at", "When the work was completed.", nullable=True),
    event_time("archived_at", "When the project was archived.", nullable=True),
    text_column("color", "#rrggbb."),
    flag_column("screenshots_enabled", "Whether screenshots are taken during its time.", default=True),
    flag_column(
        "activity_tracking_enabled", "Whether input, applications and sites are recorded during its time.", default=True
    ),
    text_column("external_id", "Id in another system. Imports may name the row by it."),
    report_changed_at("name", "client_id"),
    has_deleted_index=True,
)
index_orders(projects, "name", "due_date")
index(projects, "client_id", "created_at", "id")
index(projects, "external_id")
index_report_changes(projects)

project_members = tenant_table(
    "project_members",
    "A member of a project; a person is at most once in a project.",
    immovable(foreign_key("project_id", "projects.id", "The project.", nullable=False)),
    immovable(foreign_key("user_id", "members.user_id", "The member.", nullable=False)),
    enum_column("role", ProjectRole.member, "What the person may do in the project."),
    enum_column("source", MembershipSource.direct, "Whether the person was added directly or through a team."),
    foreign_key("team_id", "teams.id", "The team through which the person was added; exactly if source is team."),
    rate_column("pay_rate", "Pay an hour in this project; null: that of payment_settings."),
    rate_column("bill_rate", "What an hour of this person costs the customer; null: that of the project."),
    currency_column(nullable=True),
    Column("budget_seconds", BigInteger, comment="Most seconds of this person in the project."),
    event_time("joined_at", "When the person came into the project."),
    event_time(
        "removed_at", "When the person left it; is_active of the API is true while this is null.", nullable=True
    ),
    CheckConstraint("(source = 'team') = (team_id IS NOT NULL)", name="source_team"),
)
live_key(project_members, "project_id", "user_id")
index(project_members, "project_id", "created_at", "id")
index(project_members, "user_id", "project_id")
index(project_members, "team_id", postgresql_where=text("team_id IS NOT NULL"))

tasks = tenant_table(
    "tasks",
    "A piece of work in a project, and perhaps in another task.",
    foreign_key("project_id", "projects.id", "The project.", nullable=False),
    foreign_key("parent_task_id", "tasks.id", "The task that it is a part of."),
    Column("number", Integer, comment="Number in the project, as people call it."),
    erased_mention(text_column("name", "Name that clients see.", nullable=False), "created_by_user_id"),
    erased_mention(text_column("description", "Free text."), "created_by_user_id"),
    enum_column("status", TaskStatus.open, "is_active of the API is true for open and in_progress."),
    enum_column("priority", TaskPriority.none, "Urgency, for people."),
    Column("is_billable", Boolean, comment="Null: that of the project."),
    Column("estimate_seconds", BigInteger, comment="Seconds that the work was estimated to take."),
    date_column("start_date", "Calendar date, without a time zone."),
    date_column("due_date", "Calendar date, without a time zone."),
    event_time("completed_at", "When the work was completed.", nullable=True),
    foreign_key("created_by_user_id", "members.user_id", "Who made the task."),
    kept(text_column("external_id", "Id in the system that external_source names. Imports may name the row by it.")),
    kept(text_column("external_source", "The other system, such as jira.")),
    kept(text_list_column("labels", "Texts that group tasks.")),
    report_changed_at("name"),
    has_deleted_index=True,
)
index_orders(tasks, "due_date")
index(tasks, "project_id", "created_at", "id")
index(tasks, "parent_task_id", postgresql_where=text("parent_task_id IS NOT NULL"))
index(tasks, "external_id")
index_by_parent(tasks, "created_by_user_id", "created_at", "id")
index_report_changes(tasks)

task_members = tenant_table(
    "task_members",
    "A person who does or watches a task; at most once.",
    immovable(foreign_key("task_id", "tasks.id", "The task.", nullable=False)),
    immovable(foreign_key("user_id", "members.user_id", "The person.", nullable=False)),
    enum_column("role", TaskRole.assignee, "An assignee is in assignee_user_ids of the task."),
    event_time("assigned_at", "When the person got the task."),
    order=None,
)
live_key(task_members, "task_id", "user_id")
index(task_members, "task_id", "created_at", "id")
index(task_members, "user_id", "task_id")
