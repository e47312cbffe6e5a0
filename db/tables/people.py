"""Tables of people: organizations, members, teams."""

from enum import StrEnum

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Index,
    Integer,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from db.tables.columns import NOT_DELETED, audit_time, derived, enum_column, event_time, tenant_table
from db.tables.reference import country_column, currency_column, timezone_column


class Weekday(StrEnum):
    monday = "monday"
    tuesday = "tuesday"
    wednesday = "wednesday"
    thursday = "thursday"
    friday = "friday"
    saturday = "saturday"
    sunday = "sunday"


class OrganizationStatus(StrEnum):
    active = "active"
    suspended = "suspended"


class MemberRole(StrEnum):
    owner = "owner"
    admin = "admin"
    manager = "manager"
    member = "member"
    viewer = "viewer"


class MemberStatus(StrEnum):
    active = "active"
    invited = "invited"
    suspended = "suspended"
    removed = "removed"


class EmploymentType(StrEnum):
    employee = "employee"
    contractor = "contractor"
    intern = "intern"
    other = "other"


class TeamRole(StrEnum):
    lead = "lead"
    member = "member"


organizations = tenant_table(
    "organizations",
    Column("name", Text, nullable=False),
    timezone_column(),
    currency_column(),
    enum_column("week_start_day", Weekday, default=Weekday.monday),
    country_column(),
    enum_column("status", OrganizationStatus, default=OrganizationStatus.active),
    Column("features", JSONB, nullable=False),
    Column("data_retention_days", JSONB, nullable=False),
    key=(),
)

members = tenant_table(
    "members",
    Column("membership_id", Uuid, nullable=False),
    # Email, names and time zone are here and not in a table of persons, because requests read tenant tables only.
    Column("email", Text),
    Column("full_name", Text, nullable=False),
    Column("first_name", Text),
    Column("last_name", Text),
    Column("avatar_url", Text),
    enum_column("role", MemberRole, default=MemberRole.member),
    enum_column("status", MemberStatus, default=MemberStatus.active),
    Column("is_tracking_enabled", Boolean, nullable=False, server_default=text("true")),
    timezone_column(nullable=True),
    Column("employee_number", Text),
    Column("job_title", Text),
    Column("department", Text),
    enum_column("employment_type", EmploymentType, nullable=True),
    Column("manager_user_id", Uuid),
    Column("hired_on", Date),
    Column("left_on", Date),
    # Kept when a member is invited again, so that reports on an earlier time include the member.
    event_time("first_joined_at", nullable=True),
    event_time("joined_at", nullable=True),
    event_time("removed_at", nullable=True),
    # Set by the writer of timesheets. If it changed updated_at, polling would return every member.
    derived(event_time("last_tracked_at", nullable=True)),
    Column("weekly_limit_seconds", Integer),
    Column("expected_weekly_seconds", Integer),
    Column("custom_fields", JSONB, nullable=False, server_default=text("'{}'")),
    UniqueConstraint("organization_id", "membership_id"),
    CheckConstraint("(status = 'removed') = (removed_at IS NOT NULL)", name="removed"),
    key=("user_id",),
    references={"manager_user_id": "members.user_id"},
    order=("created_at", "user_id"),
)
Index(None, members.c.organization_id, members.c.status, members.c.created_at, members.c.user_id)
Index(
    "members_scope_idx",
    members.c.organization_id,
    members.c.first_joined_at,
    members.c.removed_at,
    postgresql_include=["created_at", "user_id"],
    postgresql_where=NOT_DELETED,
)

teams = tenant_table(
    "teams",
    Column("name", Text, nullable=False),
    Column("description", Text),
    Column("is_active", Boolean, nullable=False, server_default=text("true")),
)

team_members = tenant_table(
    "team_members",
    Column("team_id", Uuid, nullable=False),
    Column("user_id", Uuid, nullable=False),
    enum_column("role", TeamRole, default=TeamRole.member),
    audit_time("joined_at"),
    references={"team_id": "teams.id", "user_id": "members.user_id"},
    order=None,
)
Index(
    "team_members_live_key",
    team_members.c.organization_id,
    team_members.c.team_id,
    team_members.c.user_id,
    unique=True,
    postgresql_where=NOT_DELETED,
)
Index(None, team_members.c.organization_id, team_members.c.team_id, team_members.c.joined_at, team_members.c.id)
Index(None, team_members.c.organization_id, team_members.c.user_id, team_members.c.team_id)
