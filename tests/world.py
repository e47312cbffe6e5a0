"""A small organization in which every list has rows: what the contract is tested on.

Two worlds have the same row ids, and all their strings are tagged, so that a row of the wrong one shows.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from tests.factories import THEN, Rows

SIZE = 5
"""Rows that every list of a world has at least."""


@dataclass
class World:
    """One organization. `ids` are the ids that paths need, by the names they have there."""

    tag: str
    organization_id: UUID
    ids: dict[str, UUID] = field(default_factory=dict)
    key: str = field(default="", repr=False)


def named(name: str, number: int = 0) -> UUID:
    """The id that the row of this name has in every world."""
    return uuid5(NAMESPACE_URL, f"{name}/{number}")


def build(rows: Rows, tag: str) -> World:
    """A new world. Each list has SIZE rows, two of which were created at the same moment."""
    own = rows.organization(organization_id=uuid4(), name=f"{tag}-organization")
    world = World(tag, own, key=rows.partner_key(own))
    created = [THEN + timedelta(minutes=max(0, number - 1)) for number in range(SIZE)]
    for n, at in enumerate(created):
        rows.member(
            own,
            user_id=named("user", n),
            full_name=f"{tag}-member {n}",
            email=f"{tag}-{n}@example.com",
            created_at=at,
        )
        rows.team(own, id=named("team", n), name=f"{tag}-team {n}", created_at=at)
        rows.client(own, id=named("client", n), name=f"{tag}-client {n}", created_at=at)
        rows.project(own, id=named("project", n), client_id=named("client"), name=f"{tag}-project {n}", created_at=at)
        rows.task(own, named("project"), id=named("task", n), name=f"{tag}-task {n}", created_at=at)
    for n, at in enumerate(created):
        rows.team_member(own, named("team"), named("user", n), id=named("team member", n), joined_at=at)
        rows.project_member(own, named("project"), named("user", n), id=named("pm", n), created_at=at)
        rows.task_member(own, named("task"), named("user", n), id=named("task member", n), created_at=at)
        if n:
            rows.project_member(own, named("project", n), named("user"), id=named("pm", 100 + n), created_at=at)
    world.ids = {
        "user_id": named("user"),
        "team_id": named("team"),
        "client_id": named("client"),
        "project_id": named("project"),
        "task_id": named("task"),
    }
    return world
