"""GraphQL types and queries of people: organization, members, teams."""

from datetime import date, datetime
from uuid import UUID

import strawberry

from db.tables.people import EmploymentType, MemberRole, MemberStatus, OrganizationStatus, TeamRole, Weekday
from resolvers import activity, leaves, money, payroll, people, work
from resolvers.screenshots import screenshots_of_member
from resolvers.timesheets import (
    clock_records_of_member,
    manual_time_of_member,
    manual_time_reviewed_by_member,
    running_timesheets_of_member,
    timesheets_of_member,
)
from schema.lazy_types import (
    LazyClockRecord,
    LazyInvoice,
    LazyLeaveApplication,
    LazyLeaveAssignment,
    LazyLeaveBalance,
    LazyLeaveTotal,
    LazyManualTime,
    LazyProject,
    LazyProjectMember,
    LazyScreenshot,
    LazySuspiciousActivityLog,
    LazyTask,
    LazyTaskMember,
    LazyTimesheet,
)
from schema.page import Page, by_ids, field, one
from schema.payroll import AmountTotal, HourlyPaymentLog, OneTimePaymentLog, Payable, PaymentSetting
from schema.scalars import Seconds, Texts


@strawberry.type(
    description="Features of the tracking application, and whether the organization has enabled each. Lists of a "
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


@strawberry.type(description="Retention of recorded data, in days.")
class Retention:
    screenshots: int = field("Retention of screenshots, in days.")
    app_usage: int = field("Retention of application usage, in days.")
    url_usage: int = field("Retention of URL usage, in days.")


@strawberry.type(description="The organization of the request.")
class Organization:
    id: UUID = field("Unique id.")
    name: str = field("Name of the organization.")
    timezone: str = field("IANA time zone; the default of the `timezone` argument of every request.")
    currency: str = field("Default currency of rates and invoices, ISO 4217 code.")
    week_start_day: Weekday = field("First day of payroll weeks.")
    country: str | None = field("Country, ISO 3166-1 alpha-2 code.")
    status: OrganizationStatus = field("Status of the organization.")
    members_count: int = field("Number of members who are not removed.", people.members_count_of_organization)
    active_members_count: int = field("Number of members whose status is `active`.", people.active_members_count)
    features: Features = field("Features, and whether each is enabled.")
    data_retention_days: Retention = field("Retention of recorded data, in days.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")


@strawberry.type(description="A person's current or latest membership in the organization.")
class Member:
    id: UUID = field("Id of the person, as user_id: caches of clients know objects by it.", people.id_of_member)
    user_id: UUID = field("Id of the person; every reference to a person uses it.")
    membership_id: UUID = field("Id of this membership; changes when a removed person is invited again.")
    email: str | None = field("E-mail address; null if the person's data was erased.")
    full_name: str = field("Full name of the person.")
    first_name: str | None = field("Given name.")
    last_name: str | None = field("Family name.")
    avatar_url: str | None = field("URL of the profile picture.")
    role: MemberRole = field("Role in the organization.")
    status: MemberStatus = field("Status of the membership.")
    is_active: bool = field("Whether the status is `active`.")
    is_tracking_enabled: bool = field("Whether the member may track time.")
    timezone: str | None = field("IANA time zone of the member; null means that of the organization.")
    employee_number: str | None = field("Employee number in HR or payroll.")
    job_title: str | None = field("Title of the person's job.")
    department: str | None = field("Department in which the person works.")
    employment_type: EmploymentType | None = field("Type of employment.")
    manager_user_id: UUID | None = field("Id of the member's manager.")
    team_ids: list[UUID] = field("Ids of the member's teams, sorted.", people.team_ids_of_member)
    hired_on: date | None = field("First day of employment.")
    left_on: date | None = field("Last day of employment; null if none is set.")
    joined_at: datetime | None = field("Start of the membership; null while invited.")
    removed_at: datetime | None = field("End of the membership; null while it lasts.")
    last_tracked_at: datetime | None = field(
        "End of the latest timesheet; null if there is none. A change of it does not change updated_at."
    )
    weekly_limit_seconds: Seconds | None = field(
        "Maximum time that the member may track in a week; null means no limit."
    )
    expected_weekly_seconds: Seconds | None = field(
        "Time that the member should track in a week; null means no expectation."
    )
    custom_fields: Texts = field("Custom fields of the organization: names and values.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    manager: "Member | None" = field("The member's manager.", people.manager_of)
    direct_reports: Page["Member"] = field("Members whose manager a member is, by creation.", people.direct_reports)
    teams: list["Team"] = field("The member's teams, in the order of team_ids.", people.teams_of_member)
    team_memberships: Page["TeamMember"] = field(
        "Memberships of a member in teams, by joined_at.", people.team_memberships_of_member
    )
    projects: Page[LazyProject] = field("Projects of a member, by creation.", work.projects_of_member)
    project_memberships: Page[LazyProjectMember] = field(
        "Memberships of a member in projects, past ones too, by creation.", work.project_memberships_of_member
    )
    tasks: Page[LazyTask] = field("Tasks that are assigned to a member, by creation.", work.tasks_of_member)
    task_memberships: Page[LazyTaskMember] = field(
        "Memberships of a member in tasks, by creation.", work.task_memberships_of_member
    )
    created_tasks: Page[LazyTask] = field("Tasks that a member created, by creation.", work.tasks_created_by_member)
    timesheets: Page[LazyTimesheet] | None = field(
        "A member's timesheets that started in the date range, by start. Without dates: the last 31 days.",
        timesheets_of_member,
    )
    running_timesheets: list[LazyTimesheet] = field(
        "A member's timesheets whose timer runs, by start.", running_timesheets_of_member
    )
    manual_timesheet_reports: Page[LazyManualTime] | None = field(
        "Manual time entries of a member that started in the date range, by start.", manual_time_of_member
    )
    reviewed_manual_timesheet_reports: Page[LazyManualTime] | None = field(
        "Manual time entries that a member approved or rejected, and that started in the date range, by start.",
        manual_time_reviewed_by_member,
    )
    clockinouts: Page[LazyClockRecord] | None = field(
        "Clock-in and clock-out records of a member that started in the date range, by clock-in. With `status=open` "
        "also those that started before it and are still open.",
        clock_records_of_member,
    )
    screenshots: list[LazyScreenshot] = field(
        "Screenshots of a member on one local day, by time.", screenshots_of_member
    )
    suspicious_activity_logs: Page[LazySuspiciousActivityLog] | None = field(
        "Suspicious activity logs about a member, by creation. `start_date` and `end_date` select by local day of the "
        "start.",
        activity.suspicious_activity_of_member,
    )
    reviewed_suspicious_activity_logs: Page[LazySuspiciousActivityLog] | None = field(
        "Suspicious activity logs that a member reviewed, by creation. `start_date` and `end_date` select by local day "
        "of the start.",
        activity.suspicious_activity_reviewed_by_member,
    )
    leave_applications: Page[LazyLeaveApplication] | None = field(
        "Leave applications of a member, by creation. `start_date` and `end_date` select leave that overlaps them.",
        leaves.applications_of_member,
    )
    leave_application_totals: list[LazyLeaveTotal] | None = field(
        "Sums of the leave applications of a member of the same arguments, by leave type.",
        leaves.leave_totals_of_member,
    )
    reviewed_leave_applications: Page[LazyLeaveApplication] | None = field(
        "Leave applications that a member approved or rejected, by creation. `start_date` and `end_date` select leave "
        "that overlaps them.",
        leaves.applications_reviewed_by_member,
    )
    leave_balances: Page[LazyLeaveBalance] = field(
        "Leave balances of a member, by creation; only of current periods unless `leave_period_id` is given.",
        leaves.balances_of_member,
    )
    leave_assignments: Page[LazyLeaveAssignment] = field(
        "Assignments of leave policies to a member, by creation.", leaves.assignments_of_member
    )
    payment_settings: list[PaymentSetting] = field(
        "Payment settings of a member, by effective_from.", payroll.settings_of_member
    )
    hourly_payment_logs: Page[HourlyPaymentLog] | None = field(
        "Hourly payments to a member, by creation. `start_date` and `end_date` select payments whose period "
        "overlaps them.",
        payroll.hourly_logs_of_member,
    )
    one_time_payment_logs: Page[OneTimePaymentLog] | None = field(
        "One-time payments to a member, by creation. `start_date` and `end_date` select by payment_date.",
        payroll.one_time_logs_of_member,
    )
    payable_totals: list[AmountTotal] | None = field(
        "Sums of the payables of a member of the same arguments, by currency.", payroll.payable_totals_of_member
    )
    payables: Page[Payable] | None = field(
        "Amounts owed to a member, by creation. `start_date` and `end_date` select payables whose period "
        "overlaps them.",
        payroll.payables_of_member,
    )
    invoices: Page[LazyInvoice] | None = field(
        "Invoices with a line for a member's time, by creation. `start_date` and `end_date` select by issue_date.",
        money.invoices_of_member,
    )
    created_invoices: Page[LazyInvoice] | None = field(
        "Invoices that a member created, by creation. `start_date` and `end_date` select by issue_date.",
        money.invoices_created_by_member,
    )


@strawberry.type(description="Membership of a person in a team.")
class TeamMember:
    id: UUID = field("Id of this team membership.")
    team_id: UUID = field("Id of the team.")
    user: Member = field("The person.", people.user_of)
    role: TeamRole = field("Role in the team.")
    member_status: MemberStatus = field(
        "Status of the person's membership in the organization.", people.member_status_of
    )
    joined_at: datetime = field("Time when the person joined the team.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    team: "Team" = field("The team.", people.team_of)


@strawberry.type(description="A team.")
class Team:
    id: UUID = field("Unique id.")
    name: str = field("Name of the team.")
    description: str | None = field("Description of the team.")
    lead_user_ids: list[UUID] = field("Ids of the team leads, sorted.", people.lead_user_ids)
    members_count: int = field("Number of members who are not removed.", people.members_count_of_team)
    project_ids: list[UUID] = field("Ids of the team's projects, sorted.", people.project_ids_of_team)
    is_active: bool = field("Whether the team is active.")
    created_at: datetime = field("Creation time.")
    updated_at: datetime = field("Time of the last change.")
    deleted_at: datetime | None = field("Deletion time; null unless the row is deleted.")
    members: Page[TeamMember] = field("Members of a team, by joined_at.", people.list_team_members)
    leads: list[Member] = field("The team leads, in the order of lead_user_ids.", people.leads_of_team)
    projects: list[LazyProject] = field("The team's projects, in the order of project_ids.", work.projects_of_team)
    project_memberships: Page[LazyProjectMember] = field(
        "Memberships in projects that came from a team, past ones too, by creation.",
        work.project_memberships_of_team,
    )


@strawberry.type
class PeopleQuery:
    organization: Organization = field("The organization of the request.", people.organization)
    members: Page[Member] | None = field("Members of the organization, by creation.", people.list_members)
    member: Member | None = field("One member.", people.member)
    members_by_id: list[Member | None] | None = field("Members by their ids.", people.members_by_ids)
    teams: Page[Team] | None = field("Teams, by creation.", people.list_teams)
    team: Team | None = one(people.TEAM_NODES)
    teams_by_id: list[Team | None] | None = by_ids(people.TEAM_NODES)
    team_member: TeamMember | None = field("One membership in a team.", people.TEAM_MEMBER_NODES.one)
    team_members_by_id: list[TeamMember | None] | None = field(
        "Memberships in teams by their ids.", people.TEAM_MEMBER_NODES.several
    )
