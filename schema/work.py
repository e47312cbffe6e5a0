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
from resolvers.timesheets import CLOCK_RECORDS, MANUAL_TIMES, TIMESHEETS
from schema.fields import Node, audit_times, by_id, by_ids, field, listed, object_type, totals
from schema.people import Member, Team
from schema.scalars import Amount, Seconds

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


@object_type("A client.")
class Client(Node):
    name: str = field("Name of the client.")
    is_active: bool = field("Whether the client is active (not archived).")
    archived_at: datetime | None = field("Archiving time; null if not archived.")
    contact_name: str | None = field("Name of the contact person.")
    email: str | None = field("Business e-mail address.")
    phone: str | None = field("Business telephone number.")
    invoice_emails: list[str] = field("E-mail addresses that receive invoices.")
    address: Address | None = field("Business address.")
    tax_number: str | None = field("VAT number, printed on invoices.")
    currency: str = field("Currency, ISO 4217 code.")
    timezone: str | None = field("IANA time zone of the client.")
    net_terms_days: int | None = field("Days from the issue of an invoice until it is due.")
    budget: Budget = field("Budget of the client, in money or time.", work.budget_of)
    projects_count: int = field("Number of projects.", work.projects_count)
    active_projects_count: int = field("Number of active projects.", work.active_projects_count)
    external_id: str | None = field("Id of the row in an external system.")
    note: str | None = field("Note about the client.")
    created_at, updated_at, deleted_at = audit_times()
    projects = listed("Projects of a client", work.PROJECTS, "client_id")
    invoices = listed("Invoices to a client", money.INVOICES, "client_id")
    invoice_totals = totals("payroll.AmountTotal", "Sums of the invoices to a client", money.INVOICES, "client_id")


@object_type("A member's membership in a project.")
class Membership:
    id: UUID = field("Id of the membership.")
    role: ProjectRole = field("Role on the project.")
    is_active: bool = field("Whether the membership is current.")
    joined_at: datetime = field("Start of the membership.")


@object_type("A project.")
class Project(Node):
    name: str = field("Name of the project.")
    code: str | None = field("Short code.")
    description: str | None = field("Description of the project.")
    is_active: bool = field("Whether the status is `active` or `on_hold`.")
    status: ProjectStatus = field("Status of the project.")
    client_id: UUID | None = field("Id of the client; null for an internal project.")
    client_name: str | None = field("Name of the client.", work.clients_by_id.of("client_id", "name"))
    is_billable: bool = field("Whether new time is billable by default.")
    billing_type: BillingType = field("How the client pays for the project.")
    bill_rate: Amount | None = field(
        "Bill rate per hour, four decimals; null means that of the person's payment settings."
    )
    fixed_amount: Amount | None = field("Fixed price of the whole project, with the decimals of the currency.")
    currency: str = field("Currency, ISO 4217 code.")
    budget: Budget = field("Budget of the project, in money or time.", work.budget_of)
    tracked_seconds_total: Seconds | None = field(
        "All tracked time, computed nightly; null until computed. A change of it does not change updated_at."
    )
    start_date: date | None = field("Planned first day.")
    due_date: date | None = field("Day by which the project should be completed.")
    completed_at: datetime | None = field("Completion time; null if not completed.")
    archived_at: datetime | None = field("Archiving time; null if not archived.")
    color: str | None = field("Color as `#rrggbb`.")
    manager_user_ids: list[UUID] = field("Ids of the project managers, sorted.", work.manager_user_ids)
    team_ids: list[UUID] = field("Ids of the teams on the project, sorted.", work.team_ids_of_project)
    members_count: int = field("Number of current memberships.", work.members_count_of_project)
    tasks_count: int = field("Number of tasks.", work.tasks_count)
    screenshots_enabled: bool = field("Whether screenshots are enabled.")
    activity_tracking_enabled: bool = field("Whether activity tracking is enabled.")
    external_id: str | None = field("Id of the row in an external system.")
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
    manual_timesheet_reports = listed("Manual time entries for a project", MANUAL_TIMES, "project_id")
    clockinouts = listed("Clock-in and clock-out records of shifts on a project", CLOCK_RECORDS, "project_id")
    one_time_payment_logs = listed("One-time payments for a project", payroll.ONE_TIME_LOGS, "project_id")
    suspicious_activity_logs = listed(
        "Suspicious activity logs about time on a project", activity.SUSPICIOUS_ACTIVITY, "project_id"
    )
    teams: list[Team] = field("The teams on the project, in the order of team_ids.", work.teams_of_project)


@object_type("Membership of a person in a project.")
class ProjectMember:
    id: UUID = field("Id of this membership.")
    project_id: UUID = field("Id of the project.")
    project_name: str = field("Name of the project.", work.projects_by_id.of("project_id", "name"))
    user: Member = field("The person.", people.user_of)
    role: ProjectRole = field("Role on the project.")
    is_active: bool = field("Whether the membership is current.")
    source: MembershipSource = field("How the person joined: directly or through a team.")
    team_id: UUID | None = field("Id of the team, if the source is `team`; null otherwise.")
    pay_rate: Amount | None = field(
        "Pay rate per hour, four decimals; null means that of the person's payment settings."
    )
    bill_rate: Amount | None = field("Bill rate per hour, four decimals; null means that of the project.")
    currency: str | None = field("Currency of the rates, ISO 4217 code.")
    budget_seconds: Seconds | None = field("Maximum time of the person on this project; null means no limit.")
    joined_at: datetime = field("Start of the membership.")
    removed_at: datetime | None = field("End of the membership; null while it lasts.")
    created_at, updated_at, deleted_at = audit_times()
    project: Project = field("The project.", work.project_of)
    team: Team | None = field("Team, if the source is `team`; null otherwise.", people.team_of)


@object_type("A task of a project.")
class Task(Node):
    project_id: UUID = field("Id of the project.")
    project_name: str = field("Name of the project.", work.projects_by_id.of("project_id", "name"))
    parent_task_id: UUID | None = field("Id of the parent task; null unless the task is a subtask.")
    number: int | None = field("Number of the task in the project.")
    name: str = field("Name of the task.")
    description: str | None = field("Description of the task.")
    status: TaskStatus = field("Status of the task.")
    is_active: bool = field("Whether the status is `open` or `in_progress`.")
    priority: TaskPriority = field("Priority of the task.")
    is_billable: bool | None = field("Whether new time on the task is billable; null means as the project says.")
    estimate_seconds: Seconds | None = field("Time that the work is estimated to take; null without an estimate.")
    assignee_user_ids: list[UUID] = field("Ids of the assignees, sorted.", work.assignee_user_ids)
    start_date: date | None = field("Planned first day.")
    due_date: date | None = field("Day by which the task should be completed.")
    completed_at: datetime | None = field("Completion time; null if not completed.")
    created_by_user_id: UUID | None = field("Id of the user who created the task.")
    external_id: str | None = field("Id of the row in an external system.")
    external_source: str | None = field("Name of the external system, such as `jira` or `asana`.")
    labels: list[str] = field("Labels of the task.")
    created_at, updated_at, deleted_at = audit_times()
    project: Project = field("The project of the task.", work.project_of)
    members = listed("Members of a task", work.TASK_MEMBERS, "task_id")
    parent_task: "Task | None" = field(
        "Parent task; null unless the task is a subtask.", work.tasks_by_id.of("parent_task_id")
    )
    subtasks = listed("Direct subtasks of a task", work.TASKS, "parent_task_id")
    timesheets = listed("Timesheets of a task", TIMESHEETS, "task_id")
    manual_timesheet_reports = listed("Manual time entries for a task", MANUAL_TIMES, "task_id")
    invoices = listed("Invoices with a line for a task", money.INVOICES, money.LINE_OF_TASK)
    assignees: list[Member] = field("The assignees, in the order of assignee_user_ids.", work.assignees_of_task)
    created_by: Member | None = field("The person who created the task.", people.members_by_id.of("created_by_user_id"))


@object_type("Membership of a person in a task.")
class TaskMember:
    id: UUID = field("Id of this task membership.")
    task_id: UUID = field("Id of the task.")
    project_id: UUID = field("Id of the task's project.", work.tasks_by_id.of("task_id", "project_id"))
    user: Member = field("The person.", people.user_of)
    role: TaskRole = field("Role on the task.")
    assigned_at: datetime = field("Time of the assignment.")
    created_at, updated_at, deleted_at = audit_times()
    task: Task = field("The task.", work.task_of)
    project: Project = field("Project of the task.", work.project_of_task_member)


@object_type()
class WorkQuery:
    clients = listed("Clients", work.CLIENTS)
    client: Client | None = field("One client.", work.client)
    clients_by_id = by_ids(Client, work.clients_by_id)
    projects = listed("Projects", work.PROJECTS)
    project, projects_by_id = by_id(Project, work.projects_by_id)
    project_memberships = listed("Memberships of all projects", work.PROJECT_MEMBERS)
    project_membership, project_memberships_by_id = by_id(
        ProjectMember, work.project_members_by_id, "membership in a project", "Memberships in projects"
    )
    tasks = listed("Tasks", work.TASKS)
    task, tasks_by_id = by_id(Task, work.tasks_by_id)
    task_member, task_members_by_id = by_id(
        TaskMember, work.task_members_by_id, "membership in a task", "Memberships in tasks"
    )
