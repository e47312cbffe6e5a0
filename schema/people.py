"""GraphQL types and queries of people: organization, members, teams."""

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

strawberry.enum(EmploymentType, description="Type of employment.")
strawberry.enum(MemberRole, description="Role of a member in the organization.")
strawberry.enum(MemberStatus, description="Status of a membership; `active` is a current one.")
strawberry.enum(OrganizationStatus, description="Status of an organization.")
strawberry.enum(TeamRole, description="Role of a member in a team.")
strawberry.enum(Weekday, description="A day of the week.")


@strawberry.type(description="Features that the organization has enabled. A disabled feature explains an empty list.")
class Features:
    screenshots: bool = field("Screenshots.")
    app_tracking: bool = field("Tracking of application usage.")
    url_tracking: bool = field("Tracking of visited websites.")
    clock_in_out: bool = field("Clock-in and clock-out.")
    invoicing: bool = field("Invoices.")
    payroll: bool = field("Payroll.")
    leave: bool = field("Leave management.")


@strawberry.type(description="Retention of recorded data, in days.")
class Retention:
    screenshots: int = field("Retention of screenshots, in days.")
    app_usage: int = field("Retention of application usage, in days.")
    url_usage: int = field("Retention of URL usage, in days.")


@strawberry.type(description="The organization that owns the key of the request.")
class Organization:
    id: UUID = field("Unique id.")
    name: str = field("Name.")
    timezone: str = field("IANA time zone; the default of the `timezone` argument of every request.")
    currency: str = field("Default currency of rates and invoices, ISO 4217 code.")
    week_start_day: Weekday = field("First day of payroll weeks.")
    country: str | None = field("Country, ISO 3166-1 alpha-2 code.")
    status: OrganizationStatus = field("Status.")
    members_count: int = field("Number of members who are not removed.", people.members_count_of_organization)
    active_members_count: int = field("Number of members whose status is `active`.", people.active_members_count)
    features: Features = field("Enabled features.")
    data_retention_days: Retention = field("Retention of recorded data, in days.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")


@strawberry.type(description="A person, embedded in the rows about that person.")
class User:
    user_id: UUID = field("Id of the person.")
    email: str | None = field("E-mail address; null if the person's data was erased.")
    full_name: str = field("Full name.")


@strawberry.type(description="A person's current or latest membership in the organization.")
class Member:
    user_id: UUID = field("Id of the person; every reference to a person uses it.")
    membership_id: UUID = field("Id of this membership; changes when a removed person is invited again.")
    email: str | None = field("E-mail address; null if the person's data was erased.")
    full_name: str = field("Full name.")
    first_name: str | None = field("First name.")
    last_name: str | None = field("Last name.")
    avatar_url: str | None = field("URL of the profile picture.")
    role: MemberRole = field("Role in the organization.")
    status: MemberStatus = field("Status of the membership.")
    is_active: bool = field("Whether the status is `active`.")
    is_tracking_enabled: bool = field("Whether the member may track time.")
    timezone: str | None = field("IANA time zone of the member; null means that of the organization.")
    employee_number: str | None = field("Employee number in HR or payroll.")
    job_title: str | None = field("Job title.")
    department: str | None = field("Department.")
    employment_type: EmploymentType | None = field("Type of employment.")
    manager_user_id: UUID | None = field("Id of the member's manager.")
    team_ids: list[UUID] = field("Ids of the member's teams, sorted.", people.team_ids_of_member)
    hired_on: date | None = field("First day of employment.")
    left_on: date | None = field("Last day of employment.")
    joined_at: datetime | None = field("Start of the membership; null while invited.")
    removed_at: datetime | None = field("End of the membership.")
    last_tracked_at: datetime | None = field("End of the latest timesheet. A change of it does not change updated_at.")
    weekly_limit_seconds: Seconds | None = field("Weekly limit of tracked time.")
    expected_weekly_seconds: Seconds | None = field("Expected tracked time per week.")
    custom_fields: Texts = field("Custom fields of the organization: names and values.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    projects: Page[Annotated["Project", strawberry.lazy("schema.work")]] = field(
        "Projects of a member, by creation.", work.projects_of_member
    )
    payment_settings: list[PaymentSetting] = field(
        "Payment settings of a member, by effective_from.", payroll.settings_of_member
    )
    hourly_payment_logs: Page[HourlyPaymentLog] = field(
        "Hourly payments to a member, by creation. `start_date` and `end_date` select payments whose period "
        "overlaps them.",
        payroll.hourly_logs_of_member,
    )
    one_time_payment_logs: Page[OneTimePaymentLog] = field(
        "One-time payments to a member, by creation. `start_date` and `end_date` select by payment_date.",
        payroll.one_time_logs_of_member,
    )
    payables: Page[Payable] = field(
        "Amounts owed to a member, by creation. `start_date` and `end_date` select payables whose period "
        "overlaps them.",
        payroll.payables_of_member,
    )


@strawberry.type(description="Membership of a person in a team.")
class TeamMember:
    id: UUID = field("Id of this team membership.")
    team_id: UUID = field("Id of the team.")
    user: User = field("The person.", people.user_of)
    role: TeamRole = field("Role in the team.")
    member_status: MemberStatus = field(
        "Status of the person's membership in the organization.", people.member_status_of
    )
    joined_at: datetime = field("Time when the person joined the team.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    team: "Team" = field("Team.", people.team_of)


@strawberry.type(description="A team.")
class Team:
    id: UUID = field("Unique id.")
    name: str = field("Name.")
    description: str | None = field("Description.")
    lead_user_ids: list[UUID] = field("Ids of the team leads, sorted.", people.lead_user_ids)
    members_count: int = field("Number of members who are not removed.", people.members_count_of_team)
    project_ids: list[UUID] = field("Ids of the team's projects, sorted.", people.project_ids_of_team)
    is_active: bool = field("Whether the team is active.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    members: Page[TeamMember] = field("Members of a team, by joined_at.", people.list_team_members)


@strawberry.type
class PeopleQuery:
    organization: Organization = field("The organization that owns the key.", people.organization)
    members: Page[Member] = field("Members of the organization, by creation.", people.list_members)
    member: Member = field("One member.", people.member)
    teams: Page[Team] = field("Teams, by creation.", people.list_teams)
    team: Team = field("One team.", people.team)
