"""What can be asked about people: the organization, its members, its teams."""

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry

from db.tables.people import EmploymentType, MemberRole, MemberStatus, OrganizationStatus, TeamRole, Weekday
from resolvers import payroll, people, work
from schema.page import Page, told
from schema.payroll import HourlyPaymentLog, OneTimePaymentLog, Payable, PaymentSetting
from schema.scalars import Seconds, Texts

if TYPE_CHECKING:
    from schema.work import Project

strawberry.enum(EmploymentType, description="The kind of contract.")
strawberry.enum(MemberRole, description="What a member may do in the organization.")
strawberry.enum(MemberStatus, description="Where a membership stands; active is current.")
strawberry.enum(OrganizationStatus, description="Whether an organization is in use.")
strawberry.enum(TeamRole, description="What a member is in a team.")
strawberry.enum(Weekday, description="A day of the week.")


@strawberry.type(description="What an organization has switched on. Explains empty collections.")
class Features:
    screenshots: bool = told("Screenshots are taken.")
    app_tracking: bool = told("Use of applications is recorded.")
    url_tracking: bool = told("Visited sites are recorded.")
    clock_in_out: bool = told("Attendance is clocked.")
    invoicing: bool = told("Invoices are written.")
    payroll: bool = told("Pay is calculated.")
    leave: bool = told("Leave is managed.")


@strawberry.type(description="For how many days what is kept.")
class Retention:
    screenshots: int = told("Screenshots, in days.")
    app_usage: int = told("Use of applications, in days.")
    url_usage: int = told("Visited sites, in days.")


@strawberry.type(description="The organization that owns the key of the request.")
class Organization:
    id: UUID = told("Its id.")
    name: str = told("Its name.")
    timezone: str = told("IANA time zone; the default of every request.")
    currency: str = told("ISO 4217 code; the default of rates and invoices.")
    week_start_day: Weekday = told("The first day of payroll weeks.")
    country: str | None = told("ISO 3166-1 alpha-2 code.")
    status: OrganizationStatus = told("Whether it is in use.")
    members_count: int = told("Members who are not removed.", people.members_count_of_organization)
    active_members_count: int = told("Members whose status is active.", people.active_members_count)
    features: Features = told("What is switched on.")
    data_retention_days: Retention = told("For how long what is kept.")
    created_at: datetime = told("When it was created.")
    updated_at: datetime = told("When it last changed.")


@strawberry.type(description="A person, as embedded in rows about them.")
class User:
    user_id: UUID = told("The person.")
    email: str | None = told("E-mail address; null after erasure.")
    full_name: str = told("Full name.")


@strawberry.type(description="A person's current or last membership in the organization.")
class Member:
    user_id: UUID = told("The person; the one key for people everywhere.")
    membership_id: UUID = told("This membership; new when a removed person is invited again.")
    email: str | None = told("E-mail address; null after erasure.")
    full_name: str = told("Full name.")
    first_name: str | None = told("First name.")
    last_name: str | None = told("Last name.")
    avatar_url: str | None = told("Address of a picture.")
    role: MemberRole = told("Role in the organization.")
    status: MemberStatus = told("Where the membership stands.")
    is_active: bool = told("Whether the status is active.")
    is_tracking_enabled: bool = told("Whether time may be tracked.")
    timezone: str | None = told("IANA time zone; null means the organization's.")
    employee_number: str | None = told("Number in HR or payroll.")
    job_title: str | None = told("Job title.")
    department: str | None = told("Department.")
    employment_type: EmploymentType | None = told("The kind of contract.")
    manager_user_id: UUID | None = told("The person's manager.")
    team_ids: list[UUID] = told("Teams, sorted.", people.team_ids_of_member)
    hired_on: date | None = told("First day of work.")
    left_on: date | None = told("Last day of work.")
    joined_at: datetime | None = told("When the membership began; null while invited.")
    removed_at: datetime | None = told("When the membership ended.")
    last_tracked_at: datetime | None = told("End of the latest timesheet; does not move updated_at.")
    weekly_limit_seconds: Seconds | None = told("At most so many seconds a week.")
    expected_weekly_seconds: Seconds | None = told("Expected seconds a week.")
    custom_fields: Texts = told("The organization's own fields.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    projects: Page[Annotated["Project", strawberry.lazy("schema.work")]] = told(
        "Projects of this person.", work.projects_of_member
    )
    payment_settings: list[PaymentSetting] = told(
        "What was agreed about pay, oldest first.", payroll.settings_of_member
    )
    hourly_payment_logs: Page[HourlyPaymentLog] = told("Payments for hours.", payroll.hourly_logs_of_member)
    one_time_payment_logs: Page[OneTimePaymentLog] = told(
        "Payments for something other than hours.", payroll.one_time_logs_of_member
    )
    payables: Page[Payable] = told("What is owed to this person.", payroll.payables_of_member)


@strawberry.type(description="A person in a team.")
class TeamMember:
    id: UUID = told("This membership of the team.")
    team_id: UUID = told("The team.")
    user: User = told("The person.", people.user_of)
    role: TeamRole = told("Role in the team.")
    member_status: MemberStatus = told("Where the membership in the organization stands.", people.member_status_of)
    joined_at: datetime = told("When the person joined the team.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    team: "Team" = told("The team.", people.team_of)


@strawberry.type(description="A team.")
class Team:
    id: UUID = told("Its id.")
    name: str = told("Its name.")
    description: str | None = told("What it is for.")
    lead_user_ids: list[UUID] = told("Its leads, sorted.", people.lead_user_ids)
    members_count: int = told("Members who are not removed.", people.members_count_of_team)
    project_ids: list[UUID] = told("Projects that it is on, sorted.", people.project_ids_of_team)
    is_active: bool = told("Whether it is in use.")
    created_at: datetime = told("When the row was created.")
    updated_at: datetime = told("When the row last changed.")
    deleted_at: datetime | None = told("When the row was deleted.")
    members: Page[TeamMember] = told("Its members.", people.list_team_members)


@strawberry.type
class PeopleQuery:
    organization: Organization = told("The organization of the request.", people.organization)
    members: Page[Member] = told("Members.", people.list_members)
    member: Member = told("One member.", people.member)
    teams: Page[Team] = told("Teams.", people.list_teams)
    team: Team = told("One team.", people.team)
