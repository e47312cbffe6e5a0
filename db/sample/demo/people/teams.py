"""Teams and team members."""

from collections.abc import Iterator, Sequence

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, MINUTE, RandomSource
from db.sample.demo.scenarios.names import SQUAD_NAMES
from db.sample.demo.scenarios.scenario import Scenario, TeamSpec
from db.tables.people import MemberRole, MemberStatus, TeamRole


def team_rows(random: RandomSource, scenario: Scenario, members: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The teams, and the members of all of them."""
    specs = [*scenario.teams, *_squad_specs(len(members))]
    teams: list[Row] = []
    team_members: list[Row] = []
    created_times = random.datetimes(len(specs), random.start + 60 * DAY, random.end - 30 * DAY, early=True)
    for spec, created in zip(specs, created_times, strict=True):
        deleted = random.datetime_between(created, random.end, 0.4, 0.8) if spec.is_deleted else None
        team = {
            "id": random.uuid7(created),
            "name": spec.name,
            "description": spec.description,
            "is_active": spec.is_active,
            **random.timestamps(created, deleted=deleted),
        }
        teams.append(team)
        team_members.extend(_team_members(random, team, spec, members))
    return teams, team_members


def _squad_specs(members: int) -> Iterator[TeamSpec]:
    for index in range(members // 12 - 2):
        round_number, name_index = divmod(index, len(SQUAD_NAMES))
        yield TeamSpec(f"Squad {SQUAD_NAMES[name_index]}" + (f" {round_number + 1}" if round_number else ""), None)


def _team_members(random: RandomSource, team: Row, spec: TeamSpec, members: Sequence[Row]) -> Iterator[Row]:
    chosen = [member for member in members if member["department"] in spec.departments]
    if not spec.departments:
        active = [
            member
            for member in members
            if member["status"] == MemberStatus.active and member["joined_at"] <= team["created_at"]
        ]
        chosen = random.sample(active, min(len(active), random.randint(3, 6)))
    leads = [member["user_id"] for member in chosen if member["role"] == MemberRole.manager][:2]
    leads = leads or [member["user_id"] for member in chosen if member["status"] == MemberStatus.active][:1]
    earliest = team["created_at"] + 5 * MINUTE
    for member in chosen:
        member_since = member["joined_at"] or member["created_at"]
        joined = earliest
        if member_since >= earliest or not spec.departments:
            joined = random.datetime_between(
                max(member_since, earliest) + MINUTE, max(member_since, earliest) + 2 * DAY
            )
        # A member who leaves the organization is removed from its teams.
        deleted = member["removed_at"] or team["deleted_at"]
        if deleted is None or joined < deleted:
            yield {
                "id": random.uuid7(joined),
                "team_id": team["id"],
                "user_id": member["user_id"],
                "role": (TeamRole.lead if member["user_id"] in leads else TeamRole.member).value,
                "joined_at": joined,
                **random.timestamps(joined, deleted=deleted),
            }
