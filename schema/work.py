"""GraphQL types and queries of work: clients, projects, tasks and their members."""

from datetime import date, datetime
from uuid import UUID

from db.tables.work import (
    BillingType,
    BudgetRecurrence,
    BudgetType,
    MembershipSource,
    ProjectRole,
    ProjectStatus,
    TaskPriority,
    TaskRole,
    TaskStatus,
)
from resolvers import activity, money, payroll, people, work
from resolvers.reports.grouped.variants import TimeGroup
from resolvers.timesheets import CLOCK_RECORDS, MANUAL_TIMES, TIMESHEETS
from schema.fields import Node, audit_times, by_id, by_ids, field, listed, object_type
from schema.people import Member, Team
from schema.scalars import Amount, Seconds
from schema.totals import time_totals_below, totals

DEPENDS_ON_LIST = "The value depends on the list in which the project stands, so that caches of clients mix values up."


@object_type("A budget, in money or in time.")
class Budget:
    type: BudgetType = field("Type of the budget: none, money or time.")
    amount: Amount | None = field(
        "Budget in money, with the decimals of the currency; null unless the type is `amount`."
    )
    seconds: Seconds | None = field("Budget in time; null unless the type is `time`.")
    currency: str = field("Currency, ISO 4217 code.")
    recurrence: BudgetRecurrence = field("Interval at which the budget restarts.")


@object_type("Business address of a client.")
class Address:
    line1: str | None = field("First address line.")
    line2: str | None = field("Second address line.")
    city: str | None = field("City or town.")
    region: str | None = field("Region or state.")
    postal_code: str | None = field("Postal or ZIP code.")
    country: str | None = field("Country of the address.")


@object_type("A client.", "clients")
class Client(Node):
    name: str = field()
    is_active: bool = field("Whether the client is active (not archived).")
    archived_at: datetime | None = field()
    contact_name: str | None = field()
    email: str | None = field()
    phone: str | None = field()
    invoice_emails: list[str] = field()
    address: Address | None = field()
    tax_number: str | None = field()
    currency: str = field()
    timezone: str | None = field()
    net_terms_days: int | None = field()
    budget: Budget = field("Budget of the client, in money or time.", work.budget_of)
    projects_count: int = field("Number of projects.", work.projects_count)
    active_projects_count: int = field("Number of active projects.", work.active_projects_count)
    external_id: str | None = field()
    note: str | None = field()
    created_at, updated_at, deleted_at = audit_times()
    projects = listed("Projects of a client", work.PROJECTS, "client_id")
    invoices = listed("Invoices to a client", money.INVOICES, "client_id")
    invoice_totals = totals("the invoices to a client", money.INVOICE_TOTALS, "client_id")
    time_totals = time_totals_below("the time on the projects of a client", TimeGroup.client)


@object_type("A member's membership in a project.", "project_members")
class Membership:
    id: UUID = field("Id of the membership.")
    role: ProjectRole = field()
    is_active: bool = field("Whether the membership is current.")
    joined_at: datetime = field()


@object_type("A project.", "projects")
class Project(Node):
    name: str = field()
    code: str | None = field()
    description: str | None = field()
    is_active: bool = field("Whether the status is `active` or `on_hold`.")
    status: ProjectStatus = field()
    client_id: UUID | None = field()
    client_name: str | None = field("Name of the client.", work.clients_by_id.of("client_id", "name"))
    is_billable: bool = field()
    billing_type: BillingType = field()
    bill_rate: Amount | None = field()
    fixed_amount: Amount | None = field()
    currency: str = field()
    budget: Budget = field("Budget of the project, in money or time.", work.budget_of)
    tracked_seconds_total: Seconds | None = field()
    budget_used_percent: int | None = field(
        "Use of a time budget that never restarts: tracked_seconds_total in percent, rounded down; null for other "
        "budgets."
    )
    start_date: date | None = field()
    due_date: date | None = field()
    completed_at: datetime | None = field()
    archived_at: datetime | None = field()
    color: str | None = field()
    manager_user_ids: list[UUID] = field("Ids of the project managers, sorted.", work.manager_user_ids)
    team_ids: list[UUID] = field("Ids of the teams on the project, sorted.", work.team_ids_of_project)
    members_count: int = field("Number of current memberships.", work.members_count_of_project)
    tasks_count: int = field("Number of tasks.", work.tasks_count)
    screenshots_enabled: bool = field()
    activity_tracking_enabled: bool = field()
    external_id: str | None = field()
    created_at, updated_at, deleted_at = audit_times()
    client: Client | None = field("Client of the project; null for an internal project.", work.client_of)
    membership: Membership | None = field(
        "Membership of the member under whom the project is listed; null in other lists.",
        work.membership_of,
        deprecated=f"{DEPENDS_ON_LIST} Use `Member.project_memberships`, whose rows have `project`.",
    )
    last_changed_at: datetime = field(
        "Time of the last change.",
        work.last_changed_at,
        deprecated=f"{DEPENDS_ON_LIST} Use `updated_at`, and that of `Member.project_memberships`.",
    )
    members = listed("Memberships of a project, past ones too", work.PROJECT_MEMBERS, "project_id")
    tasks = listed("Tasks of a project", work.TASKS, "project_id")
    managers: list[Member] = field("The project managers, in the order of manager_user_ids.", work.managers_of_project)
    invoices = listed("Invoices with a line for a project", money.INVOICES, money.LINE_OF_PROJECT)
    timesheets = listed("Timesheets of a project", TIMESHEETS, "project_id")
    time_totals = time_totals_below("the time on a project", TimeGroup.project)
    manual_timesheet_reports = listed("Manual time entries for a project", MANUAL_TIMES, "project_id")
    clockinouts = listed("Clock-in and clock-out records of shifts on a project", CLOCK_RECORDS, "project_id")
    one_time_payment_logs = listed("One-time payments for a project", payroll.ONE_TIME_LOGS, "project_id")
    suspicious_activity_logs = listed(
        "Suspicious activity logs about time on a project", activity.SUSPICIOUS_ACTIVITY, "project_id"
    )
    teams: list[Team] = field("The teams on the project, in the order of team_ids.", work.teams_of_project)


@object_type("Membership of a person in a project.", "project_members")
class ProjectMember:
    id: UUID = field("Id of this membership.")
    project_id: UUID = field()
    project_name: str = field("Name of the project.", work.projects_by_id.of("project_id", "name"))
    user: Member = field(resolver=people.user_of)
    role: ProjectRole = field()
    is_active: bool = field("Whether the membership is current.")
    source: MembershipSource = field()
    team_id: UUID | None = field()
    pay_rate: Amount | None = field()
    bill_rate: Amount | None = field()
    currency: str | None = field()
    budget_seconds: Seconds | None = field()
    joined_at: datetime = field()
    removed_at: datetime | None = field()
    created_at, updated_at, deleted_at = audit_times()
    project: Project = field(resolver=work.project_of)
    team: Team | None = field(resolver=people.team_of)


@object_type("A task of a project.", "tasks")
class Task(Node):
    project_id: UUID = field()
    project_name: str = field("Name of the project.", work.projects_by_id.of("project_id", "name"))
    parent_task_id: UUID | None = field()
    number: int | None = field()
    name: str = field()
    description: str | None = field()
    status: TaskStatus = field()
    is_active: bool = field("Whether the status is `open` or `in_progress`.")
    priority: TaskPriority = field()
    is_billable: bool | None = field()
    estimate_seconds: Seconds | None = field()
    assignee_user_ids: list[UUID] = field("Ids of the assignees, sorted.", work.assignee_user_ids)
    start_date: date | None = field()
    due_date: date | None = field()
    days_overdue: int | None = field(
        "Days from the due date of an active task to today, in the organization's time zone; null if none has passed. "
        "A change of it does not change updated_at.",
        work.days_overdue_of_task,
    )
    completed_at: datetime | None = field()
    created_by_user_id: UUID | None = field()
    external_id: str | None = field()
    external_source: str | None = field()
    labels: list[str] = field()
    created_at, updated_at, deleted_at = audit_times()
    project: Project = field("The project of the task.", work.project_of)
    members = listed("Members of a task", work.TASK_MEMBERS, "task_id")
    parent_task: "Task | None" = field(resolver=work.tasks_by_id.of("parent_task_id"))
    subtasks = listed("Direct subtasks of a task", work.TASKS, "parent_task_id")
    timesheets = listed("Timesheets of a task", TIMESHEETS, "task_id")
    time_totals = time_totals_below("the time on a task", TimeGroup.task)
    manual_timesheet_reports = listed("Manual time entries for a task", MANUAL_TIMES, "task_id")
    invoices = listed("Invoices with a line for a task", money.INVOICES, money.LINE_OF_TASK)
    assignees: list[Member] = field("The assignees, in the order of assignee_user_ids.", work.assignees_of_task)
    created_by: Member | None = field(resolver=people.members_by_id.of("created_by_user_id"))


@object_type("Membership of a person in a task.", "task_members")
class TaskMember:
    id: UUID = field("Id of this task membership.")
    task_id: UUID = field()
    project_id: UUID = field("Id of the task's project.", work.tasks_by_id.of("task_id", "project_id"))
    user: Member = field(resolver=people.user_of)
    role: TaskRole = field()
    assigned_at: datetime = field()
    created_at, updated_at, deleted_at = audit_times()
    task: Task = field(resolver=work.task_of)
    project: Project = field("Project of the task.", work.project_of_task_member)


@object_type()
class WorkQuery:
    clients = listed("Clients", work.CLIENTS)
    client: Client | None = field("One client.", work.client)
    clients_by_id = by_ids(Client, work.clients_by_id)
    projects = listed("Projects", work.PROJECTS)
    project_totals = totals("projects", work.PROJECT_GROUPS)
    project, projects_by_id = by_id(Project, work.projects_by_id)
    project_memberships = listed("Memberships, past ones too", work.PROJECT_MEMBERS)
    project_membership, project_memberships_by_id = by_id(
        ProjectMember, work.project_members_by_id, "membership in a project", "Memberships in projects"
    )
    tasks = listed("Tasks", work.TASKS)
    task_totals = totals("tasks", work.TASK_GROUPS)
    task, tasks_by_id = by_id(Task, work.tasks_by_id)
    task_member, task_members_by_id = by_id(
        TaskMember, work.task_members_by_id, "membership in a task", "Memberships in tasks"
    )
