"""Who is on a project."""

from collections.abc import Iterator
from decimal import Decimal

from db.demo.area import Row
from db.demo.chance import MINUTE, Chance, whole
from db.demo.outline import ProjectSketch
from db.demo.people.build import People
from db.demo.work.projects import finished_at
from db.tables.people import MemberRole
from db.tables.work import MembershipSource, ProjectRole

NO_TERMS: Row = {"pay_rate": None, "bill_rate": None, "currency": None, "budget_seconds": None}


def project_members_of(
    chance: Chance, crew: People, project: Row, sketch: ProjectSketch, currency: str
) -> Iterator[Row]:
    """Somebody who manages the project, a team if there is one, and a few more."""
    opened, closed = project["created_at"], finished_at(project) or chance.end
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
