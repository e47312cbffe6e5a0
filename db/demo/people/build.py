"""The area of people: the organization, its members and its teams."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from db.demo.area import Area, Row
from db.demo.chance import DAY, MINUTE, Chance, whole
from db.demo.outline import Outline, Post, Standing
from db.demo.people.teams import teams_of
from db.demo.scenarios.names import pair, plain
from db.tables.people import EmploymentType, MemberRole, MemberStatus, OrganizationStatus

UNIQUE_POSTS = 3
"""The posts of the leadership, which come first and are not filled again as the organization grows."""


@dataclass(frozen=True)
class People(Area):
    organizations: list[Row]
    members: list[Row]
    teams: list[Row]
    team_members: list[Row]


def people(outline: Outline, members: int, today: date) -> People:
    """The organization, its members and its teams."""
    chance = Chance(f"{outline.name}: people", today)
    persons = _members(chance, outline, members)
    teams, team_members = teams_of(chance, outline, persons)
    organization = {
        "name": outline.name,
        "timezone": outline.timezone,
        "currency": outline.currency,
        "week_start_day": outline.week_start_day.value,
        "country": outline.country,
        "status": OrganizationStatus.active.value,
        "features": outline.features,
        "data_retention_days": {"screenshots": 180, "app_usage": 365, "url_usage": 365},
        **chance.stamps(chance.start),
    }
    return People([organization], persons, teams, team_members)


def _members(chance: Chance, outline: Outline, count: int) -> list[Row]:
    rows: list[Row] = []
    leads: dict[str, list[UUID]] = {}
    hired = chance.moments(count - 1, chance.start, chance.end - 75 * DAY, early=True)
    for index, created in enumerate([chance.start, *hired]):
        post = post_of(outline, index)
        row = _member(chance, outline, post, index, created)
        above = leads.setdefault(post.department, [])
        if index > 0 and post.employment is not EmploymentType.other:
            # The first lead of a department leads the others, who lead its members as it grows.
            nearest = above[:1] if post.leads else above[-1:]
            row["manager_user_id"] = nearest[0] if nearest else rows[0]["user_id"]
        if post.leads:
            above.append(row["user_id"])
        rows.append(row)
    return rows


def post_of(outline: Outline, index: int) -> Post:
    """The post of the member at a place in the list."""
    if index < len(outline.posts):
        return outline.posts[index]
    recurring = outline.posts[UNIQUE_POSTS:]
    return recurring[(index - len(outline.posts)) % len(recurring)]


def _member(chance: Chance, outline: Outline, post: Post, index: int, created: datetime) -> Row:
    joined = removed = None
    if post.role is MemberRole.owner:
        joined = created
    elif post.standing is Standing.invited:
        created = chance.between(chance.end - 20 * DAY, chance.end - 2 * DAY)
    else:
        joined = whole(chance.between(created + 10 * MINUTE, created + 4 * DAY))
    first_joined = joined
    user_id, membership_id = chance.id(created), chance.id(created)
    if joined and post.standing is Standing.returned:
        joined = whole(chance.between(joined, chance.end, 0.4, 0.8))
        membership_id = chance.id(joined)
    if joined and post.standing in (Standing.removed, Standing.erased):
        removed = whole(chance.between(joined, chance.end, 0.3, 0.9))
    hired = first_joined.date() if first_joined else None
    if first_joined and first_joined < chance.start + 30 * DAY:
        hired = first_joined.date() - chance.random.randint(90, 2200) * DAY
    first, last = pair(index, outline.names)
    mailbox = f"{plain(first)}.{plain(last)}"
    is_erased = post.standing is Standing.erased
    is_staff = post.employment is EmploymentType.employee and not is_erased
    return {
        "user_id": user_id,
        "membership_id": membership_id,
        "email": None if is_erased else f"{mailbox}@{outline.domain}",
        "full_name": "Former member" if is_erased else f"{first} {last}",
        "first_name": None if is_erased else first,
        "last_name": None if is_erased else last,
        "avatar_url": (
            None
            if is_erased or first_joined is None or chance.one_in(4)
            else f"https://{outline.domain}/avatars/{mailbox}.png"
        ),
        "role": post.role.value,
        "status": _status(post.standing).value,
        "is_tracking_enabled": post.role is not MemberRole.viewer and post.weekly_hours is not None,
        "timezone": None if is_erased else post.timezone,
        "employee_number": (f"{outline.employee_prefix}-{index + 101:04}" if is_staff and first_joined else None),
        "job_title": None if is_erased else post.title,
        "department": post.department,
        "employment_type": post.employment.value,
        "manager_user_id": None,
        "hired_on": hired,
        "left_on": removed.date() if removed else None,
        "first_joined_at": first_joined,
        "joined_at": joined,
        "removed_at": removed,
        "last_tracked_at": None,
        "weekly_limit_seconds": post.weekly_hours * 3600 if post.weekly_hours else None,
        "expected_weekly_seconds": post.weekly_hours * 3600 if post.weekly_hours and is_staff else None,
        "custom_fields": _custom_fields(chance) if is_staff and chance.one_in(2) else {},
        **chance.stamps(created, joined, removed),
    }


def _status(standing: Standing) -> MemberStatus:
    if standing is Standing.erased:
        return MemberStatus.removed
    if standing is Standing.returned:
        return MemberStatus.active
    return MemberStatus(standing.value)


def _custom_fields(chance: Chance) -> dict[str, str]:
    custom = {
        "cost_center": f"{chance.random.randrange(41, 48)}00",
        "desk": f"B-{chance.random.randrange(1, 40):02}",
    }
    if chance.one_in(3):
        custom["t_shirt"] = chance.random.choice(["S", "M", "L", "XL"])
    return custom
