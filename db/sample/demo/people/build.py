"""The people area: the organization, its members and its teams."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from db.sample.demo.area import Area, Row
from db.sample.demo.people.teams import team_rows
from db.sample.demo.random_source import DAY, MINUTE, RandomSource, truncate_to_second
from db.sample.demo.scenarios.names import name_pair, to_ascii
from db.sample.demo.scenarios.scenario import MemberState, Position, Scenario
from db.tables.columns import FORMER_MEMBER
from db.tables.people import EmploymentType, MemberRole, MemberStatus, OrganizationStatus

LEADERSHIP_POSITIONS = 3
"""The number of first positions that are filled once; the others repeat as the organization grows."""


@dataclass(frozen=True)
class PeopleRows(Area):
    organizations: list[Row]
    members: list[Row]
    teams: list[Row]
    team_members: list[Row]


def build_people(scenario: Scenario, member_count: int, today: date) -> PeopleRows:
    """The organization, its members and its teams."""
    random = RandomSource(f"{scenario.name}: people", today)
    members = _members(random, scenario, member_count)
    teams, team_members = team_rows(random, scenario, members)
    organization = {
        "name": scenario.name,
        "timezone": scenario.timezone,
        "currency": scenario.currency,
        "week_start_day": scenario.week_start_day.value,
        "country": scenario.country,
        "status": OrganizationStatus.active.value,
        "features": scenario.features,
        "data_retention_days": {"screenshots": 180, "app_usage": 365, "url_usage": 365},
        **random.timestamps(random.start),
    }
    return PeopleRows([organization], members, teams, team_members)


def _members(random: RandomSource, scenario: Scenario, count: int) -> list[Row]:
    rows: list[Row] = []
    leads: dict[str, list[UUID]] = {}
    hired = random.datetimes(count - 1, random.start, random.end - 75 * DAY, early=True)
    for index, created in enumerate([random.start, *hired]):
        position = position_of(scenario, index)
        row = _member(random, scenario, position, index, created)
        above = leads.setdefault(position.department, [])
        if index > 0 and position.employment is not EmploymentType.other:
            # The first lead of a department manages its other leads; the latest lead manages its members.
            nearest = above[:1] if position.leads else above[-1:]
            row["manager_user_id"] = nearest[0] if nearest else rows[0]["user_id"]
        if position.leads:
            above.append(row["user_id"])
        rows.append(row)
    return rows


def position_of(scenario: Scenario, index: int) -> Position:
    """The position of the member with an index."""
    if index < len(scenario.positions):
        return scenario.positions[index]
    recurring = scenario.positions[LEADERSHIP_POSITIONS:]
    return recurring[(index - len(scenario.positions)) % len(recurring)]


def _member(random: RandomSource, scenario: Scenario, position: Position, index: int, created: datetime) -> Row:
    joined = removed = None
    if position.role is MemberRole.owner:
        joined = created
    elif position.state is MemberState.invited:
        created = random.datetime_between(random.end - 20 * DAY, random.end - 2 * DAY)
    else:
        joined = truncate_to_second(random.datetime_between(created + 10 * MINUTE, created + 4 * DAY))
    first_joined = joined
    user_id, membership_id = random.uuid7(created), random.uuid7(created)
    if joined and position.state is MemberState.returned:
        joined = truncate_to_second(random.datetime_between(joined, random.end, 0.4, 0.8))
        membership_id = random.uuid7(joined)
    if joined and position.state in (MemberState.removed, MemberState.erased):
        removed = truncate_to_second(random.datetime_between(joined, random.end, 0.3, 0.9))
    hired = first_joined.date() if first_joined else None
    if first_joined and first_joined < random.start + 30 * DAY:
        hired = first_joined.date() - random.randint(90, 2200) * DAY
    first, last = name_pair(index, scenario.names)
    mailbox = f"{to_ascii(first)}.{to_ascii(last)}"
    is_erased = position.state is MemberState.erased
    is_staff = position.employment is EmploymentType.employee and not is_erased
    return {
        "user_id": user_id,
        "membership_id": membership_id,
        "email": None if is_erased else f"{mailbox}@{scenario.domain}",
        "full_name": FORMER_MEMBER if is_erased else f"{first} {last}",
        "first_name": None if is_erased else first,
        "last_name": None if is_erased else last,
        "avatar_url": (
            None
            if is_erased or first_joined is None or random.one_in(4)
            else f"https://{scenario.domain}/avatars/{mailbox}.png"
        ),
        "role": position.role.value,
        "status": _status(position.state).value,
        "is_tracking_enabled": position.role is not MemberRole.viewer and position.weekly_hours is not None,
        "timezone": None if is_erased else position.timezone,
        "employee_number": (f"{scenario.employee_prefix}-{index + 101:04}" if is_staff and first_joined else None),
        "job_title": None if is_erased else position.title,
        "department": position.department,
        "employment_type": position.employment.value,
        "manager_user_id": None,
        "hired_on": hired,
        "left_on": removed.date() if removed else None,
        "first_joined_at": first_joined,
        "joined_at": joined,
        "removed_at": removed,
        "last_tracked_at": None,
        "weekly_limit_seconds": position.weekly_hours * 3600 if position.weekly_hours else None,
        "expected_weekly_seconds": position.weekly_hours * 3600 if position.weekly_hours and is_staff else None,
        "custom_fields": _custom_fields(random) if is_staff and random.one_in(2) else {},
        **random.timestamps(created, joined, removed),
    }


def _status(state: MemberState) -> MemberStatus:
    if state is MemberState.erased:
        return MemberStatus.removed
    if state is MemberState.returned:
        return MemberStatus.active
    return MemberStatus(state.value)


def _custom_fields(random: RandomSource) -> dict[str, str]:
    custom = {
        "cost_center": f"{random.randrange(41, 48)}00",
        "desk": f"B-{random.randrange(1, 40):02}",
    }
    if random.one_in(3):
        custom["t_shirt"] = random.choice(["S", "M", "L", "XL"])
    return custom
