"""Teams, and who is in them."""

from collections.abc import Iterator, Sequence

from db.demo.area import Row
from db.demo.chance import DAY, MINUTE, Chance
from db.demo.outline import Outline, TeamSketch
from db.demo.scenarios.names import SQUADS
from db.tables.people import MemberRole, MemberStatus, TeamRole


def teams_of(chance: Chance, outline: Outline, persons: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The teams, and their members."""
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
