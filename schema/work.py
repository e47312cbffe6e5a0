"""What can be asked about work: clients, projects, who is on a project, tasks, who is on a task."""

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

strawberry.enum(BillingType, description="How a project is billed.")
strawberry.enum(BudgetRecurrence, description="How often a budget starts anew.")
strawberry.enum(BudgetType, description="Whether a budget counts money or time.")
strawberry.enum(MembershipSource, description="Whether a person joined by name or through a team.")
strawberry.enum(ProjectRole, description="What a person is on a project.")
strawberry.enum(ProjectStatus, description="Where a project stands; active and on_hold are active.")
strawberry.enum(TaskPriority, description="How urgent a task is.")
strawberry.enum(TaskRole, description="What a person is on a task.")
strawberry.enum(TaskStatus, description="Where a task stands.")


@strawberry.type(description="What may be spent, in money or in time.")
class Budget:
    type: BudgetType = field("Whether it counts money or time.")
    amount: Amount | None = field("Money, with the digits of the currency.")
    seconds: Seconds | None = field("Time.")
    currency: str = field("ISO 4217 code.")
    recurrence: BudgetRecurrence = field("How often it starts anew.")


@strawberry.type(description="A client's business address.")
class Address:
    line1: str | None = field("First line.")
    line2: str | None = field("Second line.")
    city: str | None = field("City.")
    region: str | None = field("Region or state.")
    postal_code: str | None = field("Postal code.")
    country: str | None = field("ISO 3166-1 alpha-2 code.")


@strawberry.type(description="A client for whom projects are done.")
class Client:
    id: UUID = field("Its id.")
    name: str = field("Its name.")
    is_active: bool = field("Whether it is not archived.")
    archived_at: datetime | None = field("When it was archived.")
    contact_name: str | None = field("Whom to ask.")
    email: str | None = field("Business e-mail address.")
    phone: str | None = field("Business telephone number.")
    invoice_emails: list[str] = field("Where invoices go.")
    address: Address | None = field("Business address.")
    tax_number: str | None = field("VAT number, needed on invoices.")
    currency: str = field("ISO 4217 code.")
    timezone: str | None = field("IANA time zone.")
    net_terms_days: int | None = field("Days until an invoice is due.")
    budget: Budget = field("What may be spent.", work.budget_of)
    projects_count: int = field("Its projects.", work.projects_count)
    active_projects_count: int = field("Its active projects.", work.active_projects_count)
    external_id: str | None = field("Its id in another system.")
    note: str | None = field("A note.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    projects: Page["Project"] = field("Its projects.", work.projects_of_client)


@strawberry.type(description="How one person belongs to a project.")
class Membership:
    id: UUID = field("The membership.")
    role: ProjectRole = field("Role on the project.")
    is_active: bool = field("Whether the membership lasts.")
    joined_at: datetime = field("When it began.")


@strawberry.type(description="A project.")
class Project:
    id: UUID = field("Its id.")
    name: str = field("Its name.")
    code: str | None = field("A short name.")
    description: str | None = field("What it is about.")
    is_active: bool = field("Whether its status is active or on_hold.")
    status: ProjectStatus = field("Where it stands.")
    client_id: UUID | None = field("For whom it is done; null if internal.")
    client_name: str | None = field("Name of the client.", work.client_name_of)
    is_billable: bool = field("Whether new time is billable.")
    billing_type: BillingType = field("How it is billed.")
    bill_rate: Amount | None = field("Billed per hour, with four decimals.")
    fixed_amount: Amount | None = field("The price, with the digits of the currency.", amount_of("fixed_amount"))
    currency: str = field("ISO 4217 code.")
    budget: Budget = field("What may be spent.", work.budget_of)
    tracked_seconds_total: Seconds | None = field("All time tracked, as of last night; does not move updated_at.")
    start_date: date | None = field("First day.")
    due_date: date | None = field("Last day.")
    completed_at: datetime | None = field("When it was completed.")
    archived_at: datetime | None = field("When it was archived.")
    color: str | None = field("`#rrggbb`.")
    manager_user_ids: list[UUID] = field("Its managers, sorted.", work.manager_user_ids)
    team_ids: list[UUID] = field("Teams that are on it, sorted.", work.team_ids_of_project)
    members_count: int = field("Memberships that last.", work.members_count_of_project)
    tasks_count: int = field("Its tasks.", work.tasks_count)
    screenshots_enabled: bool = field("Whether screenshots are taken.")
    activity_tracking_enabled: bool = field("Whether activity is recorded.")
    external_id: str | None = field("Its id in another system.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    client: Client | None = field("For whom it is done.", work.client_of)
    membership: Membership | None = field("Through what a member belongs to it; null elsewhere.", work.membership_of)
    members: Page["ProjectMember"] = field("Memberships of it.", work.members_of_project)
    tasks: Page["Task"] = field("Its tasks.", work.tasks_of_project)


@strawberry.type(description="A person on a project.")
class ProjectMember:
    id: UUID = field("This membership.")
    project_id: UUID = field("The project.")
    project_name: str = field("Name of the project.", work.project_name_of)
    user: User = field("The person.", people.user_of)
    role: ProjectRole = field("Role on the project.")
    is_active: bool = field("Whether the membership lasts.")
    source: MembershipSource = field("By name, or through a team.")
    team_id: UUID | None = field("The team, if through a team.")
    pay_rate: Amount | None = field("Paid per hour, with four decimals; null means inherited.")
    bill_rate: Amount | None = field("Billed per hour, with four decimals; null means inherited.")
    currency: str | None = field("ISO 4217 code of the rates.")
    budget_seconds: Seconds | None = field("At most so many seconds on this project.")
    joined_at: datetime = field("When the membership began.")
    removed_at: datetime | None = field("When the membership ended.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    project: Project = field("The project.", work.project_of)


@strawberry.type(description="A task of a project.")
class Task:
    id: UUID = field("Its id.")
    project_id: UUID = field("The project.")
    project_name: str = field("Name of the project.", work.project_name_of)
    parent_task_id: UUID | None = field("The task above it.")
    number: int | None = field("Its number in the project.")
    name: str = field("Its name.")
    description: str | None = field("What is to be done.")
    status: TaskStatus = field("Where it stands.")
    is_active: bool = field("Whether it is neither completed nor archived.")
    priority: TaskPriority = field("How urgent it is.")
    is_billable: bool | None = field("Whether its time is billable; null means as the project.")
    estimate_seconds: Seconds | None = field("Estimated time.")
    assignee_user_ids: list[UUID] = field("To whom it is assigned, sorted.", work.assignee_user_ids)
    start_date: date | None = field("First day.")
    due_date: date | None = field("Last day.")
    completed_at: datetime | None = field("When it was completed.")
    created_by_user_id: UUID | None = field("Who created it.")
    external_id: str | None = field("Its id in another system.")
    external_source: str | None = field("The other system: jira, asana and so on.")
    labels: list[str] = field("Labels.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    project: Project = field("The project.", work.project_of)
    members: Page["TaskMember"] = field("Who is on it.", work.members_of_task)


@strawberry.type(description="A person on a task.")
class TaskMember:
    id: UUID = field("This membership of the task.")
    task_id: UUID = field("The task.")
    project_id: UUID = field("The project of the task.", work.task_project_id)
    user: User = field("The person.", people.user_of)
    role: TaskRole = field("What the person is on it.")
    assigned_at: datetime = field("When the person was put on it.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    task: Task = field("The task.", work.task_of)


@strawberry.type
class WorkQuery:
    clients: Page[Client] = field("Clients.", work.list_clients)
    client: Client = field("One client.", work.client)
    projects: Page[Project] = field("Projects.", work.list_projects)
    project: Project = field("One project.", work.project)
    project_memberships: Page[ProjectMember] = field("Who is on which project.", work.list_project_memberships)
    tasks: Page[Task] = field("Tasks.", work.list_tasks)
    task: Task = field("One task.", work.task)
