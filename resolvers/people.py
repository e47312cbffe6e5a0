"""Resolvers of people: the organization, its members and teams."""

import asyncio
from collections.abc import Mapping
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Text, exists, func, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import any_

from db.reading.connection import Row
from db.tables.activity import screenshots
from db.tables.columns import bind, in_organization
from db.tables.payroll import hourly_payment_logs, one_time_payment_logs, payables, payment_settings
from db.tables.people import MemberStatus, TeamRole, members, organizations, team_members, teams
from db.tables.timesheets import timesheets
from db.tables.work import project_members
from resolvers.context import Context
from resolvers.errors import NotFound
from resolvers.lists.filters import active, changed_since, exactly, flag, identifiers, linked, one_of, search
from resolvers.lists.groups import Groups
from resolvers.lists.list_sql import Filter, Link
from resolvers.lists.listing import Listing
from resolvers.period import today_of
from resolvers.records.finality_sql import has_changed_payable
from resolvers.relations.arguments import Argument
from resolvers.relations.live import is_live
from resolvers.relations.nodes import distinct_ids, grouped_by, rows_by_id, sorted_ids
from resolvers.relations.relation import Relation
from resolvers.steps.attribute import Attribute
from resolvers.steps.batch import query_field
from resolvers.steps.related_row import RowByKey
from resolvers.values.amounts import columns_of

PRESENT = members.c.removed_at.is_(None)
"""Whether a person was not removed. A constraint ties it to the status, of which no index leaves out leavers."""

MEMBER_COLUMNS = columns_of(members, is_active=members.c.status == MemberStatus.active.value)

organizations_by_id = Relation(
    organizations.c.organization_id,
    select(organizations.c.organization_id.label("id"), *organizations.c).where(in_organization(organizations)),
)

# People who left, too: every reference to a person is shown.
members_by_id = Relation(
    members.c.user_id, select(*MEMBER_COLUMNS, true().label("is_live")).where(in_organization(members)), noun="Member"
)
id_of_member = Attribute("user_id")
user_of = members_by_id.of("user_id")

teams_by_id = rows_by_id(teams, columns_of(teams), "Team")
team_of = teams_by_id.of("team_id")

_headcounts = grouped_by(
    members.c.organization_id,
    members_count=func.count().filter(PRESENT),
    active_members_count=func.count().filter(members.c.status == MemberStatus.active.value),
)
members_count_of_organization = _headcounts.of("id", "members_count", default=0)
active_members_count = _headcounts.of("id", "active_members_count", default=0)

_teams_of_members = grouped_by(team_members.c.user_id, team_ids=sorted_ids(team_members.c.team_id))
team_ids_of_member = _teams_of_members.of("user_id", "team_ids", default=())
teams_of_member = teams_by_id.of_ids("user_id", _teams_of_members, "team_ids")

_rosters = Relation(
    team_members.c.team_id,
    select(
        func.count().label("members_count"),
        sorted_ids(team_members.c.user_id).filter(team_members.c.role == TeamRole.lead.value).label("lead_user_ids"),
    )
    .select_from(
        team_members.join(members, (in_organization(members)) & (members.c.user_id == team_members.c.user_id) & PRESENT)
    )
    .where(in_organization(team_members), is_live(team_members)),
    grouped=True,
)
members_count_of_team = _rosters.of("id", "members_count", default=0)
lead_user_ids = _rosters.of("id", "lead_user_ids", default=())
leads_of_team = members_by_id.of_ids("id", _rosters, "lead_user_ids")

projects_of_teams = grouped_by(
    project_members.c.team_id,
    project_members.c.removed_at.is_(None),
    project_ids=distinct_ids(project_members.c.project_id),
)
project_ids_of_team = projects_of_teams.of("id", "project_ids", default=())

_current_project = Link(
    project_members.c.user_id, project_members.c.project_id, members.c.user_id, project_members.c.removed_at.is_(None)
)
MEMBERS = Listing(
    members,
    MEMBER_COLUMNS,
    order=("created_at", "user_id"),
    description=", by creation; removed ones only with `status`.",
    resource="people.Member",
    filters=[
        identifiers(members.c.user_id, "members"),
        exactly(members.c.user_id, "Only this person."),
        Filter(
            name="email",
            type=str,
            # A plus that is not encoded is a space in a query, which no address has.
            where=func.lower(members.c.email) == func.lower(func.replace(bind("email", Text()), " ", "+")),
            description="Only the member with this e-mail address; case-insensitive.",
        ),
        search(
            members.c.full_name,
            members.c.last_name,
            members.c.email,
            description="Only members whose full name, last name or e-mail address starts with this; case-insensitive.",
        ),
        one_of(members.c.status, "Only these statuses; default: all except `removed`.", PRESENT),
        flag(
            members.c.status == MemberStatus.active.value,
            "Only members whose status is (true) or is not (false) `active`.",
            name="is_active",
        ),
        flag(
            exists().where(
                in_organization(timesheets),
                timesheets.c.user_id == members.c.user_id,
                timesheets.c.ended_at.is_(None),
                is_live(timesheets),
            ),
            "Only people whose timer runs now (true), or does not (false). A change of it does not change updated_at.",
            name="has_running_timer",
        ),
        one_of(members.c.role, "Only these roles in the organization."),
        linked(
            Link(team_members.c.user_id, team_members.c.team_id, members.c.user_id),
            "Only members of this team.",
            excludes="user_id",
        ),
        linked(_current_project, "Only current members of this project."),
        changed_since(
            "payroll_updated_since",
            members.c.user_id,
            (payment_settings, hourly_payment_logs, one_time_payment_logs, payables),
            "Only people whose payment settings, payments or payables changed at or after this time; with "
            "`include_deleted=true` also people who left.",
            has_changed_payable,
        ),
        changed_since(
            "screenshots_updated_since",
            members.c.user_id,
            (screenshots,),
            "Only people whose screenshots changed or were deleted at or after this time, and all people if the "
            "organization's zone changed; with `include_deleted=true` also people who left.",
            lambda _, since: exists().where(in_organization(organizations), organizations.c.report_changed_at >= since),
        ),
    ],
)

MEMBER_TOTALS = Groups(MEMBERS, ["expected_weekly_seconds", "weekly_limit_seconds"], day=members.c.hired_on)

TEAMS = Listing(
    teams,
    resource="people.Team",
    filters=[
        identifiers(teams.c.id, "teams"),
        active(teams.c.is_active, "teams"),
        linked(Link(team_members.c.team_id, team_members.c.user_id, teams.c.id), "Only teams of this person."),
        search(teams.c.name, description="Only teams whose name starts with this; case-insensitive."),
    ],
)


_same_person = (in_organization(members), members.c.user_id == team_members.c.user_id)
TEAM_MEMBERS = Listing(
    team_members,
    order=("joined_at", "id"),
    description=", by joined_at.",
    resource="people.TeamMember",
    filters=[
        Filter(
            name="status",
            type=list[MemberStatus],
            where=exists().where(*_same_person, members.c.status == any_(bind("status", ARRAY(Text())))),
            otherwise=exists().where(*_same_person, PRESENT),
            description="Only these statuses of the member in the organization; default: all except `removed`.",
        ),
        one_of(team_members.c.role, "Only these roles in the team."),
    ],
)
team_members_by_id = rows_by_id(team_members, columns_of(team_members), "Team membership")


@query_field(rows=organizations_by_id)
async def organization(context: Context, _: Mapping[str, Any]) -> Row:
    """The organization of the request."""
    row = await organizations_by_id.load(context, context.organization_id, "id")
    if row is None:
        raise NotFound("Organization")
    return row


@query_field(
    Argument(name="id", type=UUID, description="Id of the person.", is_required=True),
    Argument(
        name="current",
        type=bool,
        default=False,
        description="Fail with RESOURCE_NOT_FOUND unless the membership is active and left_on has not passed.",
        is_published=False,
    ),
    of=RowByKey,
    rows=members_by_id,
    key="user_id",
)
async def member(context: Context, arguments: Mapping[str, Any]) -> Row:
    """A current or former member of the organization."""
    reading = members_by_id.load(context, arguments["id"], "deleted_at", "is_active", "left_on")
    # One round trip.
    row, today = await asyncio.gather(reading, today_of(context)) if arguments["current"] else (await reading, None)
    if row is None or (today is not None and not _is_current(row, today)):
        raise NotFound("Member")
    return row


def _is_current(member: Row, today: date) -> bool:
    """Whether a membership is active and current (spec, Not-found causes). `left_on` is its last day."""
    has_left = member.left_on is not None and member.left_on < today
    return member.is_active and member.deleted_at is None and not has_left


async def known_team(context: Context, arguments: Mapping[str, Any]) -> None:
    """Raise NotFound if `team_id` names no team of the organization (spec, Not-found causes)."""
    id_ = arguments.get("team_id")
    if id_ is not None and await teams_by_id.load_live(context, id_) is None:
        raise NotFound("Team")
