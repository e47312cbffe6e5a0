"""What can be asked about people: the organization, its members, its teams."""

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry

from db.tables.people import EmploymentType, MemberRole, MemberStatus, OrganizationStatus, TeamRole, Weekday
from resolvers import payroll, people, work
from schema.page import Page, field
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
    screenshots: bool = field("Screenshots are taken.")
    app_tracking: bool = field("Use of applications is recorded.")
    url_tracking: bool = field("Visited sites are recorded.")
    clock_in_out: bool = field("Attendance is clocked.")
    invoicing: bool = field("Invoices are written.")
    payroll: bool = field("Pay is calculated.")
    leave: bool = field("Leave is managed.")


@strawberry.type(description="For how many days what is kept.")
class Retention:
    screenshots: int = field("Screenshots, in days.")
    app_usage: int = field("Use of applications, in days.")
    url_usage: int = field("Visited sites, in days.")


@strawberry.type(description="The organization that owns the key of the request.")
class Organization:
    id: UUID = field("Its id.")
    name: str = field("Its name.")
    timezone: str = field("IANA time zone; the default of every request.")
    currency: str = field("ISO 4217 code; the default of rates and invoices.")
    week_start_day: Weekday = field("The first day of payroll weeks.")
    country: str | None = field("ISO 3166-1 alpha-2 code.")
    status: OrganizationStatus = field("Whether it is in use.")
    members_count: int = field("Members who are not removed.", people.members_count_of_organization)
    active_members_count: int = field("Members whose status is active.", people.active_members_count)
    features: Features = field("What is switched on.")
    data_retention_days: Retention = field("For how long what is kept.")
    created_at: datetime = field("When it was created.")
    updated_at: datetime = field("When it last changed.")


@strawberry.type(description="A person, as embedded in rows about them.")
class User:
    user_id: UUID = field("The person.")
    email: str | None = field("E-mail address; null after erasure.")
    full_name: str = field("Full name.")


@strawberry.type(description="A person's current or last membership in the organization.")
class Member:
    user_id: UUID = field("The person; the one key for people everywhere.")
    membership_id: UUID = field("This membership; new when a removed person is invited again.")
    email: str | None = field("E-mail address; null after erasure.")
    full_name: str = field("Full name.")
    first_name: str | None = field("First name.")
    last_name: str | None = field("Last name.")
    avatar_url: str | None = field("Address of a picture.")
    role: MemberRole = field("Role in the organization.")
    status: MemberStatus = field("Where the membership stands.")
    is_active: bool = field("Whether the status is active.")
    is_tracking_enabled: bool = field("Whether time may be tracked.")
    timezone: str | None = field("IANA time zone; null means the organization's.")
    employee_number: str | None = field("Number in HR or payroll.")
    job_title: str | None = field("Job title.")
    department: str | None = field("Department.")
    employment_type: EmploymentType | None = field("The kind of contract.")
    manager_user_id: UUID | None = field("The person's manager.")
    team_ids: list[UUID] = field("Teams, sorted.", people.team_ids_of_member)
    hired_on: date | None = field("First day of work.")
    left_on: date | None = field("Last day of work.")
    joined_at: datetime | None = field("When the membership began; null while invited.")
    removed_at: datetime | None = field("When the membership ended.")
    last_tracked_at: datetime | None = field("End of the latest timesheet; does not move updated_at.")
    weekly_limit_seconds: Seconds | None = field("At most so many seconds a week.")
    expected_weekly_seconds: Seconds | None = field("Expected seconds a week.")
    custom_fields: Texts = field("The organization's own fields.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    projects: Page[Annotated["Project", strawberry.lazy("schema.work")]] = field(
        "Projects of this person.", work.projects_of_member
    )
    payment_settings: list[PaymentSetting] = field(
        "What was agreed about pay, oldest first.", payroll.settings_of_member
    )
    hourly_payment_logs: Page[HourlyPaymentLog] = field("Payments for hours.", payroll.hourly_logs_of_member)
    one_time_payment_logs: Page[OneTimePaymentLog] = field(
        "Payments for something other than hours.", payroll.one_time_logs_of_member
    )
    payables: Page[Payable] = field("What is owed to this person.", payroll.payables_of_member)


@strawberry.type(description="A person in a team.")
class TeamMember:
    id: UUID = field("This membership of the team.")
    team_id: UUID = field("The team.")
    user: User = field("The person.", people.user_of)
    role: TeamRole = field("Role in the team.")
    member_status: MemberStatus = field("Where the membership in the organization stands.", people.member_status_of)
    joined_at: datetime = field("When the person joined the team.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    team: "Team" = field("The team.", people.team_of)


@strawberry.type(description="A team.")
class Team:
    id: UUID = field("Its id.")
    name: str = field("Its name.")
    description: str | None = field("What it is for.")
    lead_user_ids: list[UUID] = field("Its leads, sorted.", people.lead_user_ids)
    members_count: int = field("Members who are not removed.", people.members_count_of_team)
    project_ids: list[UUID] = field("Projects that it is on, sorted.", people.project_ids_of_team)
    is_active: bool = field("Whether it is in use.")
    created_at: datetime = field("When the row was created.")
    updated_at: datetime = field("When the row last changed.")
    deleted_at: datetime | None = field("When the row was deleted.")
    members: Page[TeamMember] = field("Its members.", people.list_team_members)


@strawberry.type
class PeopleQuery:
    organization: Organization = field("The organization of the request.", people.organization)
    members: Page[Member] = field("Members.", people.list_members)
    member: Member = field("One member.", people.member)
    teams: Page[Team] = field("Teams.", people.list_teams)
    team: Team = field("One team.", people.team)
