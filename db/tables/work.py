"""Tables of work: clients, projects, project members, tasks, task members."""

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, text
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
    mention_column,
    number_column,
    person_column,
    tenant_table,
    text_column,
    text_list_column,
)
from db.tables.money import amount_column, decimal_column
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


def budget_columns() -> list[SchemaItem]:
    """A budget in money or time, and how often it starts again."""
    return [
        enum_column("budget_type", BudgetType.none, "What the budget limits."),
        amount_column(
            "budget_amount", "Most money, in the currency of the row; exactly if the type is amount.", nullable=True
        ),
        number_column("budget_seconds", "Most seconds; exactly if the type is time.", kind=BigInteger),
        enum_column("budget_recurrence", BudgetRecurrence.none, "When the budget starts again."),
        CheckConstraint("(budget_type = 'amount') = (budget_amount IS NOT NULL)", name="budget_of_money"),
        CheckConstraint("(budget_type = 'time') = (budget_seconds IS NOT NULL)", name="budget_of_time"),
    ]


clients = tenant_table(
    "clients",
    "A customer, for whom projects are done and to whom invoices are sent.",
    text_column("name", "Name of the client.", nullable=False, is_name=True),
    event_time(
        "archived_at",
        "Archiving time; null if not archived.\nis_active of the API is true while this is null.",
        nullable=True,
    ),
    text_column("contact_name", "Name of the contact person.", is_name=True),
    text_column("email", "Business e-mail address."),
    text_column("phone", "Business telephone number."),
    text_list_column("invoice_emails", "E-mail addresses that receive invoices."),
    Column(
        "address", JSONB, comment="Business address.\nObject with line1, line2, city, region, postal_code, country."
    ),
    text_column("tax_number", "VAT number, printed on invoices."),
    currency_column(),
    timezone_column("IANA time zone of the client.", nullable=True),
    number_column("net_terms_days", "Days from the issue of an invoice until it is due."),
    *budget_columns(),
    text_column("external_id", "Id of the row in an external system.\nImports may name the row by it."),
    text_column("note", "Note about the client."),
    report_changed_at("name"),
    json_path_check("address", "are_strings", 'strict $.* ? (@.type() != "string" && @.type() != "null")'),
)
index_orders(clients, "name")
index(clients, "external_id")
index_report_changes(clients)

projects = tenant_table(
    "projects",
    "Work for a customer, or internal work. Time is tracked on it.",
    foreign_key("client_id", "clients.id", "Id of the client; null for an internal project."),
    text_column("name", "Name of the project.", nullable=False, is_name=True),
    text_column("code", "Short code."),
    text_column("description", "Description of the project."),
    enum_column(
        "status", ProjectStatus.active, "Status of the project.\nis_active of the API is true for active and on_hold."
    ),
    flag_column(
        "is_billable",
        "Whether new time is billable by default.\nTasks without a value of their own have it.",
        default=True,
    ),
    enum_column("billing_type", BillingType.none, "How the client pays for the project."),
    decimal_column(
        "bill_rate",
        "Bill rate per hour, four decimals; null means that of the person's payment settings.",
        nullable=True,
    ),
    amount_column(
        "fixed_amount", "Fixed price of the whole project, with the decimals of the currency.", nullable=True
    ),
    currency_column(),
    *budget_columns(),
    derived(
        number_column(
            "tracked_seconds_total",
            "All tracked time, computed nightly; null until computed. A change of it does not change updated_at.",
            kind=BigInteger,
        )
    ),
    date_column("start_date", "Planned first day."),
    date_column("due_date", "Day by which the project should be completed."),
    event_time("completed_at", "Completion time; null if not completed.", nullable=True),
    event_time("archived_at", "Archiving time; null if not archived.", nullable=True),
    text_column("color", "Color as `#rrggbb`."),
    flag_column("screenshots_enabled", "Whether screenshots are enabled.", default=True),
    flag_column(
        "activity_tracking_enabled",
        "Whether activity tracking is enabled.\nIt covers input, applications and sites.",
        default=True,
    ),
    text_column("external_id", "Id of the row in an external system.\nImports may name the row by it."),
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
    immovable(foreign_key("project_id", "projects.id", "Id of the project.", nullable=False)),
    immovable(person_column("Id of the person.", "memberships", is_named=True)),
    enum_column("role", ProjectRole.member, "Role on the project."),
    enum_column("source", MembershipSource.direct, "How the person joined: directly or through a team."),
    foreign_key("team_id", "teams.id", "Id of the team, if the source is `team`; null otherwise."),
    decimal_column(
        "pay_rate", "Pay rate per hour, four decimals; null means that of the person's payment settings.", nullable=True
    ),
    decimal_column("bill_rate", "Bill rate per hour, four decimals; null means that of the project.", nullable=True),
    currency_column("Currency of the rates, ISO 4217 code.", nullable=True),
    number_column(
        "budget_seconds", "Maximum time of the person on this project; null means no limit.", kind=BigInteger
    ),
    event_time("joined_at", "Start of the membership."),
    event_time(
        "removed_at",
        "End of the membership; null while it lasts.\nis_active of the API is true while this is null.",
        nullable=True,
    ),
    CheckConstraint("(source = 'team') = (team_id IS NOT NULL)", name="source_team"),
    is_small=True,
)
live_key(project_members, "project_id", "user_id")
index(project_members, "project_id", "created_at", "id")
index(project_members, "user_id", "project_id")
index(project_members, "team_id", postgresql_where=text("team_id IS NOT NULL"))

tasks = tenant_table(
    "tasks",
    "A piece of work in a project, and perhaps in another task.",
    foreign_key("project_id", "projects.id", "Id of the project.", nullable=False),
    foreign_key("parent_task_id", "tasks.id", "Id of the parent task; null unless the task is a subtask."),
    number_column("number", "Number of the task in the project."),
    erased_mention(text_column("name", "Name of the task.", nullable=False, is_name=True), "created_by_user_id"),
    erased_mention(text_column("description", "Description of the task."), "created_by_user_id"),
    enum_column(
        "status", TaskStatus.open, "Status of the task.\nis_active of the API is true for open and in_progress."
    ),
    enum_column("priority", TaskPriority.none, "Priority of the task."),
    Column("is_billable", Boolean, comment="Whether new time on the task is billable; null means as the project says."),
    number_column(
        "estimate_seconds", "Time that the work is estimated to take; null without an estimate.", kind=BigInteger
    ),
    date_column("start_date", "Planned first day."),
    date_column("due_date", "Day by which the task should be completed."),
    event_time("completed_at", "Completion time; null if not completed.", nullable=True),
    mention_column("created_by_user_id", "Id of the user who created the task."),
    kept(
        text_column(
            "external_id",
            "Id of the row in an external system.\nexternal_source names the system. Imports may name the row by it.",
        )
    ),
    kept(text_column("external_source", "Name of the external system, such as `jira` or `asana`.")),
    kept(text_list_column("labels", "Labels of the task.")),
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
    immovable(foreign_key("task_id", "tasks.id", "Id of the task.", nullable=False)),
    immovable(person_column("Id of the person.", "memberships", is_named=True)),
    enum_column("role", TaskRole.assignee, "Role on the task.\nAssignees are in assignee_user_ids of the task."),
    event_time("assigned_at", "Time of the assignment."),
    order=None,
    is_small=True,
)
live_key(task_members, "task_id", "user_id")
index(task_members, "task_id", "created_at", "id")
index(task_members, "user_id", "task_id")
