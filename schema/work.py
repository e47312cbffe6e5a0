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
from schema.page import Page, told
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
    type: BudgetType = told("Whether it counts money or time.")
    amount: Amount | None = told("Money, with the digits of the currency.")
    seconds: Seconds | None = told("Time.")
    currency: str = told("ISO 4217 code.")
    recurrence: BudgetRecurrence = told("How often it starts anew.")


@strawberry.type(description="A client's business address.")
class Address:
    line1: str | None = told("First line.")
    line2: str | None = told("Second line.")
    city: str | None = told("City.")
    region: str | None = told("Region or state.")
    postal_code: str | None = told("Postal code.")
    country: str | None = told("ISO 3166-1 alpha-2 code.")


@strawberry.type(description="A client for whom projects are done.")
class Client:
    id: UUID = told("Its id.")
    name: str = told("Its name.")
    is_active: bool = told("Whether it is not archived.")
    archived_at: datetime | None = told("When it was archived.")
    contact_name: str | None = told("Whom to ask.")
    email: str | None = told("Business e-mail address.")
    phone: str | None = told("Business telephone number.")
    invoice_emails: list[str] = told("Where invoices go.")
    address: Address | None = told("Business address.")
    tax_number: str | None = told("VAT number, needed on invoices.")
    currency: str = told("ISO 4217 code.")
    timezone: str | None = told("IANA time zone.")
    net_terms_days: int | None = told("Days until an invoice is due.")
    budget: Budget = told("What may be spent.", work.budget_of)
    projects_count: int = told("Its projects.", work.projects_count)
    active_projects_count: int = told("Its active projects.", work.active_projects_count)
    external_id: str | None = told("Its id in another system.")
    note: str | None = told("A note.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    projects: Page["Project"] = told("Its projects.", work.projects_of_client)


@strawberry.type(description="How one person belongs to a project.")
class Membership:
    id: UUID = told("The membership.")
    role: ProjectRole = told("Role on the project.")
    is_active: bool = told("Whether the membership lasts.")
    joined_at: datetime = told("When it began.")


@strawberry.type(description="A project.")
class Project:
    id: UUID = told("Its id.")
    name: str = told("Its name.")
    code: str | None = told("A short name.")
    description: str | None = told("What it is about.")
    is_active: bool = told("Whether its status is active or on_hold.")
    status: ProjectStatus = told("Where it stands.")
    client_id: UUID | None = told("For whom it is done; null if internal.")
    client_name: str | None = told("Name of the client.", work.client_name_of)
    is_billable: bool = told("Whether new time is billable.")
    billing_type: BillingType = told("How it is billed.")
    bill_rate: Amount | None = told("Billed per hour, with four decimals.")
    fixed_amount: Amount | None = told("The price, with the digits of the currency.", amount_of("fixed_amount"))
    currency: str = told("ISO 4217 code.")
    budget: Budget = told("What may be spent.", work.budget_of)
    tracked_seconds_total: Seconds | None = told("All time tracked, as of last night; does not move updated_at.")
    start_date: date | None = told("First day.")
    due_date: date | None = told("Last day.")
    completed_at: datetime | None = told("When it was completed.")
    archived_at: datetime | None = told("When it was archived.")
    color: str | None = told("`#rrggbb`.")
    manager_user_ids: list[UUID] = told("Its managers, sorted.", work.manager_user_ids)
    team_ids: list[UUID] = told("Teams that are on it, sorted.", work.team_ids_of_project)
    members_count: int = told("Memberships that last.", work.members_count_of_project)
    tasks_count: int = told("Its tasks.", work.tasks_count)
    screenshots_enabled: bool = told("Whether screenshots are taken.")
    activity_tracking_enabled: bool = told("Whether activity is recorded.")
    external_id: str | None = told("Its id in another system.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    client: Client | None = told("For whom it is done.", work.client_of)
    membership: Membership | None = told("Through what a member belongs to it; null elsewhere.", work.membership_of)
    members: Page["ProjectMember"] = told("Memberships of it.", work.members_of_project)
    tasks: Page["Task"] = told("Its tasks.", work.tasks_of_project)


@strawberry.type(description="A person on a project.")
class ProjectMember:
    id: UUID = told("This membership.")
    project_id: UUID = told("The project.")
    project_name: str = told("Name of the project.", work.project_name_of)
    user: User = told("The person.", people.user_of)
    role: ProjectRole = told("Role on the project.")
    is_active: bool = told("Whether the membership lasts.")
    source: MembershipSource = told("By name, or through a team.")
    team_id: UUID | None = told("The team, if through a team.")
    pay_rate: Amount | None = told("Paid per hour, with four decimals; null means inherited.")
    bill_rate: Amount | None = told("Billed per hour, with four decimals; null means inherited.")
    currency: str | None = told("ISO 4217 code of the rates.")
    budget_seconds: Seconds | None = told("At most so many seconds on this project.")
    joined_at: datetime = told("When the membership began.")
    removed_at: datetime | None = told("When the membership ended.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    project: Project = told("The project.", work.project_of)


@strawberry.type(description="A task of a project.")
class Task:
    id: UUID = told("Its id.")
    project_id: UUID = told("The project.")
    project_name: str = told("Name of the project.", work.project_name_of)
    parent_task_id: UUID | None = told("The task above it.")
    number: int | None = told("Its number in the project.")
    name: str = told("Its name.")
    description: str | None = told("What is to be done.")
    status: TaskStatus = told("Where it stands.")
    is_active: bool = told("Whether it is neither completed nor archived.")
    priority: TaskPriority = told("How urgent it is.")
    is_billable: bool | None = told("Whether its time is billable; null means as the project.")
    estimate_seconds: Seconds | None = told("Estimated time.")
    assignee_user_ids: list[UUID] = told("To whom it is assigned, sorted.", work.assignee_user_ids)
    start_date: date | None = told("First day.")
    due_date: date | None = told("Last day.")
    completed_at: datetime | None = told("When it was completed.")
    created_by_user_id: UUID | None = told("Who created it.")
    external_id: str | None = told("Its id in another system.")
    external_source: str | None = told("The other system: jira, asana and so on.")
    labels: list[str] = told("Labels.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    project: Project = told("The project.", work.project_of)
    members: Page["TaskMember"] = told("Who is on it.", work.members_of_task)


@strawberry.type(description="A person on a task.")
class TaskMember:
    id: UUID = told("This membership of the task.")
    task_id: UUID = told("The task.")
    project_id: UUID = told("The project of the task.", work.task_project_id)
    user: User = told("The person.", people.user_of)
    role: TaskRole = told("What the person is on it.")
    assigned_at: datetime = told("When the person was put on it.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    task: Task = told("The task.", work.task_of)


@strawberry.type
class WorkQuery:
    clients: Page[Client] = told("Clients.", work.list_clients)
    client: Client = told("One client.", work.client)
    projects: Page[Project] = told("Projects.", work.list_projects)
    project: Project = told("One project.", work.project)
    project_memberships: Page[ProjectMember] = told("Who is on which project.", work.list_project_memberships)
    tasks: Page[Task] = told("Tasks.", work.list_tasks)
    task: Task = told("One task.", work.task)
