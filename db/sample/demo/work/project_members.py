"""Project members: a manager, the team of the project, and members who were added directly."""

from collections.abc import Iterator
from decimal import Decimal

from db.sample.demo.area import Row
from db.sample.demo.people.build import PeopleRows
from db.sample.demo.random_source import MINUTE, RandomSource, truncate_to_second
from db.sample.demo.scenarios.scenario import ProjectSpec
from db.sample.demo.work.projects import finished_at
from db.tables.people import MemberRole
from db.tables.work import MembershipSource, ProjectRole

# Terms are what was agreed with a member for one project: rates and a time budget.
NO_TERMS: Row = {"pay_rate": None, "bill_rate": None, "currency": None, "budget_seconds": None}


def project_member_rows(
    random: RandomSource, people: PeopleRows, project: Row, spec: ProjectSpec, currency: str
) -> Iterator[Row]:
    """The members of one project."""
    project_start, project_end = project["created_at"], finished_at(project) or random.end
    member_by_id = {member["user_id"]: member for member in people.members if member["joined_at"] is not None}
    managers = [
        user_id
        for user_id, member in member_by_id.items()
        if member["role"] == MemberRole.manager and member["joined_at"] <= project_start
    ]
    manager = random.choice(managers or [people.members[0]["user_id"]])
    team_ids = [team["id"] for team in people.teams if team["name"] == spec.team]
    team_membership_by_user = {
        team_membership["user_id"]: team_membership
        for team_membership in people.team_members
        if team_membership["team_id"] in team_ids
        and team_membership["user_id"] in member_by_id
        and team_membership["user_id"] != manager
    }
    others = [user_id for user_id in member_by_id if user_id != manager and user_id not in team_membership_by_user]
    added_directly = random.sample(others, min(len(others), random.randint(2, 5)))
    earliest = project_start + 10 * MINUTE
    for user_id in [manager, *team_membership_by_user, *added_directly]:
        member = member_by_id[user_id]
        team_membership = team_membership_by_user.get(user_id)
        member_since = team_membership["joined_at"] if team_membership else member["joined_at"]
        until = min(project_end, member["removed_at"] or project_end)
        if member_since < earliest and user_id not in added_directly:
            created = earliest
        else:
            created = random.datetime_between(max(member_since, earliest), until, 0.01, 0.3)
        if created >= until:
            continue
        removed = member["removed_at"]
        if user_id in added_directly and random.one_in(5):
            removed = truncate_to_second(random.datetime_between(created, until, 0.4, 0.9))
        # With a deleted project, its memberships are deleted: none is removed after that.
        if removed and project["deleted_at"] and removed > project["deleted_at"]:
            removed = None
        role = _project_role(member, user_id == manager)
        has_terms = user_id in added_directly and role is ProjectRole.member
        row = {
            "id": random.uuid7(created),
            "project_id": project["id"],
            "user_id": user_id,
            "role": role.value,
            "source": (MembershipSource.team if team_membership else MembershipSource.direct).value,
            "team_id": team_membership["team_id"] if team_membership else None,
            **(_terms(random, project, currency) if has_terms else NO_TERMS),
            "joined_at": truncate_to_second(created),
            "removed_at": removed,
            **random.timestamps(created, removed, deleted=project["deleted_at"]),
        }
        if spec.jira is not None and user_id in added_directly[:1]:
            yield _mistaken_membership(random, row)
        yield row


def _terms(random: RandomSource, project: Row, currency: str) -> Row:
    """The pay rate, bill rate and time budget of a member on one project."""
    terms = dict(NO_TERMS)
    if project["currency"] == currency and random.one_in(2):
        pay = 24 + random.randrange(120) / Decimal(4)
        bill = pay * 2 if project["is_billable"] else None
        terms |= {"pay_rate": pay, "bill_rate": bill, "currency": currency}
    if random.one_in(4):
        terms["budget_seconds"] = random.choice([20, 40, 120]) * 3600
    return terms


def _mistaken_membership(random: RandomSource, row: Row) -> Row:
    """A membership with the wrong role, deleted a minute before `row`, the right one, was created."""
    deleted = row["created_at"] - MINUTE
    created = deleted - MINUTE
    return row | {
        "id": random.uuid7(created),
        "role": ProjectRole.viewer.value,
        **NO_TERMS,
        "joined_at": truncate_to_second(created),
        "removed_at": None,
        **random.timestamps(created, deleted=deleted),
    }


def _project_role(member: Row, is_manager: bool) -> ProjectRole:
    if is_manager:
        return ProjectRole.manager
    return ProjectRole.viewer if member["role"] == MemberRole.viewer else ProjectRole.member
