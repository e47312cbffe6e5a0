"""GraphQL types and queries of work: clients, projects, tasks and their members."""

from datetime import date, datetime
from uuid import UUID

import strawberry

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
from resolvers import people, work
from resolvers.amounts import amount_of
from schema.page import Page, field
from schema.people import User
from schema.scalars import Amount, Seconds

strawberry.enum(BillingType, description="Billing type of a project.")
strawberry.enum(BudgetRecurrence, description="Interval at which a budget restarts.")
strawberry.enum(BudgetType, description="Type of a budget: none, money or time.")
strawberry.enum(MembershipSource, description="How a person joined a project: directly or through a team.")
strawberry.enum(ProjectRole, description="Role of a person on a project.")
strawberry.enum(ProjectStatus, description="Status of a project; `active` and `on_hold` count as active.")
strawberry.enum(TaskPriority, description="Priority of a task.")
strawberry.enum(TaskRole, description="Role of a person on a task.")
strawberry.enum(TaskStatus, description="Status of a task; `open` and `in_progress` count as active.")


@strawberry.type(description="A budget, in money or in time.")
class Budget:
    type: BudgetType = field("Type of the budget: none, money or time.")
    amount: Amount | None = field("Budget in money; null for other types.")
    seconds: Seconds | None = field("Budget in time; null for other types.")
    currency: str = field("Currency, ISO 4217 code.")
    recurrence: BudgetRecurrence = field("Interval at which the budget restarts.")


@strawberry.type(description="Business address of a client.")
class Address:
    line1: str | None = field("First address line.")
    line2: str | None = field("Second address line.")
    city: str | None = field("City.")
    region: str | None = field("Region or state.")
    postal_code: str | None = field("Postal code.")
    country: str | None = field("Country.")


@strawberry.type(description="A client.")
class Client:
    id: UUID = field("Unique id.")
    name: str = field("Name.")
    is_active: bool = field("Whether the client is active (not archived).")
    archived_at: datetime | None = field("Archiving time; null if not archived.")
    contact_name: str | None = field("Name of the contact person.")
    email: str | None = field("Business e-mail address.")
    phone: str | None = field("Business telephone number.")
    invoice_emails: list[str] = field("E-mail addresses that receive invoices.")
    address: Address | None = field("Business address.")
    tax_number: str | None = field("VAT number, printed on invoices.")
    currency: str = field("Currency, ISO 4217 code.")
    timezone: str | None = field("IANA time zone.")
    net_terms_days: int | None = field("Payment term of invoices, in days.")
    budget: Budget = field("Budget.", work.budget_of)
    projects_count: int = field("Number of projects.", work.projects_count)
    active_projects_count: int = field("Number of active projects.", work.active_projects_count)
    external_id: str | None = field("Id in an external system.")
    note: str | None = field("Note.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    projects: Page["Project"] = field("Projects of a client, by creation.", work.projects_of_client)


@strawberry.type(description="A member's membership in a project.")
class Membership:
    id: UUID = field("Id of the membership.")
    role: ProjectRole = field("Role on the project.")
    is_active: bool = field("Whether the membership is current.")
    joined_at: datetime = field("Start of the membership.")


@strawberry.type(description="A project.")
class Project:
    id: UUID = field("Unique id.")
    name: str = field("Name.")
    code: str | None = field("Short code.")
    description: str | None = field("Description.")
    is_active: bool = field("Whether the status is `active` or `on_hold`.")
    status: ProjectStatus = field("Status.")
    client_id: UUID | None = field("Id of the client; null for an internal project.")
    client_name: str | None = field("Name of the client.", work.client_name_of)
    is_billable: bool = field("Whether new time is billable by default.")
    billing_type: BillingType = field("Billing type.")
    bill_rate: Amount | None = field("Bill rate per hour, four decimals.")
    fixed_amount: Amount | None = field("Fixed price, with the decimals of the currency.", amount_of("fixed_amount"))
    currency: str = field("Currency, ISO 4217 code.")
    budget: Budget = field("Budget.", work.budget_of)
    tracked_seconds_total: Seconds | None = field(
        "All tracked time, computed nightly; null until computed. A change of it does not change updated_at."
    )
    start_date: date | None = field("Start date.")
    due_date: date | None = field("Due date.")
    completed_at: datetime | None = field("Completion time; null if not completed.")
    archived_at: datetime | None = field("Archiving time; null if not archived.")
    color: str | None = field("Color as `#rrggbb`.")
    manager_user_ids: list[UUID] = field("Ids of the project managers, sorted.", work.manager_user_ids)
    team_ids: list[UUID] = field("Ids of the teams on the project, sorted.", work.team_ids_of_project)
    members_count: int = field("Number of current memberships.", work.members_count_of_project)
    tasks_count: int = field("Number of tasks.", work.tasks_count)
    screenshots_enabled: bool = field("Whether screenshots are enabled.")
    activity_tracking_enabled: bool = field("Whether activity tracking is enabled.")
    external_id: str | None = field("Id in an external system.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    client: Client | None = field("Client of the project.", work.client_of)
    membership: Membership | None = field(
        "Membership of the member under whom the project is listed; null in other lists.", work.membership_of
    )
    members: Page["ProjectMember"] = field(
        "Memberships of a project, past ones too, by creation.", work.members_of_project
    )
    tasks: Page["Task"] = field("Tasks of a project, by creation.", work.tasks_of_project)


@strawberry.type(description="Membership of a person in a project.")
class ProjectMember:
    id: UUID = field("Id of this membership.")
    project_id: UUID = field("Id of the project.")
    project_name: str = field("Name of the project.", work.project_name_of)
    user: User = field("The person.", people.user_of)
    role: ProjectRole = field("Role on the project.")
    is_active: bool = field("Whether the membership is current.")
    source: MembershipSource = field("How the person joined: directly or through a team.")
    team_id: UUID | None = field("Id of the team, if the source is `team`.")
    pay_rate: Amount | None = field("Pay rate per hour, four decimals; null means inherited.")
    bill_rate: Amount | None = field("Bill rate per hour, four decimals; null means inherited.")
    currency: str | None = field("Currency of the rates, ISO 4217 code.")
    budget_seconds: Seconds | None = field("Time budget of the person on this project.")
    joined_at: datetime = field("Start of the membership.")
    removed_at: datetime | None = field("End of the membership.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    project: Project = field("Project.", work.project_of)


@strawberry.type(description="A task of a project.")
class Task:
    id: UUID = field("Unique id.")
    project_id: UUID = field("Id of the project.")
    project_name: str = field("Name of the project.", work.project_name_of)
    parent_task_id: UUID | None = field("Id of the parent task.")
    number: int | None = field("Number of the task in the project.")
    name: str = field("Name.")
    description: str | None = field("Description.")
    status: TaskStatus = field("Status.")
    is_active: bool = field("Whether the status is `open` or `in_progress`.")
    priority: TaskPriority = field("Priority.")
    is_billable: bool | None = field("Whether time on the task is billable; null means inherited from the project.")
    estimate_seconds: Seconds | None = field("Estimated time.")
    assignee_user_ids: list[UUID] = field("Ids of the assignees, sorted.", work.assignee_user_ids)
    start_date: date | None = field("Start date.")
    due_date: date | None = field("Due date.")
    completed_at: datetime | None = field("Completion time; null if not completed.")
    created_by_user_id: UUID | None = field("Id of the user who created the task.")
    external_id: str | None = field("Id in an external system.")
    external_source: str | None = field("Name of the external system, such as `jira` or `asana`.")
    labels: list[str] = field("Labels.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    project: Project = field("Project.", work.project_of)
    members: Page["TaskMember"] = field("Members of a task, by creation.", work.members_of_task)


@strawberry.type(description="Membership of a person in a task.")
class TaskMember:
    id: UUID = field("Id of this task membership.")
    task_id: UUID = field("Id of the task.")
    project_id: UUID = field("Id of the task's project.", work.task_project_id)
    user: User = field("The person.", people.user_of)
    role: TaskRole = field("Role on the task.")
    assigned_at: datetime = field("Time of the assignment.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    task: Task = field("Task.", work.task_of)


@strawberry.type
class WorkQuery:
    clients: Page[Client] = field("Clients, by creation.", work.list_clients)
    client: Client = field("One client.", work.client)
    projects: Page[Project] = field("Projects, by creation.", work.list_projects)
    project: Project = field("One project.", work.project)
    project_memberships: Page[ProjectMember] = field(
        "Memberships of all projects, by creation.", work.list_project_memberships
    )
    tasks: Page[Task] = field("Tasks, by creation.", work.list_tasks)
    task: Task = field("One task.", work.task)
