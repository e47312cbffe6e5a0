"""A world, filled: a small organization in which every list has rows."""

from datetime import timedelta
from uuid import uuid4

from tests.factories import activity, leaves, money, timesheets
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.factories.world import SIZE, World, named

__all__ = ["SIZE", "World", "build", "named"]


def build(rows: Rows, tag: str) -> World:
    """A new world. Each list has SIZE rows, two of which were created at the same moment."""
    own = rows.organization(organization_id=uuid4(), name=f"{tag}-organization")
    world = World(tag, own, key=rows.partner_key(own))
    world.ids = {
        "user_id": named("user"),
        "team_id": named("team"),
        "client_id": named("client"),
        "project_id": named("project"),
        "task_id": named("task"),
    }
    with rows.transaction(own):
        _fill(rows, world)
        for area in (timesheets, activity, money, leaves):
            area.fill(rows, world)
    return world


def _fill(rows: Rows, world: World) -> None:
    own, tag = world.organization_id, world.tag
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
