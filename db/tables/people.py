"""Tables of people: organizations, members, teams."""

from sqlalchemy import CheckConstraint, Column, DateTime, ForeignKeyConstraint, Table, UniqueConstraint, Uuid, text
from sqlalchemy.dialects.postgresql import JSONB

from db.tables.columns import (
    FORMER_MEMBER,
    NOT_DELETED,
    DescribedEnum,
    audit_time,
    date_column,
    derived,
    enum_column,
    erased,
    erased_object,
    event_time,
    flag_column,
    foreign_key,
    immovable,
    index,
    index_by_parent,
    index_orders,
    json_object_column,
    kept,
    live_key,
    mention_column,
    metadata,
    number_column,
    person_column,
    tenant_table,
    text_column,
)
from db.tables.reference import country_column, currency_column, timezone_column
from db.tables.remembered import earlier_memberships, report_changed_at
from db.tables.value_checks import json_booleans, json_day_counts, json_path_check


class Weekday(DescribedEnum):
    """A day of the week."""

    monday = "monday", "Monday."
    tuesday = "tuesday", "Tuesday."
    wednesday = "wednesday", "Wednesday."
    thursday = "thursday", "Thursday."
    friday = "friday", "Friday."
    saturday = "saturday", "Saturday."
    sunday = "sunday", "Sunday."


class OrganizationStatus(DescribedEnum):
    """Status of an organization."""

    active = "active", "The service answers requests for the organization."
    suspended = "suspended", "Suspended by the operator; keys of the organization are refused."


class MemberRole(DescribedEnum):
    """Role of a member in the organization."""

    owner = "owner", "Owns the organization's account."
    admin = "admin", "Administers the organization."
    manager = "manager", "Manages other members."
    member = "member", "Tracks time, and has no rights over other members."
    viewer = "viewer", "Reads data, and changes none."


class MemberStatus(DescribedEnum):
    """Status of a membership; `active` is a current one."""

    active = "active", "Current member."
    invited = "invited", "Invited; has not joined yet."
    suspended = "suspended", "Suspended for a time; still a member."
    removed = "removed", "Removed; a past member."


class EmploymentType(DescribedEnum):
    """Type of employment."""

    employee = "employee", "Employee of the organization."
    contractor = "contractor", "Contractor who invoices the organization."
    intern = "intern", "Intern or trainee."
    other = "other", "Any other type of employment."


class TeamRole(DescribedEnum):
    """Role of a member in a team."""

    lead = "lead", "Leads the team."
    member = "member", "Member of the team who does not lead it."


FEATURES = ("screenshots", "app_tracking", "url_tracking", "clock_in_out", "invoicing", "payroll", "leave")
"""The keys of `features`; all are enabled unless an organization says otherwise."""

RETENTION_DAYS = {"screenshots": 180, "app_usage": 365, "url_usage": 365}
"""The keys of `data_retention_days`, with their defaults."""

organizations = tenant_table(
    "organizations",
    "An organization: each key reads one of them. Its zone decides which local day time belongs to.",
    text_column("name", "Name of the organization.", nullable=False, is_name=True),
    timezone_column("IANA time zone; the default of the `timezone` argument of every request."),
    currency_column("Default currency of rates and invoices, ISO 4217 code."),
    enum_column("week_start_day", Weekday.monday, "First day of payroll weeks.\nWeekly overtime counts from it."),
    country_column(),
    enum_column(
        "status",
        OrganizationStatus.active,
        "Status of the organization.\nOnly operators set it; the keys of a suspended organization are refused.",
    ),
    json_object_column(
        "features",
        "Features, and whether each is enabled.\nObject of booleans, so that clients understand empty lists.",
        default=dict.fromkeys(FEATURES, True),
    ),
    json_object_column(
        "data_retention_days",
        "Retention of recorded data, in days.\n"
        "Object of days for screenshots, app_usage and url_usage; orgdata retain drops older ones.",
        default=RETENTION_DAYS,
    ),
    report_changed_at("timezone"),
    *json_booleans("features", FEATURES),
    *json_day_counts("data_retention_days", tuple(RETENTION_DAYS)),
    key=(),
)

OPERATOR_COLUMNS = ("status", "deleted_at")
"""Columns of an organization that only operators set: not a writer, and not a restored export."""

members = tenant_table(
    "members",
    "A person in an organization: the current membership, or the last one. Reports show who joined by their days.",
    Column(
        "membership_id",
        Uuid,
        nullable=False,
        comment="Id of this membership; changes when a removed person is invited again.",
    ),
    # Email, names and time zone are here and not in a table of persons, because requests read tenant tables only.
    erased(text_column("email", "E-mail address; null if the person's data was erased.")),
    erased(text_column("full_name", "Full name of the person.", nullable=False, is_name=True), to=FORMER_MEMBER),
    erased(text_column("first_name", "Given name.", is_name=True)),
    erased(text_column("last_name", "Family name.", is_name=True)),
    erased_object(text_column("avatar_url", "URL of the profile picture.\nAn https URL.")),
    enum_column("role", MemberRole.member, "Role in the organization."),
    enum_column("status", MemberStatus.active, "Status of the membership.\nremoved exactly if removed_at is set."),
    flag_column("is_tracking_enabled", "Whether the member may track time.", default=True),
    erased(timezone_column("IANA time zone of the member; null means that of the organization.", nullable=True)),
    erased(text_column("employee_number", "Employee number in HR or payroll.")),
    erased(text_column("job_title", "Title of the person's job.")),
    kept(text_column("department", "Department in which the person works.")),
    enum_column("employment_type", EmploymentType, "Type of employment.", nullable=True),
    mention_column("manager_user_id", "Id of the member's manager."),
    date_column("hired_on", "First day of employment."),
    date_column("left_on", "Last day of employment; null if none is set."),
    event_time(
        "first_joined_at",
        "First time of joining, kept over later invitations; earlier reports have the person only with time.",
        nullable=True,
        info={"unlisted": True},
    ),
    event_time("joined_at", "Start of the membership; null while invited.", nullable=True),
    event_time(
        "removed_at",
        "End of the membership; null while it lasts.\nReports of later days show the person only with time.",
        nullable=True,
    ),
    # Set by the writer of timesheets. If it changed updated_at, polling would return every member.
    derived(
        event_time(
            "last_tracked_at",
            "End of the latest timesheet; null if there is none. A change of it does not change updated_at.",
            nullable=True,
        )
    ),
    number_column("weekly_limit_seconds", "Maximum time that the member may track in a week; null means no limit."),
    number_column("expected_weekly_seconds", "Time that the member should track in a week; null means no expectation."),
    erased(
        json_object_column("custom_fields", "Custom fields of the organization: names and values.\nObject of strings."),
        to="{}",
    ),
    *earlier_memberships(),
    UniqueConstraint("organization_id", "membership_id"),
    CheckConstraint("(status = 'removed') = (removed_at IS NOT NULL)", name="removed"),
    # Reports leave out who never joined. A trigger completes both times.
    CheckConstraint("status NOT IN ('active', 'suspended') OR joined_at IS NOT NULL", name="joined_at"),
    CheckConstraint("joined_at IS NULL OR (first_joined_at <= joined_at) IS TRUE", name="first_joined_at"),
    json_path_check("custom_fields", "are_strings", 'strict $.* ? (@.type() != "string")'),
    natural_key=("email",),
    key=("user_id",),
    key_comment="Id of the person; every reference to a person uses it.\nIt is the same in every organization.",
    order=("created_at", "user_id"),
    has_deleted_index=True,
)
index_orders(members, "full_name", "joined_at", key="user_id")
index(members, "status", "created_at", "user_id")
# Without those who left, who may be many more: what lists of members show by default, counted and in their order.
index(
    members,
    "created_at",
    "user_id",
    name="members_present_idx",
    postgresql_where=text("deleted_at IS NULL AND removed_at IS NULL"),
)
index(
    members,
    "first_joined_at",
    "removed_at",
    name="members_scope_idx",
    postgresql_include=["created_at", "user_id"],
    postgresql_where=NOT_DELETED,
)
index_by_parent(members, "manager_user_id", "created_at", "user_id")

# Of operators, like keys: no client reads it, and no file gives it.
erasures = Table(
    "erasures",
    metadata,
    Column("organization_id", Uuid, primary_key=True, comment="The organization."),
    Column("user_id", Uuid, primary_key=True, comment="The person, whose id stays in records."),
    Column("erased_at", DateTime(timezone=True), primary_key=True, comment="When the data was erased."),
    Column("row_counts", JSONB, nullable=False, comment="Object: how many rows of each table were changed."),
    number_column("object_count", "How many stored objects were listed for deletion.", nullable=False),
    ForeignKeyConstraint(["organization_id"], ["organizations.organization_id"]),
    info={"tenant": True},
    comment="An erasure of a person's data by `orgdata erase`. Imports refuse to bring the data back.",
)

teams = tenant_table(
    "teams",
    "A group of members. Reports can be restricted to a team.",
    text_column("name", "Name of the team.", nullable=False, is_name=True),
    text_column("description", "Description of the team."),
    flag_column(
        "is_active", "Whether the team is active.\nFalse hides the team in the tracking application.", default=True
    ),
    has_deleted_index=True,
)

index_orders(teams, "name")

team_members = tenant_table(
    "team_members",
    "A member of a team; a person is at most once in a team.",
    immovable(foreign_key("team_id", "teams.id", "Id of the team.", nullable=False)),
    immovable(person_column("Id of the person.", "memberships", is_named=True)),
    enum_column("role", TeamRole.member, "Role in the team.\nThe leads are in lead_user_ids of the team."),
    audit_time("joined_at", "Time when the person joined the team."),
    order=None,
    is_small=True,
)
live_key(team_members, "team_id", "user_id")
index(team_members, "team_id", "joined_at", "id")
index(team_members, "user_id", "team_id")
