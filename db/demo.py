"""The demo organization: rows that read like those of a real one, and are the same for the same day.

An area (people, work) is a dataclass of rows and the function that makes it from the areas before it. Nothing
is written until all of them are made.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from random import Random
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import Connection, func, select, text

from db.names import (
    CHORES,
    CITIES,
    CLIENT_NAMES,
    CLIENT_TRADES,
    COLORS,
    PRACTICE,
    PROJECT_NAMES,
    SQUADS,
    STUDIO,
    SUBTASKS,
    TASK_NOTES,
    Budget,
    ClientSketch,
    Outline,
    Post,
    ProjectSketch,
    Standing,
    TeamSketch,
    hours,
    money,
)
from db.people import EmploymentType, MemberRole, MemberStatus, OrganizationStatus, TeamRole, organizations
from db.work import (
    BillingType,
    BudgetRecurrence,
    MembershipSource,
    ProjectRole,
    ProjectStatus,
    TaskPriority,
    TaskRole,
    TaskStatus,
)

DEMO_ORGANIZATION_ID = UUID("018f2a6c-5e00-7d3a-9b41-6f0c2e8a7d11")
OTHER_ORGANIZATION_ID = UUID("018f2a6c-5e00-7f58-a2c7-13d94b60e522")

LARGEST = 1000
"""The most members for whom there are names enough."""

WITHOUT_MARK = {"ß": "ss", "ø": "o", "ł": "l", "ð": "d", "æ": "ae"}
"""Letters that don't decompose into one of ASCII and a mark."""

UNIQUE_POSTS = 3
"""The posts of the leadership, which come first and are not filled again as the organization grows."""

HISTORY = timedelta(days=730)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Row = dict[str, Any]
NO_TERMS: Row = {"pay_rate": None, "bill_rate": None, "currency": None, "budget_seconds": None}
Area = TypeVar("Area", "People", "Work")


@dataclass(frozen=True)
class People:
    """Fields are named after their tables, and stand in the order in which rows can be inserted."""

    organizations: list[Row]
    members: list[Row]
    teams: list[Row]
    team_members: list[Row]


@dataclass(frozen=True)
class Work:
    """Fields as in `People`."""

    clients: list[Row]
    projects: list[Row]
    project_members: list[Row]
    tasks: list[Row]
    task_members: list[Row]


def build(connection: Connection, *, members: int = 24, today: date) -> bool:
    """Insert the demo organization and a smaller second one; False, and no change, where the first exists.

    Nothing in them happens after `today` begins in UTC. Raises ValueError for too few or too many members.
    """
    if not 1 <= members <= LARGEST:
        raise ValueError(f"members must be between 1 and {LARGEST}.")
    _act_for(connection, DEMO_ORGANIZATION_ID)
    known = select(organizations).where(organizations.c.organization_id == DEMO_ORGANIZATION_ID)
    if connection.scalar(select(known.exists())):
        return False
    studio = people(STUDIO, members, today)
    studio_work = work(STUDIO, studio, today)
    practice = people(PRACTICE, len(PRACTICE.posts), today)
    practice_work = work(PRACTICE, practice, today)
    # One person belongs to both. That a client and a project share their ids as well is what the primary keys
    # allow: a condition that forgets the organization finds two rows here, and not only in production.
    guest, owner = practice.members[1], studio.members[0]
    shared = {
        guest["user_id"]: owner["user_id"],
        guest["email"]: owner["email"],
        practice_work.clients[0]["id"]: studio_work.clients[2]["id"],
        practice_work.projects[0]["id"]: studio_work.projects[3]["id"],
    }
    _insert(connection, DEMO_ORGANIZATION_ID, studio, studio_work)
    _insert(connection, OTHER_ORGANIZATION_ID, _renamed(practice, shared), _renamed(practice_work, shared))
    return True


class Chance:
    """What is left to chance, the same for the same seed, from an organization's `start` to the `end`."""

    def __init__(self, seed: str, today: date) -> None:
        self.random = Random(seed)  # noqa: S311 - must be predictable, and keeps no secret
        self.end = datetime.combine(today, time(), UTC)
        self.start = self.end - HISTORY + timedelta(hours=7, minutes=42)

    def one_in(self, count: int) -> bool:
        return self.random.randrange(count) == 0

    def between(
        self, low: datetime, high: datetime, first: float = 0.0, last: float = 1.0, *, early: bool = False
    ) -> datetime:
        """A moment in the part of a span from `first` to `last`, in office hours if chance hits them."""
        moment = low
        for _ in range(20):
            fraction = self.random.random()
            if early:
                fraction *= fraction
            moment = low + (high - low) * (first + (last - first) * fraction)
            if moment.weekday() < 5 and 7 <= moment.hour < 17:
                break
        return max(low, whole(moment)) if self.one_in(10) else moment

    def moments(self, count: int, low: datetime, high: datetime, *, early: bool = False) -> list[datetime]:
        """Sorted moments. Every seventh equals the one before it, as in rows that one transaction wrote."""
        moments = sorted(self.between(low, high, early=early) for _ in range(count))
        for index in range(2, count, 7):
            moments[index] = moments[index - 1]
        return moments

    def id(self, at: datetime) -> UUID:
        """A UUID of version 7: the milliseconds of a moment, then chance."""
        milliseconds = (at - EPOCH) // timedelta(milliseconds=1)
        chance = self.random.getrandbits
        return UUID(int=milliseconds << 80 | 0x7 << 76 | chance(12) << 64 | 0b10 << 62 | chance(62))

    def stamps(self, *events: datetime | None, deleted: datetime | None = None) -> Row:
        """When a row was created (the first event), changed and deleted."""
        happened = [event for event in events if event is not None]
        changed = max(happened)
        if deleted is not None:
            changed = deleted
        elif self.one_in(2):
            changed = self.between(changed, self.end)
        return {"created_at": happened[0], "updated_at": changed, "deleted_at": deleted}


def whole(moment: datetime) -> datetime:
    """The second in which a moment lies."""
    return moment.replace(microsecond=0)


def people(outline: Outline, members: int, today: date) -> People:
    """The organization, its members and its teams."""
    chance = Chance(f"{outline.name}: people", today)
    persons = _members(chance, outline, members)
    teams, team_members = _teams(chance, outline, persons)
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
        post = _post(outline, index)
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


def _post(outline: Outline, index: int) -> Post:
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
    first, last = _pair(index, outline.names)
    mailbox = f"{_plain(first)}.{_plain(last)}"
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


def _pair(index: int, names: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The names in turn, then mixed: with n names, the first n * n pairs are different."""
    turn, place = divmod(index, len(names))
    return names[place][0], names[(place + turn) % len(names)][1]


def _plain(name: str) -> str:
    """A name as it stands in an e-mail address."""
    letters = name.lower()
    for letter, spelling in WITHOUT_MARK.items():
        letters = letters.replace(letter, spelling)
    return unicodedata.normalize("NFKD", letters).encode("ascii", "ignore").decode()


def _teams(chance: Chance, outline: Outline, persons: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    sketches = [*outline.teams, *_squads(len(persons))]
    teams: list[Row] = []
    rosters: list[Row] = []
    formed = chance.moments(len(sketches), chance.start + 60 * DAY, chance.end - 30 * DAY, early=True)
    for sketch, created in zip(sketches, formed, strict=True):
        deleted = chance.between(created, chance.end, 0.4, 0.8) if sketch.is_deleted else None
        team = {
            "id": chance.id(created),
            "name": sketch.name,
            "description": sketch.description,
            "is_active": sketch.is_active,
            **chance.stamps(created, deleted=deleted),
        }
        teams.append(team)
        rosters.extend(_team_members(chance, team, sketch, persons))
    return teams, rosters


def _squads(members: int) -> Iterator[TeamSketch]:
    for index in range(members // 12 - 2):
        turn, place = divmod(index, len(SQUADS))
        yield TeamSketch(f"Squad {SQUADS[place]}" + (f" {turn + 1}" if turn else ""), None)


def _team_members(chance: Chance, team: Row, sketch: TeamSketch, persons: Sequence[Row]) -> Iterator[Row]:
    roster = [person for person in persons if person["department"] in sketch.departments]
    if not sketch.departments:
        there = [
            person
            for person in persons
            if person["status"] == MemberStatus.active and person["joined_at"] <= team["created_at"]
        ]
        roster = chance.random.sample(there, min(len(there), chance.random.randint(3, 6)))
    leads = [person["user_id"] for person in roster if person["role"] == MemberRole.manager][:2]
    leads = leads or [person["user_id"] for person in roster if person["status"] == MemberStatus.active][:1]
    together = team["created_at"] + 5 * MINUTE
    for person in roster:
        came = person["joined_at"] or person["created_at"]
        joined = together
        if came >= together or not sketch.departments:
            joined = chance.between(max(came, together) + MINUTE, max(came, together) + 2 * DAY)
        # A team has no former members: who leaves the organization is taken out of it.
        deleted = person["removed_at"] or team["deleted_at"]
        if deleted is None or joined < deleted:
            yield {
                "id": chance.id(joined),
                "team_id": team["id"],
                "user_id": person["user_id"],
                "role": (TeamRole.lead if person["user_id"] in leads else TeamRole.member).value,
                "joined_at": joined,
                **chance.stamps(joined, deleted=deleted),
            }


def work(outline: Outline, crew: People, today: date) -> Work:
    """The clients, the projects and who is on them, the tasks and who is on those."""
    chance = Chance(f"{outline.name}: work", today)
    surplus = max(0, round(len(crew.members) / 1.6) - len(outline.projects))
    client_sketches = [*outline.clients, *_more_clients(chance, outline, (surplus + 1) // 2)]
    clients = _clients(chance, outline, client_sketches)
    project_sketches = [
        *outline.projects,
        *_more_projects(chance, client_sketches[len(outline.clients) :], crew.teams, surplus),
    ]
    projects = _projects(chance, outline, project_sketches, client_sketches, clients)
    project_members: list[Row] = []
    tasks: list[Row] = []
    task_members: list[Row] = []
    for project, sketch in zip(projects, project_sketches, strict=True):
        places = list(_project_members(chance, crew, project, sketch, outline.currency))
        project_members.extend(places)
        crewed = [place for place in places if place["deleted_at"] == project["deleted_at"]]
        planned = list(_tasks(chance, outline, project, sketch, crewed))
        tasks.extend(planned)
        for task in planned:
            task_members.extend(_task_members(chance, task, crewed, _closed(project) or chance.end))
    _delete_one_task(chance, tasks, task_members)
    return Work(clients, projects, project_members, tasks, task_members)


def _more_clients(chance: Chance, outline: Outline, count: int) -> Iterator[ClientSketch]:
    names = list(zip(CLIENT_NAMES, CLIENT_TRADES, strict=True))
    for index in range(count):
        first, trade = _pair(index, names)
        city = chance.random.choice(CITIES)
        yield ClientSketch(
            f"{first} {trade}",
            f"{first[:2].upper()}{index + 1:03}",
            outline.currency,
            city._replace(line1=city.line1.format(chance.random.randrange(1, 190))),
            f"{city.country}999{chance.random.randrange(10**6):06}",
            " ".join(chance.random.choice(outline.names)),
            net_terms_days=chance.random.choice([14, 30, 30, 45]),
            budget=chance.random.choice([Budget(), money("25000.00"), hours(500)]),
            external_id=f"C-{10100 + index}",
            is_archived=chance.one_in(8),
        )


def _clients(chance: Chance, outline: Outline, sketches: Sequence[ClientSketch]) -> list[Row]:
    rows = []
    won = chance.moments(len(sketches), chance.start, chance.end - 60 * DAY, early=True)
    for sketch, created in zip(sketches, won, strict=True):
        archived = whole(chance.between(created, chance.end, 0.4, 0.8)) if sketch.is_archived else None
        mailbox = "-".join(re.findall("[a-z0-9]+", _plain(sketch.name)))
        rows.append(
            {
                "id": chance.id(created),
                "name": sketch.name,
                "archived_at": archived,
                "contact_name": sketch.contact_name,
                "email": f"{mailbox}@example.org" if sketch.contact_name else None,
                "phone": sketch.phone,
                "invoice_emails": [f"invoices.{mailbox}@example.org"] if sketch.tax_number else [],
                "address": sketch.address._asdict() if sketch.address else None,
                "tax_number": sketch.tax_number,
                "currency": sketch.currency,
                "timezone": sketch.timezone,
                "net_terms_days": sketch.net_terms_days,
                **_budget(sketch.budget),
                "external_id": sketch.external_id,
                "note": sketch.note,
                **chance.stamps(created, archived),
            }
        )
    return rows


def _budget(budget: Budget) -> Row:
    return {
        "budget_type": budget.type.value,
        "budget_amount": budget.amount,
        "budget_seconds": budget.hours * 3600 if budget.hours is not None else None,
        "budget_recurrence": budget.recurrence.value,
    }


def _more_projects(
    chance: Chance, clients: Sequence[ClientSketch], teams: Sequence[Row], count: int
) -> Iterator[ProjectSketch]:
    usual = [*ProjectStatus, *[ProjectStatus.active] * 5, *[ProjectStatus.completed] * 2]
    team_names = [team["name"] for team in teams if team["deleted_at"] is None and team["is_active"]]
    for index in range(count):
        turn, place = divmod(index, len(clients))
        client = clients[place]
        is_hourly = chance.one_in(2)
        rate, price = (
            60 + chance.random.randrange(140) / Decimal(2),
            500 * Decimal(chance.random.randrange(6, 90)),
        )
        budgets = [Budget(), hours(300), hours(20, BudgetRecurrence.weekly), money("15000.00")]
        yield ProjectSketch(
            client.name,
            PROJECT_NAMES[(place + turn) % len(PROJECT_NAMES)],
            ProjectStatus.archived if client.is_archived else chance.random.choice(usual),
            chance.random.choice(COLORS),
            BillingType.hourly if is_hourly else BillingType.fixed,
            rate if is_hourly else price,
            chance.random.choice(budgets),
            None if chance.one_in(3) else chance.random.choice(team_names),
            jira=f"{client.prefix}X{turn + 1}" if chance.one_in(3) else None,
            is_deleted=chance.one_in(40),
        )


def _projects(
    chance: Chance,
    outline: Outline,
    sketches: Sequence[ProjectSketch],
    client_sketches: Sequence[ClientSketch],
    clients: Sequence[Row],
) -> list[Row]:
    rows: list[Row] = []
    of_name: dict[str | None, Row] = {client["name"]: client for client in clients}
    prefixes: dict[str | None, str] = {sketch.name: sketch.prefix for sketch in client_sketches}
    numbers: Counter[str] = Counter()
    for sketch in sketches:
        prefix = prefixes.get(sketch.client, "INT")
        numbers[prefix] += 1
        code = f"{prefix}-{numbers[prefix]:02}"
        rows.append(_project(chance, sketch, of_name.get(sketch.client), code, outline.currency))
    return rows


def _project(chance: Chance, sketch: ProjectSketch, client: Row | None, code: str, currency: str) -> Row:
    until, created = chance.end, chance.start + 45 * MINUTE
    if client is not None:
        until = client["archived_at"] or chance.end
        created = chance.between(client["created_at"], until, 0.02, 0.55)
    completed = archived = deleted = due = None
    if sketch.status in (ProjectStatus.completed, ProjectStatus.archived):
        completed = whole(chance.between(created, until, 0.4, 0.8))
    if sketch.status is ProjectStatus.archived:
        # With its client, at the latest.
        archived = until if until < chance.end else whole(chance.between(completed or created, until, 0.1, 0.9))
    if sketch.is_deleted:
        deleted = chance.between(archived or completed or created, chance.end, 0.5, 0.9)
    started = chance.between(created, min(completed or until, created + 21 * DAY)).date()
    if completed is not None:
        due = max(started, completed.date() + chance.random.randint(-14, 10) * DAY)
    elif client is not None and sketch.budget.recurrence is BudgetRecurrence.none:
        due = max(started, chance.end.date() + chance.random.randint(-10, 200) * DAY)
    return {
        "id": chance.id(created),
        "client_id": client["id"] if client else None,
        "name": sketch.name,
        "code": code,
        "description": sketch.description,
        "status": sketch.status.value,
        "is_billable": sketch.billing is not BillingType.none,
        "billing_type": sketch.billing.value,
        "bill_rate": sketch.price if sketch.billing is BillingType.hourly else None,
        "fixed_amount": sketch.price if sketch.billing is BillingType.fixed else None,
        "currency": client["currency"] if client else currency,
        **_budget(sketch.budget),
        "tracked_seconds_total": None,
        "start_date": started,
        "due_date": due,
        "completed_at": completed,
        "archived_at": archived,
        "color": sketch.color,
        "screenshots_enabled": client is not None,
        "activity_tracking_enabled": client is not None or chance.one_in(2),
        "external_id": sketch.jira,
        **chance.stamps(created, completed, archived, deleted=deleted),
    }


def _closed(project: Row) -> datetime | None:
    """When the work on a project ended."""
    moments = [project["completed_at"], project["archived_at"], project["deleted_at"]]
    return min((moment for moment in moments if moment is not None), default=None)


def _project_members(chance: Chance, crew: People, project: Row, sketch: ProjectSketch, currency: str) -> Iterator[Row]:
    """Somebody who manages the project, a team if there is one, and a few more."""
    opened, closed = project["created_at"], _closed(project) or chance.end
    persons = {person["user_id"]: person for person in crew.members if person["joined_at"] is not None}
    managers = [
        user_id
        for user_id, person in persons.items()
        if person["role"] == MemberRole.manager and person["joined_at"] <= opened
    ]
    manager = chance.random.choice(managers or [crew.members[0]["user_id"]])
    team_ids = [team["id"] for team in crew.teams if team["name"] == sketch.team]
    in_team = {
        place["user_id"]: place
        for place in crew.team_members
        if place["team_id"] in team_ids and place["user_id"] in persons and place["user_id"] != manager
    }
    others = [user_id for user_id in persons if user_id != manager and user_id not in in_team]
    more = chance.random.sample(others, min(len(others), chance.random.randint(2, 5)))
    together = opened + 10 * MINUTE
    for user_id in [manager, *in_team, *more]:
        person = persons[user_id]
        place = in_team.get(user_id)
        came = place["joined_at"] if place else person["joined_at"]
        until = min(closed, person["removed_at"] or closed)
        if came < together and (place or user_id == manager):
            created = together
        else:
            created = chance.between(max(came, together), until, 0.01, 0.3)
        if created >= until:
            continue
        removed = person["removed_at"]
        if user_id in more and chance.one_in(5):
            removed = whole(chance.between(created, until, 0.4, 0.9))
        if removed and project["deleted_at"] and removed > project["deleted_at"]:
            removed = None
        role = _project_role(person, user_id == manager)
        has_terms = user_id in more and role is ProjectRole.member
        row = {
            "id": chance.id(created),
            "project_id": project["id"],
            "user_id": user_id,
            "role": role.value,
            "source": (MembershipSource.team if place else MembershipSource.direct).value,
            "team_id": place["team_id"] if place else None,
            **(_terms(chance, project, currency) if has_terms else NO_TERMS),
            "joined_at": whole(created),
            "removed_at": removed,
            **chance.stamps(created, removed, deleted=project["deleted_at"]),
        }
        if sketch.jira is not None and user_id in more[:1]:
            yield _mistake(chance, row)
        yield row


def _terms(chance: Chance, project: Row, currency: str) -> Row:
    """What a person is paid and billed for on one project, and for how long at most."""
    terms = dict(NO_TERMS)
    if project["currency"] == currency and chance.one_in(2):
        pay = 24 + chance.random.randrange(120) / Decimal(4)
        bill = pay * 2 if project["is_billable"] else None
        terms |= {"pay_rate": pay, "bill_rate": bill, "currency": currency}
    if chance.one_in(4):
        terms["budget_seconds"] = chance.random.choice([20, 40, 120]) * 3600
    return terms


def _mistake(chance: Chance, row: Row) -> Row:
    """A membership as viewer that was deleted just before the right one was made."""
    deleted = row["created_at"] - MINUTE
    created = deleted - MINUTE
    return row | {
        "id": chance.id(created),
        "role": ProjectRole.viewer.value,
        **NO_TERMS,
        "joined_at": whole(created),
        "removed_at": None,
        **chance.stamps(created, deleted=deleted),
    }


def _project_role(person: Row, is_manager: bool) -> ProjectRole:
    if is_manager:
        return ProjectRole.manager
    return ProjectRole.viewer if person["role"] == MemberRole.viewer else ProjectRole.member


def _tasks(
    chance: Chance, outline: Outline, project: Row, sketch: ProjectSketch, crewed: Sequence[Row]
) -> Iterator[Row]:
    opened, until = project["created_at"], _closed(project) or chance.end
    count = chance.random.randint(*outline.tasks_per_project)
    names = chance.random.sample(CHORES if sketch.client is None else outline.tasks, count)
    parts = chance.random.sample(SUBTASKS, count)
    low, high = opened + (until - opened) * 0.02, opened + (until - opened) * 0.9
    parents: list[Row] = []
    for index, created in enumerate(chance.moments(count, low, high)):
        unfinished = [row for row in parents if (row["completed_at"] or until) > created + DAY]
        parent = chance.random.choice(unfinished) if unfinished and chance.one_in(2) else None
        # The parts of a finished task were finished before it.
        finish = parent["completed_at"] if parent else None
        is_over = finish is not None or project["completed_at"] is not None
        status = TaskStatus.completed if finish else _task_status(chance, until - created, is_over=is_over)
        completed = None
        if status is TaskStatus.completed:
            completed = whole(chance.between(created, min(finish or until, created + 40 * DAY), 0.1, 0.9))
        started = None
        if status is not TaskStatus.open:
            started = chance.between(created, completed or min(until, created + 5 * DAY)).date()
        due = (started or created.date()) + chance.random.randint(2, 30) * DAY
        row = {
            "id": chance.id(created),
            "project_id": project["id"],
            "parent_task_id": parent["id"] if parent else None,
            "number": index + 1,
            "name": parts[index] if parent else names[index],
            "description": None if chance.one_in(2) else chance.random.choice(TASK_NOTES),
            "status": status.value,
            "priority": chance.random.choice([*TaskPriority, TaskPriority.none, TaskPriority.medium]).value,
            "is_billable": False if project["is_billable"] and chance.one_in(8) else None,
            "estimate_seconds": chance.random.choice([None, 1800, 7200, 14400, 28800, 57600]),
            "start_date": started,
            "due_date": None if chance.one_in(3) else due,
            "completed_at": completed,
            "created_by_user_id": chance.random.choice(_at_hand(crewed, created))["user_id"],
            "external_id": f"{sketch.jira}-{index + 1}" if sketch.jira else None,
            "external_source": "jira" if sketch.jira else None,
            "labels": sorted(chance.random.sample(outline.labels, chance.random.choice([0, 0, 1, 1, 2, 3]))),
            **chance.stamps(created, completed, deleted=project["deleted_at"]),
        }
        if parent is None and status is not TaskStatus.archived:
            parents.append(row)
        yield row


def _task_status(chance: Chance, age: timedelta, *, is_over: bool) -> TaskStatus:
    """Old tasks are rather done than new ones, and all of them once the project is."""
    if is_over:
        return TaskStatus.archived if chance.one_in(7) else TaskStatus.completed
    if chance.random.random() < min(0.65, age / (300 * DAY)):
        return TaskStatus.completed
    return chance.random.choice([TaskStatus.open] * 5 + [TaskStatus.in_progress] * 4 + [TaskStatus.archived])


def _at_hand(crewed: Sequence[Row], at: datetime) -> list[Row]:
    """Who is on the project at a moment, and stays for the day after it."""
    return [
        place
        for place in crewed
        if place["joined_at"] <= at and (place["removed_at"] is None or place["removed_at"] > at + DAY)
    ]


def _task_members(chance: Chance, task: Row, crewed: Sequence[Row], until: datetime) -> Iterator[Row]:
    is_open = task["status"] in (TaskStatus.open, TaskStatus.in_progress)
    there = _at_hand(crewed, task["created_at"])
    lasting = [place["user_id"] for place in there if place["removed_at"] is None]
    able = [
        place["user_id"]
        for place in there
        if place["role"] != ProjectRole.viewer and not (is_open and place["removed_at"])
    ]
    chance.random.shuffle(able)
    at_once = task["created_at"] + 3 * MINUTE
    count = chance.random.choice([0, 1, 1, 1, 1, 2]) if is_open else chance.random.choice([1, 1, 1, 2])
    for user_id in able[:count]:
        yield _task_member(chance, task, user_id, TaskRole.assignee, at_once)
    if is_open and task["deleted_at"] is None and chance.one_in(6):
        for user_id in able[count : count + 1]:
            handed_on = chance.between(at_once, until, 0.1, 0.5)
            yield _task_member(chance, task, user_id, TaskRole.assignee, at_once, deleted=handed_on)
    watchers = [user_id for user_id in lasting if user_id not in able[: count + 1]]
    for user_id in chance.random.sample(watchers, min(len(watchers), chance.random.choice([0, 0, 1, 1, 2]))):
        since = chance.between(at_once, until, 0.0, 0.5)
        yield _task_member(chance, task, user_id, TaskRole.watcher, since)


def _task_member(
    chance: Chance,
    task: Row,
    user_id: UUID,
    role: TaskRole,
    at: datetime,
    *,
    deleted: datetime | None = None,
) -> Row:
    return {
        "id": chance.id(at),
        "task_id": task["id"],
        "user_id": user_id,
        "role": role.value,
        "assigned_at": whole(at),
        **chance.stamps(at, deleted=deleted or task["deleted_at"]),
    }


def _delete_one_task(chance: Chance, tasks: Sequence[Row], task_members: Sequence[Row]) -> None:
    """Delete the last task that nothing hangs on, and with it who was on it."""
    parents = {task["parent_task_id"] for task in tasks}
    task = next(task for task in reversed(tasks) if task["deleted_at"] is None and task["id"] not in parents)
    rows = [task, *(row for row in task_members if row["task_id"] == task["id"])]
    deleted = chance.between(max(row["updated_at"] for row in rows), chance.end)
    for row in rows:
        if row["deleted_at"] is None:
            row |= {"updated_at": deleted, "deleted_at": deleted}


def _renamed(area: Area, same: Mapping[Any, Any]) -> Area:
    """An area in which ids and e-mail addresses are replaced by others."""

    def renamed(value: Any) -> Any:
        return same.get(value, value) if isinstance(value, UUID | str) else value

    rows = {field.name: getattr(area, field.name) for field in fields(area)}
    return replace(
        area,
        **{
            table: [{column: renamed(value) for column, value in row.items()} for row in made]
            for table, made in rows.items()
        },
    )


def _insert(connection: Connection, organization_id: UUID, *areas: People | Work) -> None:
    _act_for(connection, organization_id)
    for area in areas:
        for field in fields(area):
            rows = [{"organization_id": organization_id, **row} for row in getattr(area, field.name)]
            if rows:
                # All rows in one value: a statement a row takes twice as long.
                names = ", ".join(rows[0])
                statement = text(
                    f"INSERT INTO {field.name} ({names}) SELECT {names} "
                    f"FROM jsonb_populate_recordset(NULL::{field.name}, CAST(:rows AS jsonb))"
                )
                connection.execute(statement, {"rows": json.dumps(rows, default=str)})


def _act_for(connection: Connection, organization_id: UUID) -> None:
    # db.access.act_for refuses an organization that isn't there yet.
    connection.execute(select(func.set_config("app.organization_id", str(organization_id), True)))
