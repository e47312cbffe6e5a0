"""Teams, and who is in them."""

from collections.abc import Iterator, Sequence

from db.demo.area import Row
from db.demo.random_source import DAY, MINUTE, RandomSource
from db.demo.scenarios.names import SQUAD_NAMES
from db.demo.scenarios.scenario import Scenario, TeamSpec
from db.tables.people import MemberRole, MemberStatus, TeamRole


def team_rows(random: RandomSource, scenario: Scenario, members: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The teams, and their members."""
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
        turn, place = divmod(index, len(SQUAD_NAMES))
        yield TeamSpec(f"Squad {SQUAD_NAMES[place]}" + (f" {turn + 1}" if turn else ""), None)


def _team_members(random: RandomSource, team: Row, spec: TeamSpec, members: Sequence[Row]) -> Iterator[Row]:
    people = [person for person in members if person["department"] in spec.departments]
    if not spec.departments:
        active = [
            person
            for person in members
            if person["status"] == MemberStatus.active and person["joined_at"] <= team["created_at"]
        ]
        people = random.sample(active, min(len(active), random.randint(3, 6)))
    leads = [person["user_id"] for person in people if person["role"] == MemberRole.manager][:2]
    leads = leads or [person["user_id"] for person in people if person["status"] == MemberStatus.active][:1]
    earliest = team["created_at"] + 5 * MINUTE
    for person in people:
        member_since = person["joined_at"] or person["created_at"]
        joined = earliest
        if member_since >= earliest or not spec.departments:
            joined = random.datetime_between(
                max(member_since, earliest) + MINUTE, max(member_since, earliest) + 2 * DAY
            )
        # A team has no former members: who leaves the organization is taken out of it.
        deleted = person["removed_at"] or team["deleted_at"]
        if deleted is None or joined < deleted:
            yield {
                "id": random.uuid7(joined),
                "team_id": team["id"],
                "user_id": person["user_id"],
                "role": (TeamRole.lead if person["user_id"] in leads else TeamRole.member).value,
                "joined_at": joined,
                **random.timestamps(joined, deleted=deleted),
            }
