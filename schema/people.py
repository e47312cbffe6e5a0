"""GraphQL types and queries of people: organization, members, teams."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from db.tables.people import EmploymentType, MemberRole, MemberStatus, OrganizationStatus, TeamRole, Weekday
from resolvers import activity, leaves, money, payroll, people, work
from resolvers.reports.grouped.variants import TimeGroup
from resolvers.screenshots import screenshots_of_member
from resolvers.timesheets import (
    CLOCK_RECORD_TOTALS,
    CLOCK_RECORDS,
    MANUAL_TIME_TOTALS,
    MANUAL_TIMES,
    TIMESHEETS,
    running_timesheets_of_member,
)
from schema.fields import Node, audit_times, by_id, by_ids, field, list_of, listed, object_type, refers_to
from schema.scalars import Seconds, Texts
from schema.totals import time_totals_below, totals


@object_type(
    "Features of the tracking application, and whether the organization has enabled each. Lists of a "
    "disabled feature may be empty."
)
class Features:
    screenshots: bool = field("Whether screenshots are enabled.")
    app_tracking: bool = field("Whether tracking of application usage is enabled.")
    url_tracking: bool = field("Whether tracking of visited websites is enabled.")
    clock_in_out: bool = field("Whether clock-in and clock-out is enabled.")
    invoicing: bool = field("Whether invoicing is enabled.")
    payroll: bool = field("Whether payroll is enabled.")
    leave: bool = field("Whether leave management is enabled.")


@object_type("Retention of recorded data, in days.")
class Retention:
    screenshots: int = field("Retention of screenshots, in days.")
    app_usage: int = field("Retention of application usage, in days.")
    url_usage: int = field("Retention of URL usage, in days.")


@object_type("The organization of the request.", "organizations")
class Organization(Node):
    name: str = field()
    timezone: str = field()
    currency: str = field()
    week_start_day: Weekday = field()
    country: str | None = field()
    status: OrganizationStatus = field()
    members_count: int = field("Number of members who are not removed.", people.members_count_of_organization)
    active_members_count: int = field("Number of members whose status is `active`.", people.active_members_count)
    features: Features = field()
    data_retention_days: Retention = field()
    created_at: datetime = field()
    updated_at: datetime = field()


@object_type("A person's current or latest membership in the organization.", "members")
class Member:
    id: UUID = field("Id of the person, as user_id: caches of clients know objects by it.", people.id_of_member)
    user_id: UUID = field()
    membership_id: UUID = field()
    email: str | None = field()
    full_name: str = field()
    first_name: str | None = field()
    last_name: str | None = field()
    avatar_url: str | None = field()
    role: MemberRole = field()
    status: MemberStatus = field()
    is_active: bool = field("Whether the status is `active`.")
    is_tracking_enabled: bool = field()
    timezone: str | None = field()
    employee_number: str | None = field()
    job_title: str | None = field()
    department: str | None = field()
    employment_type: EmploymentType | None = field()
    manager_user_id: UUID | None = field()
    team_ids: list[UUID] = field("Ids of the member's teams, sorted.", people.team_ids_of_member)
    hired_on: date | None = field()
    left_on: date | None = field()
    joined_at: datetime | None = field()
    removed_at: datetime | None = field()
    last_tracked_at: datetime | None = field()
    weekly_limit_seconds: Seconds | None = field()
    expected_weekly_seconds: Seconds | None = field()
    custom_fields: Texts = field()
    created_at, updated_at, deleted_at = audit_times()
    manager: "Member | None" = field(resolver=people.members_by_id.of("manager_user_id"))
    direct_reports = listed("Members whose manager a member is", people.MEMBERS, "manager_user_id")
    teams: list["Team"] = field("The member's teams, in the order of team_ids.", people.teams_of_member)
    team_memberships = listed("Memberships of a member in teams", people.TEAM_MEMBERS, "user_id")
    projects = listed("Projects of a member, also those that the person left", work.MEMBER_PROJECTS, "user_id")
    project_memberships = listed("Memberships of a member in projects, past ones too", work.PROJECT_MEMBERS, "user_id")
    tasks = listed("Tasks that are assigned to a member", work.TASKS, work.ASSIGNMENT)
    task_memberships = listed("Memberships of a member in tasks", work.TASK_MEMBERS, "user_id")
    created_tasks = listed("Tasks that a member created", work.TASKS, "created_by_user_id")
    timesheets = listed("A member's timesheets", TIMESHEETS, "user_id")
    time_totals = time_totals_below("the time of a member", TimeGroup.member)
    running_timesheets = field(
        "A member's timesheets whose timer runs, by start.",
        running_timesheets_of_member,
        list_of("timesheets.Timesheet"),
    )
    manual_timesheet_reports = listed("Manual time entries of a member", MANUAL_TIMES, "user_id")
    reviewed_manual_timesheet_reports = listed(
        "Manual time entries that a member approved or rejected, and", MANUAL_TIMES, "reviewed_by_user_id"
    )
    clockinouts = listed("Clock-in and clock-out records of a member", CLOCK_RECORDS, "user_id")
    clockinout_totals = totals("the clock records of a member", CLOCK_RECORD_TOTALS, "user_id")
    manual_timesheet_totals = totals("the manual time entries of a member", MANUAL_TIME_TOTALS, "user_id")
    screenshots = field(
        "Screenshots of a member on one local day, by time.", screenshots_of_member, list_of("activity.Screenshot")
    )
    suspicious_activity_logs = listed(
        "Suspicious activity logs about a member", activity.SUSPICIOUS_ACTIVITY, "user_id"
    )
    reviewed_suspicious_activity_logs = listed(
        "Suspicious activity logs that a member reviewed", activity.SUSPICIOUS_ACTIVITY, "reviewed_by_user_id"
    )
    leave_applications = listed("Leave applications of a member", leaves.LEAVE_APPLICATIONS, "user_id")
    leave_application_totals = totals("the leave applications of a member", leaves.LEAVE_APPLICATION_TOTALS, "user_id")
    leave_day_totals = totals("the days of leave of a member", leaves.LEAVE_DAY_TOTALS, "user_id")
    reviewed_leave_applications = listed(
        "Leave applications that a member approved or rejected", leaves.LEAVE_APPLICATIONS, "reviewed_by_user_id"
    )
    leave_balances = listed("Leave balances of a member", leaves.LEAVE_BALANCES, "user_id")
    leave_assignments = listed("Assignments of leave policies to a member", leaves.LEAVE_ASSIGNMENTS, "user_id")
    payment_settings = field(
        "Payment settings of a member, by effective_from.",
        payroll.settings_of_member,
        list_of("payroll.PaymentSetting"),
    )
    hourly_payment_logs = listed("Hourly payments to a member", payroll.HOURLY_LOGS, "user_id")
    one_time_payment_logs = listed("One-time payments to a member", payroll.ONE_TIME_LOGS, "user_id")
    payable_totals = totals("the payables of a member", payroll.PAYABLE_TOTALS, "user_id")
    payables = listed("Amounts owed to a member", payroll.PAYABLES, "user_id")
    invoices = listed("Invoices with a line for a member's time", money.INVOICES, money.LINE_OF_MEMBER)
    created_invoices = listed("Invoices that a member created", money.INVOICES, "created_by_user_id")


def person_who(column: str, *, is_required: bool = False) -> tuple[Any, Any]:
    """The fields of the id of the person that a row names, which `column` has, and of the person."""
    return refers_to(Member, people.members_by_id.of(column), is_required=is_required)


@object_type("Membership of a person in a team.", "team_members")
class TeamMember:
    id: UUID = field("Id of this team membership.")
    team_id: UUID = field()
    user: Member = field(resolver=people.user_of)
    role: TeamRole = field()
    member_status: MemberStatus = field(
        "Status of the person's membership in the organization.", people.members_by_id.of("user_id", "status")
    )
    joined_at: datetime = field()
    created_at, updated_at, deleted_at = audit_times()
    team: "Team" = field(resolver=people.team_of)


@object_type("A team.", "teams")
class Team(Node):
    name: str = field()
    description: str | None = field()
    lead_user_ids: list[UUID] = field("Ids of the team leads, sorted.", people.lead_user_ids)
    members_count: int = field("Number of members who are not removed.", people.members_count_of_team)
    project_ids: list[UUID] = field("Ids of the team's projects, sorted.", people.project_ids_of_team)
    is_active: bool = field()
    created_at, updated_at, deleted_at = audit_times()
    members = listed("Members of a team", people.TEAM_MEMBERS, "team_id")
    time_totals = time_totals_below("the time of the people who are in a team now", TimeGroup.team)
    leads: list[Member] = field("The team leads, in the order of lead_user_ids.", people.leads_of_team)
    projects = field(
        "The team's projects, in the order of project_ids.", work.projects_of_team, list_of("work.Project")
    )
    project_memberships = listed(
        "Memberships in projects that came from a team, past ones too", work.PROJECT_MEMBERS, "team_id"
    )


@object_type()
class PeopleQuery:
    organization: Organization = field("The organization of the request.", people.organization)
    members = listed("Members of the organization", people.MEMBERS)
    member_totals = totals("the members of the organization", people.MEMBER_TOTALS)
    member: Member | None = field("One member.", people.member)
    members_by_id = by_ids(Member, people.members_by_id)
    teams = listed("Teams", people.TEAMS)
    team, teams_by_id = by_id(Team, people.teams_by_id)
    team_member, team_members_by_id = by_id(
        TeamMember, people.team_members_by_id, "membership in a team", "Memberships in teams"
    )
